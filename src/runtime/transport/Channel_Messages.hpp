// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_CHANNEL_MESSAGES_HPP
#define SYMM_TRANSPORT_CHANNEL_MESSAGES_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "../base/Types.hpp"
#include "../engines/MessageEngine.hpp"
#include "AtomicRun.hpp"
#include "Channel.hpp"
#include "DoneNumbers.hpp"
#include "Message.hpp"
#include "PendingTable.hpp"

namespace symm::Impl {

class Transport_Messages;
struct Outgoing;

/// The memory that gets the answer to an entry of a batch.
struct AnswerPlace {
  void* to;
  std::size_t bytes;
};

/// The state of an operation that has begun. It is on the heap if the caller
/// does not wait for it. MessageEngine::send() takes its address as a token;
/// other PEs get tokens of the PendingTable.
struct PendingOperation {
  void* to               = nullptr;  // where data or a word's old value go
  std::size_t word_bytes = 0;        // of that value; 0: of no word
  Strides strides{};                 // of get_strided
  std::atomic<std::uint64_t>* left = nullptr;  // counted down when it is done
  Outgoing* outgoing               = nullptr;  // where this is number `begun`
  std::uint64_t begun              = 0;
  SideDone::Owner side{};
  bool is_on_heap = false;
  std::vector<AnswerPlace> answers{};  // of a batch

  /// It may be destroyed when this returns.
  void finish();
};

/// A block, or a part of one, that the engine moves without messages.
struct BlockMove {
  enum class Kind { put, get };

  Kind kind;
  OneSided::Place there;
  void* here;  // of a put: only read
  std::size_t bytes;
  char const* call;  // its name, or null

  [[nodiscard]] char const* what() const {
    return kind == Kind::put ? "a put" : "a get";
  }
};

/// A Channel of a Transport_Messages.
///
/// Order. The engine promises none. So the messages of a channel to a PE that
/// change memory are numbered, and each names the last one before the channel's
/// last fence(). The target keeps a message until all up to that number are
/// carried out. So fence() waits for no reply: put, fence, put a flag is two
/// messages without a round trip in between. Messages nearly always arrive in
/// order, and then none is kept. A put of more than MessageEngine::max_eager
/// would take too much private memory: the sender waits before it sends one.
///
/// Blocks. Where the engine has one-sided operations, it moves blocks to and
/// from the host heap without messages. With Completion::local the caller waits
/// until the block is there; else quiet() does, and fence(), so that what is
/// sent behind it comes later. A put behind a fence() waits until what is
/// before is acknowledged, as a large put does; up to MessageEngine::max_eager
/// bytes it is a message instead. The signal of a block is a message that is
/// sent when the block is there; if nobody waits for that, the block is in the
/// message, too.
///
/// Completion. A target acknowledges all messages of a channel up to a number
/// at once: with what it sends on its own channel of this number, with answers,
/// and by a message where the initiator asks for it. The initiator asks in the
/// message that it expects to be the last before quiet() (as many after the
/// last quiet() as there were before it), else in quiet(). It also asks so
/// often that at most a few MiB are in flight to a PE.
///
/// Small puts and gets with Completion::none, post_atomic() and fetch_nbi() are
/// gathered in one batch per PE. The batch is sent when it is full, by fence(),
/// quiet(), Transport::poll() and any other call for that PE, and in time by a
/// thread. What it gets comes in one reply. Batches take memory for
/// Options::max_batches PEs: one more PE sends the batch of another, by turns,
/// and takes its memory. A closed channel has none.
///
/// quiet() waits for what any thread has begun before it, and for nothing that
/// other threads begin meanwhile: messages, gets and large puts are numbered.
///
/// One mutex guards what is to be sent. The Receiver never takes it, so it may
/// be held while the engine sends, which never waits. A caller that has to wait
/// for a PE unlocks first: operations on other PEs go on.
class Channel_Messages final : public Channel {
 public:
  static constexpr std::size_t batch_size = std::size_t{16} << 10U;

