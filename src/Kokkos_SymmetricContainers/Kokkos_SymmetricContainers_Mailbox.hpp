// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_MAILBOX_HPP
#define KOKKOS_SYMMETRICCONTAINERS_MAILBOX_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../runtime/symm_errors.hpp"
#include "../runtime/symm_job.hpp"
#include "../runtime/symm_teams.hpp"
#include "base/CollectiveClock.hpp"
#include "base/TeamMembers.hpp"
#include "mail/EachOfBlock.hpp"
#include "mail/MailBins.hpp"
#include "mail/MailSender.hpp"
#include "mail/MailThreads.hpp"
#include "mail/MailViews.hpp"
#include "mail/MailWaves.hpp"
#include "mail/MailboxBase.hpp"
#include "mail/MailboxOptions.hpp"

namespace symm {

/// Sends messages to PEs. A function from the program, the handler, handles the
/// messages on the receiving PE: on the host, one at a time. The mailbox
/// collects the messages for a PE in blocks. (These are active messages with
/// aggregation; compare bale's exstack and conveyors, YGM, and UPC++'s rpc.)
///
///     struct Update { int index; double value; };
///     symm::Mailbox<Update> updates("updates", [&](Update const& update) {
///       table(update.index) += update.value;
///     });
///     for (...) updates.send(pe, {index, value});
///     updates.finish();  // all updates from all PEs are in the tables
///
/// A handler runs on the thread that made the mailbox, within send(),
/// progress() and finish() of any mailbox made by that thread. A handler also
/// runs while that thread waits in other calls of the library: barriers,
/// collective calls, constructions of Views, waits for variables, locks,
/// exchanges on the host, and WorkQueue::finish(). If a PE is in none of these
/// calls for long, PEs that send to that PE wait. They also wait if that PE is
/// in Kokkos' fence(), even if its kernel waits for the senders. Handlers may
/// send messages, also through other mailboxes, but must not make collective
/// calls. Messages are handled in any order.
///
/// Collective calls over the world separate messages, and so do finish() of
/// containers and migrate() over the mailbox's PE team. If a PE sends a message
/// after such a call, the receiver handles the message only after the call has
/// returned on the receiver. No other calls over PE teams separate messages.
///
/// Only the thread that made the mailbox may call its functions. A call by
/// another thread throws UsageError on that PE (in send(), when a block is
/// full). Other threads use sender().
///
/// \tparam Message trivially copyable type, aligned to 16 bytes at most.
template <class Message>
class Mailbox : private Impl::MailboxBase {
  static_assert(std::is_trivially_copyable_v<Message>,
                "a message is copied as bytes: it must be trivially copyable");
  static_assert(alignof(Message) <= alignof(Impl::MailHeader),
                "a message may be aligned to 16 bytes at most");

 public:
  /// Messages that arrived together.
  using Block = std::span<Message const>;

  /// Makes a mailbox. The call is collective over the world, because it
  /// allocates symmetric memory.
  ///
  /// \param label name for error messages and for tools.
  /// \param handler called as `handler(message)` with a Message const&, or as
  ///        `handler(block)` with a Block. The handler may throw; the comment
  ///        of finish() says what happens then.
  /// \param team the PEs that send to each other; PE numbers are relative to
  ///        this PE team. Each PE passes its own PE team; different PE teams
  ///        make different mailboxes in the same call. A PE that takes no part
  ///        passes PeTeam(). The PE team must live as long as the mailbox.
  /// \throws UsageError on every PE if a block has no room for a message or the
  ///         options differ; OutOfMemory or SystemError on every PE.
  template <class Handler>
  requires std::invocable<Handler&, Message const&> ||
      std::invocable<Handler&, std::span<Message const>>
      Mailbox(std::string const& label, Handler handler,
              MailboxOptions const& options = {},
              PeTeam const& team            = team_world())
      : m_options(options),
        m_failure(Impl::failure_of([&] {
          m_name        = "symm::Mailbox \"" + label + "\"";
          m_finish_call = m_name + "::finish()";
          m_handler     = handler_of_blocks(std::move(handler));
          join();
        })),
        m_bins(m_name.c_str(), Impl::TeamMembers(team), options,
               {sizeof(Message), sizeof(Passed)}, m_failure),
        m_waves(m_name.c_str(), m_bins.members()) {
    open();
  }

  // The handler may know the address of the mailbox.
  Mailbox(Mailbox const&)            = delete;
  Mailbox& operator=(Mailbox const&) = delete;
  /// Destroys the mailbox. The call is local. Any thread may make the call, but
  /// not in a handler of this mailbox. Messages that finish() has not waited
  /// for may be lost.
  ~Mailbox() override { leave(); }

