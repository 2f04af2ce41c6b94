// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TRANSPORT_MESSAGES_HPP
#define SYMM_TRANSPORT_TRANSPORT_MESSAGES_HPP

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
#include "ArrivalOrder.hpp"
#include "DoneNumbers.hpp"
#include "LostPe.hpp"
#include "Message.hpp"
#include "MessageEngine.hpp"
#include "Transport.hpp"
#include "TransportTarget.hpp"

namespace symm::Impl {

/// A Transport over any MessageEngine. The target reaches memory of its GPU
/// through its SideQueue, before the message counts as carried out.
///
/// Order. The engine promises none. So the messages between two PEs that change
/// memory are numbered, and each names the last one before the sender's last
/// fence(). The target keeps a message until all up to that number are carried
/// out. So fence() waits for no reply: put, fence, put a flag is two messages
/// without a round trip in between. Messages nearly always arrive in order, and
/// then none is kept. A put of more than MessageEngine::max_eager would take
/// too much private memory: the sender waits before it sends one.
///
/// Completion. A target acknowledges all messages up to a number at once: with
/// every message that it sends, and by one of its own where the initiator asks
/// for it. The initiator asks in the message that it expects to be the last
/// before quiet() (as many after the last quiet() as there were before it),
/// else in quiet(). It also asks so often that at most a few MiB are in flight
/// to a PE.
///
/// Small puts with Until::is_begun, and post_atomic(), are gathered in one
/// batch per PE. The batch is sent when it is full, by fence(), quiet(), poll()
/// and any other call for that PE, and in time by a thread.
///
/// quiet() waits for what any thread has begun before it, and for nothing that
/// other threads begin meanwhile: messages, gets and large puts are numbered.
///
/// One mutex guards what is to be sent. The Receiver never takes it, so it may
/// be held while the engine sends.
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
  };

  /// \param end_job Ends the job and does not return; the reason has been
  ///        printed.
  /// \throws SystemError if there can be no thread.
  Transport_Messages(Pe my_pe, int n_pes, std::unique_ptr<MessageEngine> engine,
                     TransportTarget& target, EndJob end_job, Options options);
  ~Transport_Messages() override;

  Transport_Messages(Transport_Messages const&)            = delete;
  Transport_Messages& operator=(Transport_Messages const&) = delete;

  void put(PeMemory to, void const* from, std::size_t bytes,
           Until until = Until::is_safe) override;
  void put_strided(PeMemory to, void const* from, Strides strides) override;
  void put_signal(PeMemory to, void const* from, std::size_t bytes,
                  PeMemory signal, std::uint64_t value, AtomicOp op,
                  Until until = Until::is_safe) override;
  void get(void* to, PeMemory from, std::size_t bytes,
           Until until = Until::is_safe) override;
  void get_strided(void* to, PeMemory from, Strides strides) override;
  std::uint64_t atomic(PeMemory at, AtomicOp op, WordType type,
                       std::uint64_t value, std::uint64_t compare = 0) override;
  void post_atomic(PeMemory at, AtomicOp op, WordType type,
                   std::uint64_t value) override;
  void begin_get(void* to, PeMemory from, std::size_t bytes,
                 Transport::Counter& left) override;
  void begin_atomic(PeMemory at, AtomicOp op, WordType type,
                    std::uint64_t value, std::uint64_t compare,
                    std::uint64_t& was, Transport::Counter& left) override;
  void wait_for_begun(Pe pe, Transport::Counter& left) override;
  void fence() override;
  void quiet() override;
  void send(Pe to, std::uint64_t number,
            std::span<std::byte const> message) override;
  std::vector<std::byte> receive(Pe from, std::uint64_t number) override;
  std::optional<std::vector<std::byte>> receive_within(
      Pe from, std::uint64_t number, std::chrono::milliseconds most) override;
  void watch(Pe pe) override { m_engine->watch(pe); }
  void unwatch(Pe pe) override { m_engine->unwatch(pe); }
  bool poll() override;
  void close() override;

  std::optional<Standing> standing_of(Pe pe,
                                      std::chrono::milliseconds most) override;
  void watch_all() override { m_engine->watch_all(); }
  void unwatch_all() override { m_engine->unwatch_all(); }
  [[noreturn]] void end_job(LostPe const& lost) noexcept override;

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// The most payloads of more than max_eager in flight at once to or from a
  /// PE: over TCP, many of them take turns and are slower than two.
  static constexpr std::uint64_t most_large = 2;

  /// During waits longer than this, heartbeats watch the PE.
  static constexpr auto watch_time = std::chrono::milliseconds(2);

  struct Peer;

  /// The state of an operation that has begun; its address is the token of a
  /// message. It is on the heap if the caller does not wait for it.
  struct Pending {
    std::byte* to = nullptr;
    Strides strides{};              // of get_strided
    Counter* left       = nullptr;  // counted down when it is done
    Peer* peer          = nullptr;  // where this is number `begun`
    std::uint64_t begun = 0;
    std::uint64_t value = 0;        // the word's old value
    std::uint64_t* was  = nullptr;  // where the old value goes
    bool is_on_heap     = false;
  };
  struct Held {
    MessageHeader header;
    std::vector<std::byte> payload;
  };
  struct Note {
    std::uint64_t number;
    std::vector<std::byte> message;
  };

  Peer& peer_of(Pe pe);

  /// The lock for an operation. It lets threads go first that have waited for a
  /// PE and need the lock again: a mutex is not fair to them.
  [[nodiscard]] Lock enter();
  /// Locks again, after a wait.
  void enter_again(Lock& lock);

  // Transport_Messages.cpp, with m_mutex.

  void mark_dirty(Peer& peer);
  /// Adds an entry to the open batch. \returns the place of its data.
  std::byte* add_entry(Lock& lock, Peer& peer, BatchEntry entry);
  enum class Wait { may, must_not };
  /// Sends the batch, if there is one. If it would have to wait and must not,
  /// the batch stays. While it waits, another thread may send the batch.
  void flush(Lock& lock, Peer& peer, Wait wait = Wait::may,
             bool wants_ack = false);
  /// Sends all batches that are older than `tick`, as far as none has to wait.
  void flush_all(Lock& lock, std::uint64_t tick);
  [[nodiscard]] bool is_window_full(Peer const& peer) const;
  /// Waits until the window has room; may unlock. Waits once: if other threads
  /// fill the window meanwhile, each that has waited may add one message.
  void wait_for_room(Lock& lock, Peer& peer);
  /// Sends a numbered message, without waiting, and notes all that the window
  /// and the acknowledgements need to know of it.
  /// \param after the last message that has to be carried out before it.
  /// \param unsent not null: the payload is read until this is counted down.
  void post(Peer& peer, MessageHeader header, std::uint64_t after,
            std::span<std::byte const> payload, bool wants_ack = false,
            Pending* unsent = nullptr);
  void post_block(Lock& lock, Peer& peer, MessageHeader const& header,
                  void const* from, std::size_t bytes, Until until);
  void ask_for_ack(Peer& peer);
  /// The reply counts down what `pending` says.
  void ask_for_atomic(PeMemory at, AtomicOp op, WordType type,
                      std::uint64_t value, std::uint64_t compare,
                      Pending& pending);
  /// Makes a Pending on the heap, as the next that quiet() waits for.
  Pending* begin(Peer& peer, Pending pending);
  /// \param unsent the payload is read until this has been counted down; null:
  ///        it may be written again when this returns.
  void send_message(Pe to, MessageHeader const& header,
                    std::span<std::byte const> payload = {},
                    Pending* unsent                    = nullptr) noexcept;
  void flush_in_time();
  void stop_thread();

  // Without m_mutex.

  /// Takes the note with this number, if it has come. `n_seen`: the number of
  /// notes at the last look, at first SIZE_MAX.
  std::optional<std::vector<std::byte>> take_note(Peer& peer,
                                                  std::uint64_t number,
                                                  std::size_t& n_seen);
  template <class IsDone>
  void wait(char const* call, Pe pe, IsDone const& is_done);
  /// Whether a PE is lost, as this PE has found or another has told it.
  [[nodiscard]] bool has_lost() noexcept;
  /// "PE 3 (host b)".
  [[nodiscard]] Text name_of(Pe pe) const noexcept;
  [[noreturn]] void end_job_of_lost(char const* call, Pe pe) noexcept;
  /// Ends the job for a failure on this PE.
  [[noreturn]] void end_job_of_failure(Text const& why) noexcept;

  // Transport_Messages_Target.cpp: what arrives. Nothing in there waits.

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
  void take_reply(MessageHeader const& header,
                  std::span<std::byte const> payload);
  /// `pending` may be destroyed when this returns.
  static void finish(Pending& pending);
  void answer_where(Peer& peer);
  void take_standing(Peer& peer, std::span<std::byte const> payload);
  void take_farewell(MessageHeader const& header,
                     std::span<std::byte const> payload);
  void answer_get(Peer& peer, MessageHeader const& header);
  void answer_get_strided(Peer& peer, MessageHeader const& header);
  void carry_out(Peer& peer, MessageHeader const& header,
                 std::span<std::byte const> payload);
  /// Notes that the message is carried out and may want an ack, but sends none.
  static void set_done(Peer& peer, MessageHeader const& header);
  void put_signal(Peer& peer, MessageHeader const& header);
  void carry_out_batch(Peer& peer, std::span<std::byte const> payload);
  /// Adds the entry to the queue that it returns; the caller calls finish().
  SideQueue& put_on_gpu(Peer const& peer, BatchEntry entry,
                        std::span<std::byte const> data);
  void carry_out_held(Peer& peer);
  void send_wanted_ack(Peer& peer);
  /// Ends the job if there is no such memory.
  char* find(Peer const& peer, std::string_view operation, Segment segment,
             std::uint64_t offset, std::uint64_t bytes);
  /// An address in GPU memory, and the queue that reaches it.
  struct OnGpu {
    SideQueue& queue;
    char* place;
  };
  OnGpu find_on_gpu(Peer const& peer, std::string_view operation,
                    Segment segment, std::uint64_t offset, std::uint64_t bytes);
  char* find_word(Peer const& peer, Segment segment, std::uint64_t offset,
                  AtomicOp op, WordType type);
  char* find_strided(Peer const& peer, std::string_view operation,
                     MessageHeader const& header);
  [[noreturn]] void end_job_of_nonsense(Pe from) noexcept;

  Pe const m_my_pe;
  TransportTarget& m_target;
  EndJob m_end_job;
  Options const m_options;
  std::vector<std::atomic<Peer*>> m_peers;  // null: not met yet

  std::mutex m_mutex;
  std::atomic<int> m_n_returning = 0;     // threads in enter_again()
  std::vector<Peer*> m_dirty;             // something may not be done there yet
  std::atomic<std::size_t> m_n_open = 0;  // batches

  std::thread m_thread;
  std::condition_variable m_wake;
  std::uint64_t m_tick  = 0;
  bool m_thread_sleeps  = false;
  bool m_thread_is_done = false;

  std::mutex m_notes_mutex;  // taken last

  std::mutex m_lost_mutex;  // likewise
  std::atomic<bool> m_is_lost = false;
  LostPe m_lost;
  std::atomic<std::thread::id> m_is_ending{};  // the thread that ends the job
  std::atomic<bool> m_is_closed = false;

  std::vector<void*> m_landings;  // buffers for payloads, used by the Receiver

  // Replies to gets, whose payload is read from this PE's memory until sent().
  Counter m_n_answers = 0;
  Pending m_answers{.left = &m_n_answers};

  std::unique_ptr<MessageEngine> m_engine;  // destroyed first
};