  Channel_Messages(Transport_Messages& transport, std::uint16_t number,
                   int n_pes);
  ~Channel_Messages() override;
  Channel_Messages(Channel_Messages const&)            = delete;
  Channel_Messages& operator=(Channel_Messages const&) = delete;

  void put(PeMemory to, void const* from, std::size_t bytes,
           Completion completion, HostCall const& call) override;
  void put_strided(PeMemory to, void const* from, Strides strides,
                   HostCall const& call) override;
  void put_signal(PeMemory to, void const* from, std::size_t bytes,
                  PeMemory signal, std::uint64_t value, AtomicOp op,
                  Completion completion, HostCall const& call) override;
  void get(void* to, PeMemory from, std::size_t bytes, Completion completion,
           HostCall const& call) override;
  void get_strided(void* to, PeMemory from, Strides strides,
                   HostCall const& call) override;
  std::uint64_t atomic(PeMemory at, AtomicOp op, WordType type,
                       std::uint64_t value, std::uint64_t compare,
                       HostCall const& call) override;
  void fetch_nbi(PeMemory at, AtomicOp op, WordType type, std::uint64_t value,
                 std::uint64_t compare, void* was,
                 HostCall const& call) override;
  void post_atomic(PeMemory at, AtomicOp op, WordType type, std::uint64_t value,
                   HostCall const& call) override;
  void post_atomics(std::span<FarAtomic const> all,
                    HostCall const& call) override;
  void post_node_updates(Pe to, std::span<std::byte const> updates,
                         bool has_values, std::uint64_t value,
                         HostCall const& call) override;
  void begin_get(void* to, PeMemory from, std::size_t bytes, Counter& left,
                 HostCall const& call) override;
  void begin_atomic(PeMemory at, AtomicOp op, WordType type,
                    std::uint64_t value, std::uint64_t compare,
                    std::uint64_t& was, Counter& left) override;
  void wait_for_begun(Pe pe, Counter& left, HostCall const& call) override;
  void fence(HostCall const& call) override;
  void quiet(HostCall const& call) override {
    wait_for(ask_for_all(nullptr, call.name), call.name);
  }
  void quiet(std::span<Pe const> pes, HostCall const& call) override {
    wait_for(ask_for_all(&pes, call.name), call.name);
  }
  bool test(Started& started, Stage stage, HostCall const& call) override;
  void wait(Started& started, Stage stage, HostCall const& call) override;

  // For the transport.

  /// What replies are for.
  [[nodiscard]] PendingTable& asked() noexcept { return m_asked; }

  /// From close() to open() there are no operations, and each batch gives its
  /// memory back once it is sent. A new channel is open.
  void open() noexcept;
  void close() noexcept;

  /// The two halves of quiet(), so that several channels are waited for at
  /// once. What was sent and begun, to each PE:
  struct Last {
    Outgoing* outgoing;
    std::uint64_t number;
    std::uint64_t begun;
  };
  using Asked = std::vector<Last>;
  /// \param pes null: all. \param call its name, or null.
  [[nodiscard]] Asked ask_for_all(std::span<Pe const> const* pes,
                                  char const* call);
  void wait_for(Asked const& all, char const* call);
  [[nodiscard]] std::uint16_t number() const noexcept { return m_number; }
  /// Null: nothing was sent there.
  [[nodiscard]] Outgoing* find_outgoing(Pe pe) const noexcept;
  [[nodiscard]] bool has_open_batches() const noexcept {
    return m_n_open.load() != 0;
  }
  /// Sends the open batch for this PE.
  void flush(Pe pe);
  /// Sends all batches that are older than `tick`, as far as none has to wait.
  void flush_older(std::uint64_t tick);
  /// The same for all, unless another thread is at it.
  void try_flush_all();

