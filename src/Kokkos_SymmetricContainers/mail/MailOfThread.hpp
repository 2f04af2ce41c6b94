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

/// The mailboxes of a thread. They may outlive it: then nobody handles their
/// messages.
class MailOfThread final : public ThreadProgress {
 public:
  using Clock = std::chrono::steady_clock;
  using ThreadProgress::Working;

  /// That of the calling thread. \throws std::bad_alloc.
  static std::shared_ptr<MailOfThread> const& here();
  /// Null: the calling thread has made no mailbox.
  [[nodiscard]] static MailOfThread const* find() noexcept;

  void add(HandledMail& mailbox);
  /// Any thread; waits for step().
  void remove(HandledMail& mailbox) noexcept;
  /// MailboxBase::step(); by the thread.
  bool step();
  /// MailboxBase::must_rest().
  [[nodiscard]] bool must_rest(HandledMail const& mailbox) const {
    return mailbox.makes_wait && n_waiting > mailbox.n_waiting;
  }

  HandledMail* handling = nullptr;  // its handler runs
  std::size_t n_waiting = 0;        // messages of handlers
  std::optional<Failure> failure;   // of work()

 private:
  struct Here;

  bool work() noexcept override;
  template <class Body>
  bool for_each(Body const& body);
  /// Whether mailboxes that rest must go on, since nothing else moves.
  bool must_go_on(bool has_moved);

  // Another thread may destroy a mailbox, and so may a handler, in step().
  std::recursive_mutex m_mutex;
  std::vector<HandledMail*> m_mailboxes;  // null: it was removed in a step
  int m_n_steps = 0;                      // nested in each other
  // Since when nothing has moved, and how long mailboxes rest then.
  Clock::time_point m_idle_since{};
  Clock::duration m_rest{};
};

}  // namespace symm::Impl

#endif
