// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_MAIL_OF_THREAD_HPP
#define SYMM_MAIL_MAIL_OF_THREAD_HPP

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "HandledMail.hpp"

namespace symm::Impl {

/// The mailboxes that a thread has created. If they outlive the thread, no
/// thread handles their messages.
class MailOfThread final : public ThreadProgress {
 public:
  using Clock = std::chrono::steady_clock;
  using ThreadProgress::Working;

  /// The calling thread's object; the first call creates it.
  /// \throws std::bad_alloc.
  static std::shared_ptr<MailOfThread> const& here();
  /// The calling thread's object; null if the thread has created no mailbox.
  [[nodiscard]] static MailOfThread const* find() noexcept;

  void add(HandledMail& mailbox);
  /// Callable from any thread; waits while step() is running on another thread.
  void remove(HandledMail& mailbox) noexcept;
  /// Called by the mailboxes' thread. See MailboxBase::step().
  bool step();
  /// See MailboxBase::must_rest().
  [[nodiscard]] bool must_rest(HandledMail const& mailbox) const {
    return mailbox.makes_wait && n_waiting > mailbox.n_waiting;
  }

  HandledMail* handling = nullptr;  // mailbox whose handler is running, or null
  std::size_t n_waiting = 0;  // number of handler-sent messages waiting for
                              // room
  std::optional<Failure> failure;  // the first failure in work()

 private:
  struct Here;

  bool work() noexcept override;
  template <class Body>
  bool for_each(Body const& body);
  /// Whether resting mailboxes must handle a block because no messages have
  /// moved for a while.
  /// \param has_moved whether this step has moved any messages.
  bool must_go_on(bool has_moved);

  // Recursive because handlers run in step() and may destroy mailboxes. Other
  // threads may destroy mailboxes, too.
  std::recursive_mutex m_mutex;
  std::vector<HandledMail*> m_mailboxes;  // null: removed during a step
  int m_n_steps = 0;                      // number of nested calls to step()
  // The time at which messages stopped moving, and how long mailboxes rest from
  // then on.
  Clock::time_point m_idle_since{};
  Clock::duration m_rest{};
};

}  // namespace symm::Impl

#endif