 private:
  /// The lock for an operation, which names the call that it is part of.
  struct Lock : std::unique_lock<std::mutex> {
    using std::unique_lock<std::mutex>::unique_lock;
    char const* call = nullptr;
  };

  /// The most payloads of more than max_eager in flight at once to or from a
  /// PE: over TCP, many of them take turns and are slower than two.
  static constexpr std::uint64_t max_large = 2;
  /// The most blocks without messages under way to a PE.
  static constexpr std::uint64_t max_blocks = 64;

  [[nodiscard]] Outgoing& outgoing_to(Pe pe);

  /// The lock for an operation. It lets threads go first that have waited for a
  /// PE and need the lock again: a mutex is not fair to them.
  [[nodiscard]] Lock enter(char const* call);
  /// Locks again, after a wait.
  void enter_again(Lock& lock);

  // With m_mutex.

  void mark_dirty(Outgoing& outgoing);
  /// Finds memory for a batch; may unlock.
  void ensure_batch(Lock& lock, Outgoing& outgoing);
  void drop_batch(Outgoing& outgoing) noexcept;
  /// The index of the PE whose batch memory another one gets: the next by turns
  /// whose batch can be sent at once, if there is one.
  [[nodiscard]] std::size_t next_to_give();
  void add_atomic(Lock& lock, Outgoing& outgoing, PeMemory at, AtomicOp op,
                  WordType type, std::uint64_t value);
  /// Sends batches until the open one has room for an entry and its answer; may
  /// unlock.
  void make_room(Lock& lock, Outgoing& outgoing, std::size_t bytes,
                 std::size_t answer_bytes);
  /// Writes the head of an entry for which there is room.
  std::byte* put_entry(Lock const& lock, Outgoing& outgoing, BatchEntry entry);
  /// Adds an entry to the open batch. \returns the place of its data.
  std::byte* add_entry(Lock& lock, Outgoing& outgoing, BatchEntry entry);
  /// The same of an entry that is answered. \param answer where that goes.
  std::byte* add_answered_entry(Lock& lock, Outgoing& outgoing,
                                BatchEntry entry, void* answer);
  /// Whether replies to so many batches are under way that the next has to
  /// wait: they take memory of the target.
  [[nodiscard]] static bool are_answers_full(Outgoing const& outgoing);
  /// Whether flush() has to wait.
  [[nodiscard]] bool must_batch_wait(Outgoing const& outgoing) const;
  enum class Wait { may, must_not };
  /// Sends the batch, if there is one. If it would have to wait and must not,
  /// the batch stays. While it waits, another thread may send the batch.
  void flush(Lock& lock, Outgoing& outgoing, Wait wait = Wait::may,
             bool wants_ack = false);
  [[nodiscard]] bool is_window_full(Outgoing const& outgoing) const;
  /// Whether the window is full, or the engine is, by messages of all channels.
  [[nodiscard]] bool is_full(Outgoing const& outgoing) const;
  /// Waits until neither is full; may unlock. Waits once: if other threads fill
  /// them meanwhile, each that has waited may add one message.
  void wait_for_room(Lock& lock, Outgoing& outgoing);
  /// Sends a numbered message, without waiting, and notes all that the window
  /// and the acknowledgements need to know of it.
  /// \param after the last message that has to be carried out before it.
  /// \param unsent not null: the payload is read until this is done.
  void post(Outgoing& outgoing, MessageHeader header, std::uint64_t after,
            std::span<std::byte const> payload, bool wants_ack = false,
            PendingOperation* unsent = nullptr);
  void post_block(Lock& lock, Outgoing& outgoing, MessageHeader const& header,
                  void const* from, std::size_t bytes, Completion completion,
                  Started* started);
  void ask_for_ack(Outgoing& outgoing);
  /// The lock, for an atomic operation that may be sent at once.
  [[nodiscard]] Lock enter_for_atomic(Outgoing& outgoing, char const* call);
  /// These two after m_asked.make_room(), without a pause between the two.
  void ask_for_atomic(Outgoing& outgoing, PeMemory at, AtomicOp op,
                      WordType type, std::uint64_t value, std::uint64_t compare,
                      PendingOperation& pending);
  void ask_for_get(PeMemory from, std::size_t bytes, PendingOperation& pending);
  /// Makes it on the heap, as the next that quiet() waits for.
  PendingOperation* begin(Outgoing& outgoing, PendingOperation pending,
                          Started* started);
  /// Whether the message of `started` is acknowledged; asks for that.
  [[nodiscard]] bool is_acknowledged(Started& started, char const* call);