  /// Sends a message to PE `pe`, which may be this PE. The message leaves when
  /// a block is full, or in finish(). While the inbox of PE `pe` is full, the
  /// call waits and handles messages; in a handler, the call does not wait.
  ///
  /// \throws UsageError on this PE if PE `pe` does not exist; OutOfMemory in a
  ///         handler if too many messages are waiting (MailboxOptions).
  void send(Pe pe, Message const& message) {
    if (static_cast<unsigned>(pe) < m_n_direct &&
        append(static_cast<std::size_t>(pe), message))
      return;
    send_slowly(pe, message);
  }
  /// Sends messages that kernels have made: messages(k) to PE pes(k), for all k
  /// in this order, as send() does for one message. The call is local, and
  /// comes after earlier work on `exec`. The program may change the Views once
  /// the call returns.
  ///
  /// \param pes, messages rank-1 Views of equal length in any memory; pes has
  ///        integers. If the host does not reach a View, kernels on `exec` or
  ///        on the View's execution space copy half a MiB of the View at a
  ///        time.
  /// \throws UsageError on this PE if the lengths differ or a PE does not
  ///         exist; nothing has been sent then. OutOfMemory in the same cases
  ///         as send() of one message; the messages before that message have
  ///         been sent.
  template <Impl::ExecutionSpace Exec, class Pes, class Messages>
  void send(Exec const& exec, Pes const& pes, Messages const& messages) {
    static_assert(Kokkos::is_view_v<Pes> && Pes::rank() == 1 &&
                      std::is_integral_v<typename Pes::value_type>,
                  "PEs are a Kokkos::View of rank 1 of integers");
    static_assert(
        Kokkos::is_view_v<Messages> && Messages::rank() == 1 &&
            std::is_same_v<typename Messages::non_const_value_type, Message>,
        "messages are a Kokkos::View of rank 1 of this mailbox's messages");
    // (A handler may also call this function while this call waits.)
    auto pieces = std::exchange(m_pieces, {});
    Impl::for_each_message<!Impl::is_host_view_v<Pes>,
                           !Impl::is_host_view_v<Messages>>(
        m_name, exec, pes, messages, static_cast<std::uint64_t>(m_n_pes),
        pieces, [this](Pe pe, Message const& message) { send(pe, message); });
    m_pieces = std::move(pieces);
  }

  /// Makes an object that sends messages from other threads and from kernels on
  /// the host. Handlers run on the mailbox's thread.
  /// \throws OutOfMemory on this PE.
  [[nodiscard]] MailSender<Message> sender() {
    expect_own_thread(m_name, "sender");
    if (m_n_pes == 0) throw_no_pe(m_me);
    if (!m_threads)
      m_threads = std::make_unique<Impl::MailThreads>(m_name.c_str(), m_bins);
    return MailSender<Message>(*m_threads);
  }

  /// Handles messages that have arrived. A PE that computes for long between
  /// calls of send() may call progress() occasionally.
  /// \throws UsageError on this PE if another thread made the mailbox.
  void progress() {
    expect_own_thread(m_name, "progress");
    step();
  }

  /// Returns when two kinds of messages have been handled: all messages that
  /// any PE sent before it called finish(), and all messages that handlers have
  /// sent since. The call is collective over the mailbox's PEs, and a barrier:
  /// all these PEs see what PEs wrote before their calls, and what handlers of
  /// these messages wrote. The mailbox may be used again.
  ///
  /// \returns the number of messages that this PE has handled since the last
  ///          call of finish().
  /// \throws UsageError on every PE if PEs make other calls, such as finish()
  ///         of another mailbox; nothing has been done then. (UsageError on
  ///         this PE if it has no part in the mailbox.) If a handler threw on a
  ///         PE, or a MailSender did not send, finish() throws the reason on
  ///         every PE, as UsageError, OutOfMemory or SystemError. All other
  ///         messages have been handled then, except messages in the same block
  ///         if the handler takes blocks.
  std::uint64_t finish();

 private:
  template <class, class, class, class>
  friend class DistributedHashMap;
  using Passed = Impl::PassedMessage<Message>;

  template <class Handler>
  static std::function<void(Block)> handler_of_blocks(Handler handler) {
    // (std::function does not accept a move-only handler.)
    auto const its = std::make_shared<Handler>(std::move(handler));
    if constexpr (std::invocable<Handler&, Message const&>) {
      return [its](Block block) {
        auto& handle_one = *its;
        Impl::for_each_of_block(
            block, [&](Message const& message) { handle_one(message); });
      };
    } else {
      return [its](Block block) { (*its)(block); };
    }
  }

