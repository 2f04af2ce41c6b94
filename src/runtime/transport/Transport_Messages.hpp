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

/// A Transport over any MessageEngine. Memory of a target's GPU is reached
/// through its SideQueue, before the message is taken for carried out.
///
/// Order. The engine promises none, so the messages of a pair of PEs that
/// change memory are numbered, and each says up to which number all others have
/// to be carried out before it: those before the sender's last fence(). The
/// target keeps it until then. So fence() costs nothing, and put, fence, put a
/// flag is two messages one behind the other, where waiting for the target
/// would be a round trip more. Messages nearly always come in order, and then
/// nothing is kept. A put of more than MessageEngine::max_eager is not kept
/// (that much memory is not taken behind the program's back): the sender waits
/// before it.
///
/// Completion. A target acknowledges all up to a number at once: with whatever
/// it sends, and by a message of its own where the sender asks for it. The
/// sender asks in the message of which it expects that quiet() follows (as many
/// after the last quiet() as were before it), else in quiet(); and so often
/// that no more than a few MiB are under way to a PE.
///
/// Small puts with Until::is_begun, and post_atomic(), gather in one batch per
/// PE. It is sent when it is full, by fence(), quiet(), poll(), whatever else
/// is called for that PE, and in time by a thread.
///
/// quiet() waits for what any thread has begun before it, and for nothing that
/// other threads begin meanwhile: gets and large puts are counted as they
/// begin, messages have their numbers.
///
/// One mutex guards what is to be sent. The Receiver never takes it, so it may
/// be held while the engine sends.
class Transport_Messages final : public Transport,
                                 private MessageEngine::Receiver {
 public:
  using EndJob = std::function<void()>;

  struct Options {
    /// A batch is sent after twice this at the latest. 0: no thread sends
    /// batches, they wait for calls.
    std::chrono::microseconds flush_interval{250};
    /// In bytes: an acknowledgement is asked for so often, and no more than
    /// twice this is under way to a PE without one.
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

  /// Payloads of more than max_eager that are under way to or from a PE at
  /// once: over TCP, many of them take turns and are slower than two.
  static constexpr std::uint64_t most_large = 2;

  /// Waits from here on are what heartbeats are for.
  static constexpr auto watch_time = std::chrono::milliseconds(2);

  struct Peer;

  /// What is left of an operation; its address is the token of a message. It is
  /// on the heap if the caller does not wait for it.
  struct Pending {
    std::byte* to = nullptr;
    Strides strides{};              // of get_strided
    Counter* left       = nullptr;  // counted down when it is done
    Peer* peer          = nullptr;  // where it is number `begun`
    std::uint64_t begun = 0;
    std::uint64_t value = 0;        // what the word was
    std::uint64_t* was  = nullptr;  // where that goes
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
  /// Room for an entry in the open batch; it becomes part of it.
  std::byte* add_entry(Lock& lock, Peer& peer, BatchEntry entry);
  enum class Wait { may, must_not };
  /// Sends the batch, if there is one; not if it would have to wait and must
  /// not. Another thread may send it meanwhile.
  void flush(Lock& lock, Peer& peer, Wait wait = Wait::may,
             bool wants_ack = false);
  /// All batches, of those that are older than `tick`.
  void flush_all(Lock& lock, std::uint64_t tick);
  [[nodiscard]] bool is_window_full(Peer const& peer) const;
  /// May unlock. Waits once: where other threads have filled the window
  /// meanwhile, one message of each thread that has waited may be too much.
  void wait_for_room(Lock& lock, Peer& peer);
  /// Sends a numbered message, without waiting: all of what the window and acks
  /// need to know of it is noted here.
  /// \param after the last message that has to be carried out before it.
  /// \param unsent of a payload that is read until it has left.
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
  /// On the heap, as the next that quiet() waits for.
  Pending* begin(Peer& peer, Pending pending);
  /// \param unsent the payload is read until this has been counted down; null:
  ///        it may be written again when this returns.
  void send_message(Pe to, MessageHeader const& header,
                    std::span<std::byte const> payload = {},
                    Pending* unsent                    = nullptr) noexcept;
  void flush_in_time();
  void stop_thread();

  // Without.

  /// The note with this number, if it has come. `n_seen`: how many had come
  /// when it was looked for last, at first SIZE_MAX.
  std::optional<std::vector<std::byte>> take_note(Peer& peer,
                                                  std::uint64_t number,
                                                  std::size_t& n_seen);
  template <class IsDone>
  void wait(char const* call, Pe pe, IsDone const& is_done);
  /// Whether a PE is, as this one has found or those of its node.
  [[nodiscard]] bool has_lost() noexcept;
  /// "PE 3 (host b)".
  [[nodiscard]] Text name_of(Pe pe) const noexcept;
  [[noreturn]] void end_job_of_lost(char const* call, Pe pe) noexcept;
  /// For what is wrong on this PE.
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
  /// It may be gone when this returns.
  static void finish(Pending& pending);
  void answer_where(Peer& peer);
  void take_standing(Peer& peer, std::span<std::byte const> payload);
  void take_farewell(MessageHeader const& header,
                     std::span<std::byte const> payload);
  void answer_get(Peer& peer, MessageHeader const& header);
  void answer_get_strided(Peer& peer, MessageHeader const& header);
  void carry_out(Peer& peer, MessageHeader const& header,
                 std::span<std::byte const> payload);
  /// It is carried out; it may want an ack, which is not sent here.
  static void set_done(Peer& peer, MessageHeader const& header);
  void put_signal(Peer& peer, MessageHeader const& header);
  void carry_out_batch(Peer& peer, std::span<std::byte const> payload);
  /// Into the queue that it returns, which is not finished.
  SideQueue& put_on_gpu(Peer const& peer, BatchEntry entry,
                        std::span<std::byte const> data);
  void carry_out_held(Peer& peer);
  void send_wanted_ack(Peer& peer);
  /// Ends the job if there is no such memory.
  char* find(Peer const& peer, std::string_view operation, Segment segment,
             std::uint64_t offset, std::uint64_t bytes);
  /// That memory of the GPU is reached by, and its address.
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
  std::vector<std::atomic<Peer*>> m_peers;  // null: nothing to do with it yet

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
  std::atomic<std::thread::id> m_is_ending{};  // who ends the job
  std::atomic<bool> m_is_closed = false;

  std::vector<void*> m_landings;  // the Receiver's: taken for a payload

  // Answers to gets that are read from this PE's memory until they have left.
  Counter m_n_answers = 0;
  Pending m_answers{.left = &m_n_answers};

  std::unique_ptr<MessageEngine> m_engine;  // ends first
};

/// What there is to know of another PE, once there is anything.
struct Transport_Messages::Peer {
  explicit Peer(Pe number) : pe(number) {}

  Pe const pe;

  // From here to there, with m_mutex.

  std::uint64_t sent   = 0;  // the number of the last message
  std::uint64_t fenced = 0;  // that of the last one before a fence()
  std::uint64_t asked  = 0;  // that of the last one of which an ack is wanted
  // Since the last quiet() there, and before it.
  std::uint64_t n_since_quiet = 0;
  std::uint64_t n_expected    = 1;
  // What is under way since `half`, whose ack ends the wait of what is too
  // much.
  std::size_t bytes_since_half = 0;
  std::uint64_t half           = 0;
  std::uint64_t begun  = 0;  // gets, and puts whose payload is read later
  std::size_t dirty_at = 0;  // in m_dirty
  bool is_dirty        = false;
  std::unique_ptr<std::byte[]> batch;
  std::size_t batch_bytes  = 0;
  std::uint64_t batch_tick = 0;
  std::uint64_t n_batches  = 0;  // sent

  // Of the same; set by the Receiver.

  Counter acked      = 0;
  Counter unsent     = 0;  // large payloads of Until::is_begun
  Counter gets       = 0;  // likewise
  Counter large_gets = 0;
  DoneNumbers done;  // of those begun

  // From there to here: the Receiver's.

  ArrivalOrder<Held> arrivals;
  std::uint64_t ack_wanted = 0;
  std::uint64_t ack_sent   = 0;

  // With m_notes_mutex.

  std::vector<Note> notes;
  std::atomic<std::size_t> n_notes = 0;  // ever
  Standing standing;                     // as it has said last
  std::atomic<std::size_t> n_standings = 0;
};

template <class IsDone>
void Transport_Messages::wait(char const* call, Pe pe, IsDone const& is_done) {
  // To give the core away takes as long as a poll or two, in which a message
  // may come: with a core for every PE not each time.
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