  // Without m_mutex.

  /// Moves a block, or its first part, without messages. A put goes after what
  /// is before a fence().
  /// \returns the bytes of that part: a message has to move the others.
  std::size_t put_one_sided(PeMemory to, void const* from, std::size_t bytes,
                            Completion completion, HostCall const& call);
  std::size_t get_one_sided(void* to, PeMemory from, std::size_t bytes,
                            Completion completion, HostCall const& call);
  /// \param left bytes of the block from this part on.
  void move_part(BlockMove const& move, std::size_t left, Completion completion,
                 Started* started);
  /// Until what is before a fence() is done. \returns false: `bytes` are few,
  /// and a message waits for it at the target.
  bool wait_for_fenced(Pe pe, std::size_t bytes, HostCall const& call);
  /// For an operation on `pe`: ends the job if a PE is lost.
  /// \param call its name, or null. \param what it is, in place of a name.
  void check_lost(char const* call, char const* what, Pe pe);
  template <class IsDone>
  void wait_until(char const* call, char const* what, Pe pe,
                  IsDone const& is_done);

  Transport_Messages& m_transport;
  std::uint16_t const m_number;
  std::vector<std::atomic<Outgoing*>> m_outgoing;  // null: nothing was sent

  std::mutex m_mutex;
  bool m_is_closed = false;
  PendingTable m_asked;
  std::atomic<int> m_n_returning = 0;     // threads in enter_again()
  std::vector<Outgoing*> m_dirty;         // something may not be done there yet
  std::atomic<std::size_t> m_n_open = 0;  // batches
  std::vector<Outgoing*> m_with_batch;    // that have memory for one
  std::size_t m_n_given = 0;  // how often another PE has got its memory
};

/// Messages of a channel to one PE.
struct Outgoing {
  using Counter = Channel::Counter;

  explicit Outgoing(Pe number) : pe(number) {}

  /// Pads the run at the batch's end. With the channel's mutex.
  void end_run();

  Pe const pe;

  // With the channel's mutex.

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
  // Gets, puts whose payload is read later, and blocks without messages.
  std::uint64_t begun      = 0;
  std::uint64_t last_block = 0;  // of these, the last that is a put
  std::size_t dirty_at     = 0;  // in m_dirty
  bool is_dirty            = false;
  std::unique_ptr<std::byte[]> batch;
  std::size_t batch_bytes = 0;
  AtomicRunWriter run;  // of the batch's end
  std::uint64_t batch_tick        = 0;
  bool batch_wants_ack            = false;
  PendingOperation* batch_answers = nullptr;  // null: no entry is answered
  PendingTable::Token batch_token = 0;        // of these
  std::size_t batch_answer_bytes  = 0;
  std::uint64_t n_batches         = 0;  // sent
  std::uint64_t last_batch        = 0;  // the number of its message

  // Set by the Receiver.

  Counter acked      = 0;
  Counter unsent     = 0;  // large payloads of Completion::none
  Counter gets       = 0;  // likewise
  Counter large_gets = 0;
  Counter blocks     = 0;  // without messages
  Counter answers    = 0;  // batches with entries that are answered
  DoneNumbers done;        // of those begun
};

}  // namespace symm::Impl

#endif