  [[noreturn]] void throw_no_pe(Pe pe) const {
    if (m_n_pes == 0) {
      throw UsageError(Impl::Text(m_name, "::send: PE ", symm::my_pe(),
                                  " is not in the PE team that has made it"));
    }
    throw UsageError(Impl::Text(m_name, "::send: there is no PE ", pe,
                                "; PEs are 0 to ", m_n_pes - 1));
  }
  // The functions put_in_block(), put() and append() return whether there was
  // room.
  bool put_in_block(Pe pe, Message const& message) {
    auto const link = m_bins.link_to(pe);
    return m_bins.is_last(link) ? append(link, message)
                                : append(link, Passed{message, pe});
  }
  bool put(Pe pe, Message const& message) {
    return put_in_block(pe, message) ||
           (m_bins.open(m_bins.link_to(pe)) && put_in_block(pe, message));
  }
  template <class T>
  bool append(std::size_t link, T const& message) {
    auto& bin = m_bins.bin(link);
    if (bin.next == bin.end) return false;
    std::memcpy(bin.next, &message, sizeof message);
    bin.next += sizeof message;
    return true;
  }
  // (The message is passed by value, so that send() need not have it in
  // memory.)
  void send_slowly(Pe pe, Message message);

  bool step_to_end();
  bool put_waiting() override;
  bool receive(bool one) override;
  [[nodiscard]] bool has_room_to_wait() const override {
    return m_waiting.size() * sizeof(Passed) <= m_options.waiting_bytes / 2;
  }
  bool receive_from(std::size_t inbox, bool one);
  bool pass_on(std::size_t inbox, std::byte const* messages, std::uint64_t n);
  void handle(Block block);
  void fail(Impl::Failure const& failure);
  [[nodiscard]] Impl::Text describe() const {
    return Impl::Text("\n  messages: this PE has sent ", m_bins.n_sent(),
                      " and received ", m_counts.n_received);
  }

  [[nodiscard]] std::uint64_t number() const { return m_bins.number(); }
  [[nodiscard]] Impl::TeamMembers const& members() const {
    return m_bins.members();
  }
  // The parts of finish().
  /// The reason why this PE cannot finish, if it cannot.
  /// \throws UsageError on this PE, in a handler.
  [[nodiscard]] std::optional<Impl::Failure> failure_of_end() const;
  /// Called when all PEs have begun finish().
  std::uint64_t end_phase();

