// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TRANSPORT_MESSAGES_HPP
#define SYMM_TRANSPORT_TRANSPORT_MESSAGES_HPP

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "../base/Backoff.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../engines/MessageEngine.hpp"
#include "ArrivalOrder.hpp"
#include "Channel_Messages.hpp"
#include "LostPe.hpp"
#include "Message.hpp"
#include "OpenChunks.hpp"
#include "Transport.hpp"
#include "TransportTarget.hpp"

namespace symm::Impl {

/// A Transport over any MessageEngine. See Channel_Messages for the protocol. A
/// target accesses GPU memory through its GpuAccessQueue and waits until the
/// queue has completed before it marks a message as done.
class Transport_Messages final : public Transport,
                                 private MessageEngine::Receiver {
 public:
  using EndJob = std::function<void()>;

  struct Options {
    /// A background thread sends each batch after at most twice this interval.
    /// 0: there is no such thread, and batches are sent only from within calls.
    std::chrono::microseconds flush_interval{250};
    /// A sender requests an acknowledgment each time it has sent this many
    /// bytes to a PE. So at most twice this many bytes are in flight to that
    /// PE.
    std::size_t half_window = std::size_t{2} << 20U;
    /// The maximum number of batches that a channel can have open at once. Each
    /// batch takes up 16 KiB.
    std::size_t max_batches = 1024;
  };

  /// \param end_job Ends the job and does not return; the reason has already
  ///        been printed.
  /// \throws SystemError if the thread cannot be started.
  Transport_Messages(Pe my_pe, int n_pes, std::unique_ptr<MessageEngine> engine,
                     TransportTarget& target, EndJob end_job, Options options);
  ~Transport_Messages() override;

  Transport_Messages(Transport_Messages const&)            = delete;
  Transport_Messages& operator=(Transport_Messages const&) = delete;

  [[nodiscard]] Channel* open_channel() override;
  void close_channel(Channel& channel) noexcept override;
  void send(Pe to, std::uint64_t number, std::span<std::byte const> message,
            char const* call = nullptr) override;
  std::vector<std::byte> receive(Pe from, std::uint64_t number) override;
  std::optional<std::vector<std::byte>> receive_within(
      Pe from, std::uint64_t number, std::chrono::milliseconds most,
      char const* call = nullptr) override;
  void watch(Pe pe) override { m_engine->watch(pe); }
  void unwatch(Pe pe) override { m_engine->unwatch(pe); }
  bool poll(char const* call = nullptr) override;
  void close() override;

  std::optional<PeProgress> progress_of(Pe pe, std::chrono::milliseconds most,
                                        char const* call) override;
  void watch_all() override { m_engine->watch_all(); }
  void unwatch_all() override { m_engine->unwatch_all(); }
  void forget_chunk(std::size_t offset) noexcept override;
  [[noreturn]] void end_job(LostPe const& lost) noexcept override;

 private:
  friend Channel_Messages;

  void quiet_channels(char const* call) override;

  using Counter = Channel::Counter;

  /// After waiting this long for a PE, this PE uses heartbeats to check that
  /// the other PE is alive.
  static constexpr auto watch_time = std::chrono::milliseconds(2);

  struct Peer;
  struct Incoming;

  struct Held {
    MessageHeader header;
    std::vector<std::byte> payload;
  };
  struct Note {
    std::uint64_t number;
    std::vector<std::byte> message;
  };

  Peer& peer_of(Pe pe);
  /// Calls work(channel) for each channel that has ever been opened.
  template <class Work>
  void for_each_channel(Work const& work);

  /// Sends a message. May drop the message if any PE is lost; the next thread
  /// that waits for a PE then ends the job.
  /// \param unsent If not null, the payload must stay unchanged until the
  ///        transport calls unsent->finish(). If null, the caller may reuse the
  ///        payload as soon as send_message() returns.
  void send_message(Pe to, MessageHeader const& header,
                    std::span<std::byte const> payload = {},
                    PendingOperation* unsent           = nullptr) noexcept;
  /// Ends the job with the error message `failed`. If a PE is lost, returns
  /// instead, because the loss may have caused the failure.
  void end_job_unless_lost(Text const& failed) noexcept;
  void flush_in_time();
  /// Must be called after a batch has been opened.
  void wake_thread();
  void stop_thread();

  /// Removes and returns the note with this number if it has arrived.
  /// \param n_seen The number of notes that had arrived from `peer` at the
  ///        previous call for this number. The call updates it. Pass SIZE_MAX
  ///        to the first call.
  std::optional<std::vector<std::byte>> take_note(Peer& peer,
                                                  std::uint64_t number,
                                                  std::size_t& n_seen);
  // The parameters `call`, `what` and `pe` are used in the error message if a
  // PE is lost. `call` is the call's name, or null. `what` describes the
  // operation if the call has no name. `pe` is the PE that the call waits for.
  template <class IsDone>
  void wait(char const* call, char const* what, Pe pe, IsDone const& is_done);
  /// Like poll(), but does not send batches.
  bool progress(char const* call, char const* what, Pe pe);
  /// Whether this PE has noticed, or another PE has reported, that a PE is
  /// lost.
  [[nodiscard]] bool has_lost() noexcept;
  /// A PE's name for error messages, such as "PE 3 (host b)".
  [[nodiscard]] Text name_of(Pe pe) const noexcept;
  [[noreturn]] void end_job_of_lost(char const* call, char const* what,
                                    Pe pe) noexcept;
  /// Ends the job because of a failure on this PE.
  [[noreturn]] void end_job_of_failure(Text const& why) noexcept;

  // Transport_Messages_OneSided.cpp: moves blocks without messages.

  /// A block's location for the engine, and the number of the block's bytes
  /// that a single engine operation can move. place_of_block() returns nullopt
  /// if the engine cannot reach the block. The first call for each chunk on a
  /// PE requests the chunk's key from that PE and waits for the answer.
  struct BlockPlace {
    OneSided::Place place;
    std::size_t bytes;
  };
  std::optional<BlockPlace> place_of_block(PeMemory at, std::size_t bytes,
                                           char const* call);
  [[nodiscard]] bool are_moves_immediate() const {
    return m_engine->one_sided()->is_immediate();
  }
  /// Starts moving a block. Ends the job if the engine reports an error.
  void begin_move(BlockMove const& move, PendingOperation* pending);
  /// Moves a block and waits until the move is complete.
  void move_block(BlockMove const& move);
  void answer_key_request(Pe from, MessageHeader const& header);
  void take_key(Peer& peer, MessageHeader const& header,
                std::span<std::byte const> payload);

  // Transport_Messages_Arrivals.cpp: handles arriving messages. None of these
  // functions waits.

  void receive(Pe from, std::span<std::byte const> header,
               std::span<std::byte const> payload) noexcept override;
  void* place_for(Pe from, std::span<std::byte const> header,
                  std::size_t bytes) noexcept override;
  void received(Pe from, std::span<std::byte const> header, void* place,
                std::size_t bytes) noexcept override;
  void sent(std::size_t token) noexcept override;
  void lost(Pe pe, Text const& why) noexcept override;
  void note_lost(LostPe const& lost) noexcept;

  void take(Peer& peer, MessageHeader const& header,
            std::span<std::byte const> payload);
  void take_ack(Pe from, MessageHeader const& header);
  Incoming& incoming_of(Peer& peer, std::uint16_t channel);
  /// The channel that `header` names. Ends the job if there is no such channel.
  Channel_Messages& channel_of(Pe from, MessageHeader const& header) noexcept;
  /// The operation that awaits this reply from `from`. Ends the job if there is
  /// none.
  PendingTable::Asked& asked_of(Pe from, MessageHeader const& header) noexcept;
  void take_reply(Pe from, MessageHeader const& header,
                  std::span<std::byte const> payload);
  void answer_where(Peer& peer);
  void take_progress(Peer& peer, std::span<std::byte const> payload);
  void take_farewell(Pe from, MessageHeader const& header,
                     std::span<std::byte const> payload);
  /// Records that the message has been processed and whether its sender wants
  /// an ack. Does not send an ack.
  static void set_done(Incoming& from, MessageHeader const& header);
  void carry_out_held(Incoming& from);
  void send_wanted_ack(Incoming& from);

  // Transport_Messages_Target.cpp: executes operations on this PE's memory.
  // None of these functions waits.

  void answer_get(Incoming& from, MessageHeader const& header);
  void answer_get_strided(Incoming& from, MessageHeader const& header);
  void carry_out(Incoming& from, MessageHeader const& header,
                 std::span<std::byte const> payload);
  void put(Incoming const& from, MessageHeader const& header,
           std::span<std::byte const> payload);
  void put_strided(Incoming const& from, MessageHeader const& header,
                   std::span<std::byte const> payload);
  void put_signal(Incoming& from, MessageHeader const& header);
  void answer_atomic(Incoming& from, MessageHeader const& header);
  /// Sends the reply to a numbered message that has been processed. The reply
  /// contains an ack.
  void answer_numbered(Incoming& from, MessageHeader const& header,
                       MessageHeader& reply,
                       std::span<std::byte const> payload = {});
  /// Stores the answers in m_answer_bytes.
  void carry_out_batch(Incoming const& from, MessageHeader const& header,
                       std::span<std::byte const> payload);
  void carry_out_node_updates(Incoming const& from, MessageHeader const& header,
                              std::span<std::byte const> payload);
  /// \param payload The rest of the batch after the run's head.
  /// \returns the run's size in `payload`, in bytes.
  std::size_t carry_out_run(Incoming const& from, BatchEntry head,
                            std::span<std::byte const> payload,
                            KnownMemory& known);
  /// Adds the entry's operation to the GPU's queue and returns the queue. The
  /// caller must call finish() on the queue.
  GpuAccessQueue& put_on_gpu(Incoming const& from, BatchEntry entry,
                             std::span<std::byte const> data);
  /// Ends the job if there is no such memory.
  /// \param known If not null, the memory to search first. If it does not
  ///        contain the bytes, `*known` is set to the memory around them.
  char* find(Pe from, std::string_view operation, Segment segment,
             std::uint64_t offset, std::uint64_t bytes,
             KnownMemory* known = nullptr);
  /// An address in GPU memory and the queue that reaches it.
  struct OnGpu {
    GpuAccessQueue& queue;
    char* place;
  };
  OnGpu find_on_gpu(Pe from, std::string_view operation, Segment segment,
                    std::uint64_t offset, std::uint64_t bytes);
  char* find_word(Pe from, Segment segment, std::uint64_t offset, AtomicOp op,
                  WordType type, KnownMemory* known = nullptr);
  char* find_entry(Pe from, BatchEntry entry, KnownMemory& known);
  char* find_strided(Pe from, std::string_view operation,
                     MessageHeader const& header);
  [[noreturn]] void end_job_of_nonsense(Pe from) noexcept;

  Pe const m_my_pe;
  TransportTarget& m_target;
  EndJob m_end_job;
  Options const m_options;
  std::vector<std::atomic<Peer*>> m_peers;  // null: no contact yet
  // The result of OneSided::least_bytes(); SIZE_MAX if the engine has no
  // one-sided operations.
  std::size_t m_least_one_sided = SIZE_MAX;

  // Channels live as long as the transport. When a closed channel is reused,
  // message numbers continue from the last one.
  static constexpr std::size_t max_channels = 256;
  Channel_Messages m_default;
  std::mutex m_channels_mutex;
  std::vector<Channel_Messages*> m_closed_channels;
  std::array<std::atomic<Channel_Messages*>, max_channels> m_channels{};
  std::atomic<std::size_t> m_n_channels = 1;

  std::mutex m_thread_mutex;
  std::thread m_thread;
  std::condition_variable m_wake;
  std::atomic<std::uint64_t> m_tick = 0;
  std::atomic<bool> m_thread_sleeps = false;
  bool m_thread_is_done             = false;

  std::mutex m_notes_mutex;  // no other mutex is locked while this one is held

  std::mutex m_lost_mutex;  // likewise
  std::atomic<bool> m_is_lost = false;
  LostPe m_lost;
  std::atomic<std::thread::id> m_is_ending{};  // the thread that ends the job
  std::atomic<bool> m_is_closed = false;

  // Used only by the Receiver: buffers for payloads and a buffer for the
  // answers to a batch.
  std::vector<void*> m_receive_buffers;
  std::vector<std::byte> m_answer_bytes;

  // The number of get replies in flight whose payloads the engine reads
  // directly from this PE's memory.
  Counter m_n_answers = 0;
  PendingOperation m_answers{.left = &m_n_answers};

  std::unique_ptr<MessageEngine> m_engine;  // declared last so that it is
                                            // destroyed first
};

/// The messages that arrive on one channel from another PE. Used only by the
/// Receiver, except that any thread may call arrivals.done_up_to().
struct Transport_Messages::Incoming {
  Pe const pe;
  std::uint16_t const channel;
  ArrivalOrder<Held> arrivals{};
  std::uint64_t ack_wanted = 0;
  std::uint64_t ack_sent   = 0;
};

/// This PE's communication state for one other PE.
struct Transport_Messages::Peer {
  explicit Peer(Pe number) : pe(number), incoming{number, 0} {}

