// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_MAILBOX_HPP
#define KOKKOS_SYMMETRICCONTAINERS_MAILBOX_HPP

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../runtime/symm_errors.hpp"
#include "../runtime/symm_job.hpp"
#include "../runtime/symm_teams.hpp"
#include "mail/MailBlocks.hpp"
#include "mail/MailSender.hpp"
#include "mail/MailboxOptions.hpp"
#include "mail/TypedMailbox.hpp"

namespace symm {

/// Sends messages to PEs. The program supplies a function, the handler, which
/// handles the messages on the receiving PE: on the host, one at a time. The
/// mailbox collects the messages for each PE into blocks. (These are active
/// messages with aggregation; compare bale's exstack and conveyors, YGM, and
/// UPC++'s rpc.)
///
///     struct Update { int index; double value; };
///     symm::Mailbox<Update> updates("updates", [&](Update const& update) {
///       table(update.index) += update.value;
///     });
///     for (...) updates.send(pe, {index, value});
///     updates.finish();  // all updates from all PEs are in the tables
///
/// A handler runs on the thread that created the mailbox, during calls to
/// send(), progress() and finish() on any mailbox that this thread created. A
/// handler also runs while that thread waits in other library calls: barriers,
/// collective calls, View constructors, waits on variables, locks, host
/// exchanges, and WorkQueue::finish(). If a PE makes none of these calls for a
/// long time, PEs that send to it have to wait. These PEs also wait while that
/// PE is in a Kokkos fence(), even if a kernel on that PE is waiting for them.
/// Handlers may send messages, even through other mailboxes, but must not make
/// collective calls. Messages are handled in no particular order.
///
/// Messages do not overtake collective calls over the world: if a PE sends a
/// message after such a call, the receiver handles the message only after the
/// call has also returned on the receiver. The same is true of a container's
/// finish() and of migrate() over the mailbox's PE team, but of no other calls
/// over PE teams.
///
/// Only the thread that created the mailbox may call its functions. A call from
/// another thread throws UsageError on that PE (in send(), only once a block is
/// full). Other threads can send through the MailSender that sender() returns.
///
/// \tparam Message a trivially copyable type with an alignment of at most 16
///         bytes.
template <class Message>
class Mailbox : private Impl::TypedMailbox<Message> {
  using Base = Impl::TypedMailbox<Message>;
  static_assert(
      std::is_trivially_copyable_v<Message>,
      "messages must be trivially copyable, because they are sent as bytes");
  static_assert(alignof(Message) <= alignof(Impl::MailHeader),
                "the alignment of messages must be at most 16 bytes");

 public:
  /// Messages that arrived together.
  using Block = std::span<Message const>;

  /// Creates a mailbox. The call is collective over the world because it
  /// allocates symmetric memory.
  ///
  /// \param label a name for error messages and tools.
  /// \param handler called as `handler(message)` with a Message const&, or as
  ///        `handler(block)` with a Block. The handler may throw; see finish().
  /// \param team the PEs that send to each other; PE numbers are relative to
  ///        this PE team. Each PE passes its own PE team; different PE teams
  ///        create separate mailboxes in the same call. A PE that does not take
  ///        part passes PeTeam(). The PE team must outlive the mailbox.
  /// \throws UsageError on every PE if a block is too small for a message or if
  ///         the options differ between PEs; OutOfMemory or SystemError on
  ///         every PE.
  template <class Handler>
  requires std::invocable<Handler&, Message const&> ||
      std::invocable<Handler&, std::span<Message const>>
      Mailbox(std::string const& label, Handler handler,
              MailboxOptions const& options = {},
              PeTeam const& team            = team_world())
      : Base(label, std::move(handler), options, team) {}

  // Not movable: the handler may hold the mailbox's address.
  Mailbox(Mailbox const&)            = delete;
  Mailbox& operator=(Mailbox const&) = delete;
  /// Destroys the mailbox. The call is local. Any thread may destroy the
  /// mailbox, but the mailbox's own handler must not. Messages that finish()
  /// has not waited for may be lost.
  ~Mailbox() override = default;

