// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_MAILBOX_BASE_HPP
#define SYMM_MAIL_MAILBOX_BASE_HPP

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "HandledMail.hpp"

namespace symm::Impl {

class MailOfThread;

/// Connects a thread's mailboxes: while a PE is in a call to one of these
/// mailboxes, it handles the messages of all of them. Therefore, PEs in calls
/// to different mailboxes do not deadlock, and a handler may send through any
/// mailbox. Messages are also handled while the thread waits in other library
/// calls.
class MailboxBase : public HandledMail {
 protected:
  MailboxBase() = default;
  ~MailboxBase() override { leave(); }
  /// Adds this mailbox to the calling thread's mailboxes.
  /// \throws std::bad_alloc.
  void join();
  /// From this call on, the mailbox's messages may be handled.
  void open();
  /// After this call, none of the mailbox's messages are handled. Callable from
  /// any thread; waits for handlers that are running on the mailbox's thread.
  /// If this mailbox's handler makes the call, the program terminates.
  void leave() noexcept;
  /// Whether the calling thread created the mailbox.
  [[nodiscard]] bool is_of_this_thread() const;
  /// \throws UsageError on this PE if another thread created the mailbox.
  void expect_own_thread(std::string const& name, char const* call) const;

  /// Calls put_waiting() and receive() on all mailboxes of this thread. Does
  /// nothing when called from a handler. Precondition: is_of_this_thread().
  /// \returns whether any messages have moved.
  bool step();
  /// Whether this mailbox should rest, that is, handle no more blocks for now.
  /// It should rest if messages from its handler have had to wait in other
  /// mailboxes and messages are still waiting in other mailboxes. If no
  /// messages move for a while, a resting mailbox handles a block anyway.
  /// (Messages waiting in this mailbox do not count, because resting would not
  /// make room for them sooner.)
  [[nodiscard]] bool must_rest() const;

  /// Whether this thread is running a handler, which must not wait.
  [[nodiscard]] bool is_handling() const;
  /// Runs this mailbox's handler.
  /// \returns the failure if the handler throws; otherwise empty.
  std::optional<Failure> run_handler(std::function<void()> const& handler);
  /// begin_waiting() increments the number of handler-sent messages that are
  /// waiting in this mailbox, and end_waiting() decrements that number.
  void begin_waiting();
  void end_waiting();
  /// Returns and clears the first failure, if any, from handling messages while
  /// this thread waited in other library calls.
  std::optional<Failure> take_failure();

  /// Calls is_done() and step() alternately until is_done() returns true. When
  /// step() has nothing to do, waits, reports and aborts like HostWait.
  /// \param step     returns whether any messages have moved.
  /// \param describe returns text for the report.
  void wait(char const* call, FunctionRef<bool> is_done, FunctionRef<bool> step,
            FunctionRef<Text> describe);

 private:
  std::shared_ptr<MailOfThread> m_thread;
};

}  // namespace symm::Impl

#endif