  Pe const pe;

  Incoming incoming;  // for channel 0
  std::vector<std::unique_ptr<Incoming>> incoming_of_others;

  OpenChunks chunks;

  // Guarded by m_notes_mutex.

  std::vector<Note> notes;
  std::atomic<std::size_t> n_notes = 0;  // received so far
  PeProgress progress;                   // that PE's latest report
  std::atomic<std::size_t> n_progress_reports = 0;
};

template <class IsDone>
void Transport_Messages::wait(char const* call, char const* what, Pe pe,
                              IsDone const& is_done) {
  // Yielding the core takes as long as one or two polls, and a message may
  // arrive meanwhile. So the loop yields less often if every PE has its own
  // core.
  unsigned const polls_per_pause = spins() == 0 ? 1 : 8;
  unsigned n_polls               = 0;
  Backoff backoff(spins() / 8);
  bool is_watched = false;
  while (!is_done()) {
    bool const has_moved = m_engine->poll();
    if (is_done()) break;
    if (m_is_lost) end_job_of_lost(call, what, pe);
    if (!has_moved && ++n_polls % polls_per_pause != 0) continue;
    if (backoff.pause(has_moved) < watch_time) continue;
    if (has_lost()) end_job_of_lost(call, what, pe);
    if (is_watched) continue;
    m_engine->watch(pe);
    is_watched = true;
  }
  if (is_watched) m_engine->unwatch(pe);
}

template <class IsDone>
void Channel_Messages::wait_until(char const* call, char const* what, Pe pe,
                                  IsDone const& is_done) {
  m_transport.wait(call, what, pe, is_done);
}

}  // namespace symm::Impl

#endif
