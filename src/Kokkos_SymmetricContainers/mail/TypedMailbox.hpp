// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_TYPED_MAILBOX_HPP
#define SYMM_MAIL_TYPED_MAILBOX_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../base/CollectiveClock.hpp"
#include "../base/TeamMembers.hpp"
#include "EachOfBlock.hpp"
#include "MailBins.hpp"
#include "MailBlocks.hpp"
#include "MailSender.hpp"
#include "MailThreads.hpp"
#include "MailViews.hpp"
#include "MailWaves.hpp"
#include "MailboxBase.hpp"
#include "MailboxOptions.hpp"

namespace symm::Impl {

/// A mailbox for messages of one type: puts them into blocks, handles or passes
/// on the messages in blocks that arrive, and detects the end of a phase. See
/// Mailbox for the contracts.
template <class Message>
class TypedMailbox : public MailboxBase {
  using Passed = PassedMessage<Message>;

 public:
  using Block = std::span<Message const>;

  /// Collective over the world.
  template <class Handler>
  TypedMailbox(std::string const& label, Handler handler,
               MailboxOptions const& options, PeTeam const& team)
      : m_options(options),
        m_failure(failure_of([&] {
          m_name        = "symm::Mailbox \"" + label + "\"";
          m_finish_call = m_name + "::finish()";
          m_handler     = handler_of_blocks(std::move(handler));
          join();
        })),
        m_bins(m_name.c_str(), TeamMembers(team), options,
               {sizeof(Message), sizeof(Passed)}, m_failure),
        m_waves(m_name.c_str(), m_bins.members()) {
    open();
  }
  TypedMailbox(TypedMailbox const&)            = delete;
  TypedMailbox& operator=(TypedMailbox const&) = delete;
  ~TypedMailbox() override { leave(); }

  void send(Pe pe, Message const& message) {
    if (static_cast<unsigned>(pe) < m_n_direct &&
        append(static_cast<std::size_t>(pe), message))
      return;
    send_slowly(pe, message);
  }
  /// Sends messages(k) to PE pes(k) for all k.
  template <class Exec, class Pes, class Messages>
  void send_all(Exec const& exec, Pes const& pes, Messages const& messages) {
    // (While this call waits, a handler may also call this function.)
    auto pieces = std::exchange(m_pieces, {});
    Impl::for_each_message<!is_host_view_v<Pes>, !is_host_view_v<Messages>>(
        m_name, exec, pes, messages, static_cast<std::uint64_t>(m_n_pes),
        pieces, [this](Pe pe, Message const& message) { send(pe, message); });
    m_pieces = std::move(pieces);
  }
  /// The object that collects messages from other threads; the first call
  /// creates it.
  MailThreads& threads() {
    expect_own_thread(m_name, "sender");
    if (m_n_pes == 0) throw_no_pe(m_me);
    if (!m_threads)
      m_threads = std::make_unique<MailThreads>(m_name.c_str(), m_bins);
    return *m_threads;
  }
  void progress() {
    expect_own_thread(m_name, "progress");
    step();
  }

  std::uint64_t finish();
  // Together, the following functions make up finish().
  /// The reason why this PE cannot finish; empty if it can.
  /// \throws UsageError on this PE if called from a handler.
  [[nodiscard]] std::optional<Failure> failure_of_end() const;
  /// Waits until all messages have been handled. Precondition: all PEs have
  /// begun finish().
  /// \returns the number of messages that this PE has handled in this phase.
  std::uint64_t end_phase();

  [[nodiscard]] std::uint64_t number() const { return m_bins.number(); }
  [[nodiscard]] TeamMembers const& members() const { return m_bins.members(); }

 private:
  template <class Handler>
  static std::function<void(Block)> handler_of_blocks(Handler handler) {
    // (std::function does not accept a move-only handler.)
    auto const shared_handler = std::make_shared<Handler>(std::move(handler));
    if constexpr (std::invocable<Handler&, Message const&>) {
      return [shared_handler](Block block) {
        auto& handle_one = *shared_handler;
        Impl::for_each_of_block(
            block, [&](Message const& message) { handle_one(message); });
      };
    } else {
      return [shared_handler](Block block) { (*shared_handler)(block); };
    }
  }

  [[noreturn]] void throw_no_pe(Pe pe) const {
    if (m_n_pes == 0) {
      throw UsageError(Text(m_name, "::send: PE ", symm::my_pe(),
                            " is not in the PE team that created it"));
    }
    Impl::throw_no_pe(pe, m_n_pes, Text(m_name, "::send"));
  }
  // put_in_block(), put() and append() return whether there was room.
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
  // (The message is passed by value so that send() can keep it in registers.)
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
  void fail(Failure const& failure);
  [[nodiscard]] Text describe() const {
    return Text("\n  messages: this PE has sent ", m_bins.n_sent(),
                " and received ", m_counts.n_received);
  }