  std::string m_name;
  std::string m_finish_call;
  std::function<void(Block)> m_handler;
  MailboxOptions m_options;
  std::optional<Impl::Failure> m_failure;  // the first failure
  Impl::MailBins m_bins;
  Impl::MailWaves m_waves;
  std::vector<Passed> m_waiting;
  Impl::MailCounts m_counts;
  std::uint64_t m_n_handled = 0;  // in this phase
  Impl::MailPieces m_pieces;
  std::unique_ptr<Impl::MailThreads> m_threads;  // if there is a sender
  // The number of PEs with a link of their own.
  unsigned m_n_direct =
      m_bins.is_direct() ? static_cast<unsigned>(m_bins.members().n()) : 0;
  Pe m_me     = m_bins.members().me();
  int m_n_pes = m_bins.members().n();
};

template <class Message>
void Mailbox<Message>::send_slowly(Pe pe, Message message) {
  if (pe < 0 || pe >= m_n_pes) throw_no_pe(pe);
  expect_own_thread(m_name, "send");
  if (put_in_block(pe, message)) return;
  if (!is_handling()) {
    step();  // many messages from others are still in the cache
    wait(
        m_name.c_str(), [&] { return put(pe, message); },
        [this] { return step(); }, [this] { return describe(); });
    return;
  }
  if (put(pe, message)) return;
  if ((m_waiting.size() + 1) * sizeof(Passed) > m_options.waiting_bytes) {
    throw OutOfMemory(Impl::Text(m_name, "::send: ", m_waiting.size(),
                                 " messages of handlers wait to be sent, in ",
                                 m_options.waiting_bytes,
                                 " bytes (MailboxOptions::waiting_bytes)"));
  }
  m_waiting.push_back({message, pe});
  begin_waiting();
}

template <class Message>
void Mailbox<Message>::handle(Block block) {
  auto const failure = run_handler([&] { m_handler(block); });
  m_n_handled += block.size();
  if (failure) {
    fail({failure->kind, Impl::Text("a handler failed: ", failure->message)});
  }
}

template <class Message>
void Mailbox<Message>::fail(Impl::Failure const& failure) {
  ++m_counts.n_failures;
  if (!m_failure) m_failure = failure;
}

template <class Message>
bool Mailbox<Message>::put_waiting() {
  bool has_moved = false;
  while (!m_waiting.empty() &&
         put(m_waiting.back().pe, m_waiting.back().message)) {
    m_waiting.pop_back();
    end_waiting();
    has_moved = true;
  }
  return (m_threads && m_threads->put(m_bins)) || has_moved;
}

template <class Message>
bool Mailbox<Message>::receive(bool one) {
  bool has_moved = false;
  for (std::size_t k = 0; k < m_bins.n_inboxes(); ++k) {
    has_moved = receive_from(k, one) || has_moved;
    if (has_moved && (one || must_rest())) break;
  }
  return has_moved;
}

// A block with a later time comes from a PE that has left a collective call,
// such as finish(), while this PE is still in that call. The block waits until
// this PE has left the call, too.
template <class Message>
bool Mailbox<Message>::receive_from(std::size_t inbox, bool one) {
  bool has_moved = false;
  while (auto const* block = m_bins.blocks().received(inbox)) {
    Impl::MailHeader header;
    std::memcpy(&header, block, sizeof header);
    if (header.time > m_bins.clock().now()) break;
    auto const* const messages = block + sizeof header;
    if (m_bins.is_last(inbox)) {
      handle({reinterpret_cast<Message const*>(messages), header.n_messages});
    } else {
      auto const n = m_bins.n_passed_on(inbox);
      if (!pass_on(inbox, messages, header.n_messages))
        return has_moved || m_bins.n_passed_on(inbox) != n;
    }
    m_counts.n_received += header.n_messages;
    m_bins.blocks().free(inbox);
    has_moved = true;
    if (one || must_rest()) break;
  }
  return has_moved;
}

// A message goes from its sender to a PE on the sender's node, from there to a
// PE on the receiver's node, and from there to its receiver. So no message
// waits for room that the message itself occupies.
template <class Message>
bool Mailbox<Message>::pass_on(std::size_t inbox, std::byte const* messages,
                               std::uint64_t n) {
  auto& k = m_bins.n_passed_on(inbox);
  for (; k < n; ++k) {
    auto const& passed = reinterpret_cast<Passed const*>(messages)[k];
    if (passed.pe == m_me) {
      handle({&passed.message, 1});
    } else if (!put(passed.pe, passed.message)) {
      return false;
    }
  }
  k = 0;
  return true;
}

template <class Message>
bool Mailbox<Message>::step_to_end() {
  if (m_threads && m_threads->close()) return true;
  if (step() || m_bins.flush()) return true;
  if (!m_waiting.empty()) return false;
  if (auto const failure = take_failure()) fail(*failure);
  if (m_threads) {
    if (!m_threads->is_empty()) return false;
    if (auto const failure = m_threads->take_failure()) fail(*failure);
  }
  m_counts.n_sent = m_bins.n_sent();
  return m_waves.advance(m_counts);
}

template <class Message>
std::uint64_t Mailbox<Message>::finish() {
  Impl::Observed const observed(
      [this] {
        return Impl::Operation{Impl::OperationKind::collective, m_name.c_str()};
      },
      Impl::check::Accesses::are_seen);  // of handlers
  members().agree({m_finish_call.c_str(), "symm::Mailbox::finish", number()},
                  failure_of_end());
  return end_phase();
}

template <class Message>
std::optional<Impl::Failure> Mailbox<Message>::failure_of_end() const {
  auto const failure =
      Impl::failure_of([this] { expect_own_thread(m_name, "finish"); });
  if (!failure && is_handling())
    throw UsageError(m_name + "::finish: called in a handler");
  return failure;
}

template <class Message>
std::uint64_t Mailbox<Message>::end_phase() {
  auto const n_failures = m_waves.n_failures();
  wait(
      m_name.c_str(), [this] { return m_waves.take_end(); },
      [this] { return step_to_end(); }, [this] { return describe(); });
  // Ends the call when end_phase() has returned or thrown.
  struct End {
    explicit End(Impl::TeamMembers const& its) : members(its) {}
    End(End const&)            = delete;
    End& operator=(End const&) = delete;
    ~End() { Impl::CollectiveClock::end_call(members); }
    Impl::TeamMembers const& members;
  };
  End const end(members());
  auto const n_handled = std::exchange(m_n_handled, 0);
  if (m_waves.n_failures() != n_failures) {
    members().throw_first_failure(m_name.c_str(),
                                  std::exchange(m_failure, std::nullopt));
  }
  return n_handled;
}

}  // namespace symm

#endif
