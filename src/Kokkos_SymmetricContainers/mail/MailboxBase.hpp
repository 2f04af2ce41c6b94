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

/// Connects the mailboxes of a thread: a PE that is in a call of one mailbox
/// handles messages of all of them. So PEs in calls of different mailboxes do
/// not wait for each other, and a handler may send to any mailbox. Messages are
/// also handled while the thread waits in other calls of the library.
class MailboxBase : public HandledMail {
 protected:
  MailboxBase() = default;
  ~MailboxBase() override { leave(); }
  /// Adds the mailbox to those of the calling thread. \throws std::bad_alloc.
  void join();
  /// From this call on, messages of the mailbox may be handled.
  void open();
  /// After this call, no messages of the mailbox are handled. Callable from any
  /// thread; waits for handlers that run on the mailbox's thread. If a handler
  /// of this mailbox calls it, the program ends.
  void leave() noexcept;
  /// Whether the calling thread has made the mailbox.
  [[nodiscard]] bool is_of_this_thread() const;
  /// \throws UsageError on this PE if another thread has made the mailbox.
  void expect_own_thread(std::string const& name, char const* call) const;

  /// Calls put_waiting() and receive() of all mailboxes of this thread. Does
  /// nothing in a handler.
  /// Precondition: is_of_this_thread().
  bool step();
  /// Whether this mailbox should receive no more blocks: its handlers have sent
  /// messages that had to wait to other mailboxes, and messages of those are
  /// still waiting. If nothing else moves for a while, it receives blocks all
  /// the same. (Waiting messages for this mailbox do not count: resting would
  /// not let them leave sooner.)
  [[nodiscard]] bool must_rest() const;

  /// Whether this thread is running a handler, which must not wait.
  [[nodiscard]] bool is_handling() const;
  /// Runs a handler of this mailbox.
  /// \returns the failure, if the handler throws.
  std::optional<Failure> run_handler(std::function<void()> const& handler);
  /// Count the messages of handlers that wait for room: one more, one less.
  void begin_waiting();
  void end_waiting();
  /// The failure to handle messages, if there was one, while this thread waited
  /// in other calls of the library.
  std::optional<Failure> take_failure();

  /// Calls is_done() and step() in turn until is_done() returns true. When
  /// step() has nothing to do, waits, reports and aborts as HostWait does.
  /// \param step     returns whether anything has moved.
  /// \param describe returns text for the report.
  void wait(char const* call, FunctionRef<bool> is_done, FunctionRef<bool> step,
            FunctionRef<Text> describe);

 private:
  std::shared_ptr<MailOfThread> m_thread;
};

}  // namespace symm::Impl

#endif
