// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_MAILBOX_BASE_HPP
#define SYMM_MAIL_MAILBOX_BASE_HPP

#include <cstddef>
#include <functional>
#include <optional>

#include "../../runtime/base/Failure.hpp"
#include "../../runtime/base/Text.hpp"

namespace symm::Impl {

/// What all mailboxes of a thread do together: whichever of them a PE is in, it
/// handles messages of all. So PEs that are in different ones do not wait for
/// each other, and a handler may send to any of them.
class MailboxBase {
 public:
  MailboxBase(MailboxBase const&)            = delete;
  MailboxBase& operator=(MailboxBase const&) = delete;

 protected:
  MailboxBase() = default;
  virtual ~MailboxBase();
  /// Makes it one of this thread's mailboxes.
  void join();

  // Of one mailbox; each returns whether it has moved anything.
  /// Sends messages of handlers that wait, as far as there is room.
  virtual bool put_waiting() = 0;
  /// Handles blocks that have come, until must_rest() or if `one` is enough.
  virtual bool receive(bool one) = 0;
  /// Whether half of the room for messages that wait is free.
  [[nodiscard]] virtual bool has_room_to_wait() const = 0;

  /// Does both for all mailboxes of this thread. Nothing in a handler.
  static bool step();
  /// Whether handlers of this mailbox have made messages of another one wait,
  /// and some wait: it gets no more blocks, unless nothing else moves for a
  /// while. (Those of its own would not leave sooner.)
  [[nodiscard]] bool must_rest() const;

  /// Whether a handler of this thread runs: it must not wait.
  static bool is_handling();
  /// Runs a handler of this mailbox. \returns why it failed, if it did.
  std::optional<Failure> run_handler(std::function<void()> const& handler);
  /// Counts a message that a handler makes wait, and one that has left.
  void begin_waiting();
  void end_waiting();

  /// Calls is_done() and step() by turns until is_done() is true. Waits,
  /// reports and ends the job as HostWait does, when step() has nothing to do.
  /// \param step        returns whether something has moved.
  /// \param whereabouts for the report.
  static void wait(char const* call, std::function<bool()> const& is_done,
                   std::function<bool()> const& step,
                   std::function<Text()> const& whereabouts);

 private:
  /// Whether mailboxes that rest must go on, since nothing else moves.
  static bool must_go_on(bool has_moved);

  bool m_makes_wait       = false;
  std::size_t m_n_waiting = 0;
};

}  // namespace symm::Impl

#endif
