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

/// The mailboxes that a thread has made. They may outlive the thread, in which
/// case no thread handles their messages.
class MailOfThread final : public ThreadProgress {
 public:
  using Clock = std::chrono::steady_clock;
  using ThreadProgress::Working;

  /// The object of the calling thread.
  /// \throws std::bad_alloc.
  static std::shared_ptr<MailOfThread> const& here();
  /// The object of the calling thread; null if the thread has made no mailbox.
  [[nodiscard]] static MailOfThread const* find() noexcept;

  void add(HandledMail& mailbox);
  /// Callable from any thread; waits until step() has returned.
  void remove(HandledMail& mailbox) noexcept;
  /// Called by the mailboxes' thread. See MailboxBase::step().
  bool step();
  /// See MailboxBase::must_rest().
  [[nodiscard]] bool must_rest(HandledMail const& mailbox) const {
    return mailbox.makes_wait && n_waiting > mailbox.n_waiting;
  }

  HandledMail* handling = nullptr;  // mailbox whose handler is running
  std::size_t n_waiting = 0;        // number of handlers' messages that wait
                                    // for room
  std::optional<Failure> failure;   // the first failure in work()

 private:
  struct Here;

  bool work() noexcept override;
  template <class Body>
  bool for_each(Body const& body);
  /// Whether resting mailboxes must receive a block because nothing else has
  /// moved.
  bool must_go_on(bool has_moved);

  // Recursive because a handler, which runs in step(), may destroy a mailbox.
  // Another thread may destroy one, too.
  std::recursive_mutex m_mutex;
  std::vector<HandledMail*> m_mailboxes;  // null if removed during a step
  int m_n_steps = 0;                      // number of nested calls to step()
  // Since when nothing has moved, and how long mailboxes rest from then on.
  Clock::time_point m_idle_since{};
  Clock::duration m_rest{};
};

}  // namespace symm::Impl

#endif