  /// Sends a message to PE `pe`, which may be this PE. The message is sent when
  /// its block is full, or in finish(). While PE `pe`'s inbox is full, the call
  /// waits and handles messages. A call from a handler does not wait.
  ///
  /// \throws UsageError on this PE if PE `pe` does not exist; OutOfMemory, in a
  ///         handler, if too many handler-sent messages are waiting
  ///         (MailboxOptions::waiting_bytes).
  void send(Pe pe, Message const& message) { Base::send(pe, message); }
  /// Sends messages that kernels have produced: sends messages(k) to PE pes(k)
  /// for k = 0, 1, ..., as send() does for one message. The call is local and
  /// runs after earlier work on `exec`. The program may change the Views once
  /// the call returns.
  ///
  /// \param pes, messages rank-1 Views of equal length in any memory; `pes`
  ///        holds integers. If the host cannot access a View, kernels on `exec`
  ///        or in the View's execution space copy it to host memory, half a MiB
  ///        at a time.
  /// \throws UsageError on this PE if the lengths differ or a PE does not
  ///         exist; in these cases, nothing has been sent. OutOfMemory in the
  ///         same cases as send() for one message; all messages before the one
  ///         that failed have been sent.
  template <Impl::ExecutionSpace Exec, class Pes, class Messages>
  void send(Exec const& exec, Pes const& pes, Messages const& messages) {
    static_assert(Kokkos::is_view_v<Pes> && Pes::rank() == 1 &&
                      std::is_integral_v<typename Pes::value_type>,
                  "symm::Mailbox::send: the PEs must be a Kokkos::View of rank "
                  "1 of integers");
    static_assert(
        Kokkos::is_view_v<Messages> && Messages::rank() == 1 &&
            std::is_same_v<typename Messages::non_const_value_type, Message>,
        "symm::Mailbox::send: the messages must be a Kokkos::View of rank 1 of "
        "this mailbox's message type");
    Base::send_all(exec, pes, messages);
  }

  /// Returns an object that sends messages from other threads and from kernels
  /// on the host. Handlers still run on the thread that created the mailbox.
  /// \throws OutOfMemory on this PE.
  [[nodiscard]] MailSender<Message> sender() {
    return MailSender<Message>(Base::threads());
  }

  /// Handles messages that have arrived. A PE that computes for a long time
  /// between calls to send() can call progress() from time to time.
  /// \throws UsageError on this PE if another thread created the mailbox.
  void progress() { Base::progress(); }

  /// Waits until all messages have been handled: the messages that PEs sent
  /// before they called finish(), and the messages that handlers have sent
  /// since then. The call is collective over the mailbox's PEs and is a
  /// barrier. On return, all these PEs see what any of them wrote before its
  /// call and what the handlers wrote. The mailbox can be used again afterward.
  ///
  /// \returns the number of messages that this PE has handled since the
  ///          previous finish().
  /// \throws UsageError on every PE if PEs make different calls, such as
  ///         finish() on different mailboxes; in that case, the call has no
  ///         effect. UsageError on this PE if it is not one of the mailbox's
  ///         PEs. If a handler threw on any PE, or a MailSender failed to send,
  ///         finish() throws the reason on every PE, as UsageError, OutOfMemory
  ///         or SystemError. In that case, all other messages have been
  ///         handled. (If the handler takes blocks, other messages in the same
  ///         block may not have been handled.)
  std::uint64_t finish() { return Base::finish(); }

 private:
  template <class, class, class, class>
  friend class DistributedHashMap;
  // DistributedHashMap calls these parts of finish() separately.
  using Base::end_phase;
  using Base::failure_of_end;
  using Base::members;
  using Base::number;
};

}  // namespace symm

#endif