/// State of another PE that this one has met.
struct Transport_Messages::Peer {
  explicit Peer(Pe number) : pe(number) {}

  Pe const pe;

  // Messages from this PE to that one; with m_mutex.

  std::uint64_t sent   = 0;  // the number of the last message
  std::uint64_t fenced = 0;  // that of the last one before a fence()
  std::uint64_t asked  = 0;  // that of the last one for which an ack is asked
  // Messages since the last quiet(), and before it.
  std::uint64_t n_since_quiet = 0;
  std::uint64_t n_expected    = 1;
  // Bytes sent since message `half`. Before too many, a sender waits for the
  // ack of `half`.
  std::size_t bytes_since_half = 0;
  std::uint64_t half           = 0;
  std::uint64_t begun  = 0;  // gets, and puts whose payload is read later
  std::size_t dirty_at = 0;  // in m_dirty
  bool is_dirty        = false;
  std::unique_ptr<std::byte[]> batch;
  std::size_t batch_bytes  = 0;
  std::uint64_t batch_tick = 0;
  std::uint64_t n_batches  = 0;  // sent

  // Of the same messages; set by the Receiver.

  Counter acked      = 0;
  Counter unsent     = 0;  // large payloads of Until::is_begun
  Counter gets       = 0;  // likewise
  Counter large_gets = 0;
  DoneNumbers done;  // of those begun

