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

/// What all mailboxes of a thread do together: whichever of them a PE is in, it
/// handles messages of all. So PEs that are in different ones do not wait for
/// each other, and a handler may send to any of them. The same happens while
/// the thread waits in other calls of the library.
class MailboxBase : public HandledMail {
 protected:
  MailboxBase() = default;
  ~MailboxBase() override { leave(); }
  /// Makes it one of this thread's mailboxes. \throws std::bad_alloc.
  void join();
  /// From now on it can handle messages.
  void open();
  /// It cannot any more. Any thread; waits for handlers of the mailbox's
  /// thread. Not by a handler of this mailbox: that ends the program.
  void leave() noexcept;
  /// Whether the calling thread has made it.
  [[nodiscard]] bool is_of_this_thread() const;
  /// \throws UsageError on this PE, if it is of another thread.
  void expect_own_thread(std::string const& name, char const* call) const;

  /// put_waiting() and receive() of all mailboxes of this thread. Nothing in a
  /// handler.
  /// Precondition: is_of_this_thread().
  bool step();
  /// Whether handlers of this mailbox have made messages of another one wait,
  /// and some wait: it gets no more blocks, unless nothing else moves for a
  /// while. (Those of its own would not leave sooner.)
  [[nodiscard]] bool must_rest() const;

  /// Whether a handler of this thread runs: it must not wait.
  [[nodiscard]] bool is_handling() const;
  /// Runs a handler of this mailbox. \returns why it failed, if it did.
  std::optional<Failure> run_handler(std::function<void()> const& handler);
  /// Counts a message that a handler makes wait, and one that has left.
  void begin_waiting();
  void end_waiting();
  /// Why messages could not be handled while this thread waited in another call
  /// of the library.
  std::optional<Failure> take_failure();

  /// Calls is_done() and step() by turns until is_done() is true. Waits,
  /// reports and ends the job as HostWait does, when step() has nothing to do.
  /// \param step        returns whether something has moved.
  /// \param describe for the report.
  void wait(char const* call, FunctionRef<bool> is_done, FunctionRef<bool> step,
            FunctionRef<Text> describe);

 private:
  std::shared_ptr<MailOfThread> m_thread;
};

}  // namespace symm::Impl

#endif