  std::string m_name;
  std::string m_finish_call;
  std::function<void(Block)> m_handler;
  MailboxOptions m_options;
  std::optional<Failure> m_failure;  // the first failure on this PE
  MailBins m_bins;
  MailWaves m_waves;
  std::vector<Passed> m_waiting;
  MailCounts m_counts;
  std::uint64_t m_n_handled = 0;  // number of messages handled in this phase
  MailPieces m_pieces;
  std::unique_ptr<MailThreads> m_threads;  // null until threads() is called
  // The number of PEs to which this PE has a direct link; 0 if the mailbox does
  // not use direct links.
  unsigned m_n_direct =
      m_bins.is_direct() ? static_cast<unsigned>(m_bins.members().n()) : 0;
  Pe m_me     = m_bins.members().me();
  int m_n_pes = m_bins.members().n();
};

template <class Message>
void TypedMailbox<Message>::send_slowly(Pe pe, Message message) {
  if (pe < 0 || pe >= m_n_pes) throw_no_pe(pe);
  expect_own_thread(m_name, "send");
  if (put_in_block(pe, message)) return;
  if (!is_handling()) {
    step();  // handle messages now, while many are still in cache
    wait(
        m_name.c_str(), [&] { return put(pe, message); },
        [this] { return step(); }, [this] { return describe(); });
    return;
  }
  if (put(pe, message)) return;
  if ((m_waiting.size() + 1) * sizeof(Passed) > m_options.waiting_bytes) {
    throw OutOfMemory(Text(m_name, "::send: ", m_waiting.size(),
                           " messages of handlers wait to be sent, and there "
                           "is no room for another in ",
                           m_options.waiting_bytes,
                           " bytes; increase MailboxOptions::waiting_bytes"));
  }
  m_waiting.push_back({message, pe});
  begin_waiting();
}

template <class Message>
void TypedMailbox<Message>::handle(Block block) {
  auto const failure = run_handler([&] { m_handler(block); });
  m_n_handled += block.size();
  if (failure) {
    fail({failure->kind, Text("a handler failed: ", failure->message)});
  }
}

template <class Message>
void TypedMailbox<Message>::fail(Failure const& failure) {
  ++m_counts.n_failures;
  if (!m_failure) m_failure = failure;
}

template <class Message>
bool TypedMailbox<Message>::put_waiting() {
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
bool TypedMailbox<Message>::receive(bool one) {
  bool has_moved = false;
  for (std::size_t k = 0; k < m_bins.n_inboxes(); ++k) {
    has_moved = receive_from(k, one) || has_moved;
    if (has_moved && (one || must_rest())) break;
  }
  return has_moved;
}

// If a block carries a later time than this PE's clock shows, the sender has
// returned from a collective call, such as finish(), that this PE is still in.
// The block stays in the inbox until this PE has also returned from the call.
template <class Message>
bool TypedMailbox<Message>::receive_from(std::size_t inbox, bool one) {
  bool has_moved = false;
  while (auto const* block = m_bins.blocks().received(inbox)) {
    MailHeader header;
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

// A message travels from its sender to a PE on the sender's node, then to a PE
// on the receiver's node, and then to its receiver. Messages on one of these
// links wait only for room on the next link, so messages cannot wait for each
// other in a cycle.
template <class Message>
bool TypedMailbox<Message>::pass_on(std::size_t inbox,
                                    std::byte const* messages,
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
bool TypedMailbox<Message>::step_to_end() {
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
std::uint64_t TypedMailbox<Message>::finish() {
  Observed const observed(
      [this] {
        return Operation{OperationKind::collective, m_name.c_str()};
      },
      check::Accesses::are_seen);  // handlers' accesses
  members().agree({m_finish_call.c_str(), "symm::Mailbox::finish", number()},
                  failure_of_end());
  return end_phase();
}

template <class Message>
std::optional<Failure> TypedMailbox<Message>::failure_of_end() const {
  auto const failure =
      failure_of([this] { expect_own_thread(m_name, "finish"); });
  if (!failure && is_handling())
    throw UsageError(m_name + "::finish: must not be called in a handler");
  return failure;
}

template <class Message>
std::uint64_t TypedMailbox<Message>::end_phase() {
  auto const n_failures = m_waves.n_failures();
  wait(
      m_name.c_str(), [this] { return m_waves.take_end(); },
      [this] { return step_to_end(); }, [this] { return describe(); });
  // Marks the end of the call when end_phase() returns or throws.
  struct End {
    explicit End(TeamMembers const& team) : members(team) {}
    End(End const&)            = delete;
    End& operator=(End const&) = delete;
    ~End() { CollectiveClock::end_call(members); }
    TeamMembers const& members;
  };
  End const end(members());
  auto const n_handled = std::exchange(m_n_handled, 0);
  if (m_waves.n_failures() != n_failures) {
    members().throw_first_failure(m_name.c_str(),
                                  std::exchange(m_failure, std::nullopt));
  }
  return n_handled;
}

}  // namespace symm::Impl

#endif