  // Messages from that PE to this one; set by the Receiver.

  ArrivalOrder<Held> arrivals;
  std::uint64_t ack_wanted = 0;
  std::uint64_t ack_sent   = 0;

  // With m_notes_mutex.

  std::vector<Note> notes;
  std::atomic<std::size_t> n_notes = 0;  // ever received
  Standing standing;                     // its last report
  std::atomic<std::size_t> n_standings = 0;
};

template <class IsDone>
void Transport_Messages::wait(char const* call, Pe pe, IsDone const& is_done) {
  // Giving the core away takes as long as a poll or two, in which a message may
  // come. So with a core for every PE it is not done each time.
  unsigned const polls_per_pause = spins() == 0 ? 1 : 8;
  unsigned n_polls               = 0;
  Backoff backoff(spins() / 8);
  bool is_watched = false;
  while (!is_done()) {
    bool const has_moved = m_engine->poll();
    if (is_done()) break;
    if (m_is_lost) end_job_of_lost(call, pe);
    if (!has_moved && ++n_polls % polls_per_pause != 0) continue;
    if (backoff.pause(has_moved) < watch_time) continue;
    if (has_lost()) end_job_of_lost(call, pe);
    if (is_watched) continue;
    m_engine->watch(pe);
    is_watched = true;
  }
  if (is_watched) m_engine->unwatch(pe);
}

}  // namespace symm::Impl

#endif
