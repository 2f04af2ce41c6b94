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

/// A Transport over any MessageEngine (Channel_Messages says how). The target
/// reaches memory of its GPU through its SideQueue, before the message counts
/// as carried out.
class Transport_Messages final : public Transport,
                                 private MessageEngine::Receiver {
 public:
  using EndJob = std::function<void()>;

  struct Options {
    /// A batch is sent after twice this at the latest. 0: there is no thread
    /// for it, batches wait for calls.
    std::chrono::microseconds flush_interval{250};
    /// In bytes: an acknowledgement is asked for so often, and at most twice
    /// this is in flight to a PE without one.
    std::size_t half_window = std::size_t{2} << 20U;
    /// Of a channel at once, 16 KiB each.
    std::size_t max_batches = 1024;
  };

  /// \param end_job Ends the job and does not return; the reason has been
  ///        printed.
  /// \throws SystemError if there can be no thread.
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

  /// During waits longer than this, heartbeats watch the PE.
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
  /// Calls work(channel) for each that has ever been open.
  template <class Work>
  void for_each_channel(Work const& work);

  /// If a PE is lost, it may send nothing: whoever waits ends the job.
  /// \param unsent the payload is read until this has been counted down; null:
  ///        it may be written again when this returns.
  void send_message(Pe to, MessageHeader const& header,
                    std::span<std::byte const> payload = {},
                    PendingOperation* unsent           = nullptr) noexcept;
  /// Notes a failure that a lost PE may have caused: ends the job with
  /// `failed`, unless a PE is lost.
  void end_job_unless_lost(Text const& failed) noexcept;
  void flush_in_time();
  /// For a batch that has been opened.
  void wake_thread();
  void stop_thread();

  /// Takes the note with this number, if it has come. `n_seen`: the number of
  /// notes at the last look, at first SIZE_MAX.
  std::optional<std::vector<std::byte>> take_note(Peer& peer,
                                                  std::uint64_t number,
                                                  std::size_t& n_seen);
  // `call`, `what`, `pe`: for the message, if a PE is lost: the name of the
  // call, or null; else what it is; the PE that it needs.
  template <class IsDone>
  void wait(char const* call, char const* what, Pe pe, IsDone const& is_done);
  /// poll() without the batches of all channels.
  bool progress(char const* call, char const* what, Pe pe);
  /// Whether a PE is lost, as this PE has found or another has told it.
  [[nodiscard]] bool has_lost() noexcept;
  /// "PE 3 (host b)".
  [[nodiscard]] Text name_of(Pe pe) const noexcept;
  [[noreturn]] void end_job_of_lost(char const* call, char const* what,
                                    Pe pe) noexcept;
  /// Ends the job for a failure on this PE.
  [[noreturn]] void end_job_of_failure(Text const& why) noexcept;

  // Transport_Messages_OneSided.cpp: blocks without messages.

  /// The place of the block at `at` for the engine, and the bytes that it moves
  /// at once without messages. The first call for a chunk of a PE asks that for
  /// its key, and waits.
  /// \returns nothing: it is not reached.
  struct Reach {
    OneSided::Place place;
    std::size_t bytes;
  };
  std::optional<Reach> reach_of(PeMemory at, std::size_t bytes,
                                char const* call);
  [[nodiscard]] bool are_moves_immediate() const {
    return m_engine->one_sided()->is_immediate();
  }
  /// Ends the job, if the engine cannot.
  void begin_move(BlockMove const& move, PendingOperation* pending);
  /// Waits until it is done.
  void move_block(BlockMove const& move);
  void answer_key_request(Pe from, MessageHeader const& header);
  void take_key(Peer& peer, MessageHeader const& header,
                std::span<std::byte const> payload);

  // Transport_Messages_Arrivals.cpp: what arrives. Nothing in there waits.

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
  /// Ends the job if there is no such channel.
  Channel_Messages& channel_of(Pe from, MessageHeader const& header) noexcept;
  /// What the reply of `from` is for. Ends the job if it is for nothing.
  PendingTable::Asked& asked_of(Pe from, MessageHeader const& header) noexcept;
  void take_reply(Pe from, MessageHeader const& header,
                  std::span<std::byte const> payload);
  void answer_where(Peer& peer);
  void take_progress(Peer& peer, std::span<std::byte const> payload);
  void take_farewell(Pe from, MessageHeader const& header,
                     std::span<std::byte const> payload);
  /// Notes that the message is carried out and may want an ack, but sends none.
  static void set_done(Incoming& from, MessageHeader const& header);
  void carry_out_held(Incoming& from);
  void send_wanted_ack(Incoming& from);

  // Transport_Messages_Target.cpp: operations on this PE's memory, likewise.

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
  /// Sends the reply to a numbered message that is carried out, with an ack.
  void answer_numbered(Incoming& from, MessageHeader const& header,
                       MessageHeader& reply,
                       std::span<std::byte const> payload = {});
  /// Leaves what is answered in m_answer_bytes.
  void carry_out_batch(Incoming const& from, MessageHeader const& header,
                       std::span<std::byte const> payload);
  void carry_out_node_updates(Incoming const& from, MessageHeader const& header,
                              std::span<std::byte const> payload);
  /// \param payload behind the head of the run. \returns bytes of it.
  std::size_t carry_out_run(Incoming const& from, BatchEntry head,
                            std::span<std::byte const> payload,
                            KnownMemory& known);
  /// Adds the entry to the queue that it returns; the caller calls finish().
  SideQueue& put_on_gpu(Incoming const& from, BatchEntry entry,
                        std::span<std::byte const> data);
  /// Ends the job if there is no such memory.
  /// \param known null, or memory that is looked at first. Where the place is
  ///        not in it, it becomes what is around the place.
  char* find(Pe from, std::string_view operation, Segment segment,
             std::uint64_t offset, std::uint64_t bytes,
             KnownMemory* known = nullptr);
  /// An address in GPU memory, and the queue that reaches it.
  struct OnGpu {
    SideQueue& queue;
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
  std::vector<std::atomic<Peer*>> m_peers;  // null: not met yet
  // SIZE_MAX: the engine has no one-sided operations.
  std::size_t m_least_one_sided = SIZE_MAX;

  // Channels live as long as the transport. Those that are closed are used
  // again, and go on with their numbers.
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

  std::mutex m_notes_mutex;  // taken last

  std::mutex m_lost_mutex;  // likewise
  std::atomic<bool> m_is_lost = false;
  LostPe m_lost;
  std::atomic<std::thread::id> m_is_ending{};  // the thread that ends the job
  std::atomic<bool> m_is_closed = false;

  // Used by the Receiver: buffers for payloads, and for answers to a batch.
  std::vector<void*> m_receive_buffers;
  std::vector<std::byte> m_answer_bytes;

  // Replies to gets, whose payload is read from this PE's memory until sent().
  Counter m_n_answers = 0;
  PendingOperation m_answers{.left = &m_n_answers};

  std::unique_ptr<MessageEngine> m_engine;  // destroyed first
};

/// Messages of a channel of another PE to this one. Used by the Receiver; any
/// thread may ask `arrivals` how much is done.
struct Transport_Messages::Incoming {
  Pe const pe;
  std::uint16_t const channel;
  ArrivalOrder<Held> arrivals{};
  std::uint64_t ack_wanted = 0;
  std::uint64_t ack_sent   = 0;
};

/// State of another PE that this one has met.
struct Transport_Messages::Peer {
  explicit Peer(Pe number) : pe(number), incoming{number, 0} {}

  Pe const pe;

  Incoming incoming;  // of the channel 0
  std::vector<std::unique_ptr<Incoming>> incoming_of_others;

  OpenChunks chunks;

  // With m_notes_mutex.

  std::vector<Note> notes;
  std::atomic<std::size_t> n_notes = 0;  // ever received
  PeProgress progress;                   // its last report
  std::atomic<std::size_t> n_progress_reports = 0;
};

template <class IsDone>
void Transport_Messages::wait(char const* call, char const* what, Pe pe,
                              IsDone const& is_done) {
  // Giving the core away takes as long as a poll or two, in which a message may
  // come. So with a core for every PE it is not done each time.
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
