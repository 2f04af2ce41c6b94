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

/// Where to store the answer to a batch entry.
struct AnswerPlace {
  void* to;
  std::size_t bytes;
};

/// The state of an operation in flight. The object is allocated dynamically if
/// the caller does not wait for the operation. The object's address serves as
/// the token in MessageEngine::send(). Tokens sent to other PEs come from the
/// PendingTable.
struct PendingOperation {
  void* to               = nullptr;  // destination of the data or the old value
  std::size_t word_bytes = 0;        // size of the old value; 0: none
  Strides strides{};                 // for a get_strided()
  std::atomic<std::uint64_t>* left = nullptr;  // decremented when done
  Outgoing* outgoing  = nullptr;  // if not null, outgoing->done records `begun`
  std::uint64_t begun = 0;
  SideDone::Owner side{};
  bool is_on_heap = false;
  std::vector<AnswerPlace> answers{};  // for a batch

  /// Marks the operation as complete. The object may no longer exist when this
  /// call returns.
  void finish();
};

/// A block, or part of one, that the engine moves without messages.
struct BlockMove {
  enum class Kind { put, get };

  Kind kind;
  OneSided::Place there;
  void* here;  // a put only reads it
  std::size_t bytes;
  char const* call;  // the call's name, or null

  [[nodiscard]] char const* what() const {
    return kind == Kind::put ? "a put" : "a get";
  }
};

/// A Channel of a Transport_Messages.
///
/// Order. The engine does not order messages, so a channel numbers the messages
/// that change a PE's memory. Each such message also carries the number of the
/// last message before the channel's last fence(). The target holds a message
/// back until it has processed all messages up to that number. So fence() need
/// not wait for any reply: a put, a fence() and a put of a flag take two
/// messages, without a round trip in between. Messages nearly always arrive in
/// order, so the target rarely holds one back. A put of more than
/// MessageEngine::max_eager bytes would take up too much private memory while
/// held back. So its sender first waits until the earlier messages have been
/// acknowledged.
///
/// Blocks. If the engine has one-sided operations, it moves blocks to and from
/// the host heap without messages. With Completion::local, the caller waits
/// until the block has arrived. With Completion::none, quiet() and fence() wait
/// for the block, so messages sent after these calls arrive after the block.
/// Like a large put, a one-sided put after a fence() waits until the messages
/// before the fence() have been acknowledged. Instead of waiting, a put of up
/// to MessageEngine::max_eager bytes is sent as a message. A block's signal is
/// a message that is sent after the block has arrived. If the caller does not
/// wait for the block, the signal's message also carries the block.
///
/// Completion. A single acknowledgment from the target covers all of a
/// channel's messages up to a certain number. The acknowledgment is part of an
/// answer or, on request, a separate message. Every message on channel 0 also
/// carries an acknowledgment. The initiator requests one in the message that it
/// expects to be the last before quiet(). It assumes that the number of
/// messages before quiet() is the same as last time. If there are fewer
/// messages, quiet() makes the request. The initiator requests acknowledgments
/// often enough that at most a few MiB are in flight to any PE. It also
/// requests one for each block of more than MessageEngine::max_eager bytes so
/// that the next such block after a fence() need not wait for a round trip.
///
/// Batches. Small puts and gets with Completion::none, and the operations of
/// post_atomic() and fetch_nbi(), are collected in one batch per PE. A batch is
/// sent when it is full, when fence(), quiet() or Transport::poll() is called,
/// and before most other messages to the same PE. Otherwise, a background
/// thread sends it shortly afterward. A single reply carries all answers to a
/// batch. A channel has batch memory for up to Options::max_batches PEs. When
/// another PE needs a batch, the channel picks one of these PEs in turn, sends
/// that PE's batch, and reuses the batch's memory. A closed channel keeps no
/// batch memory.
///
/// quiet() waits for operations that any thread started before the call, but
/// not for operations that other threads start during the wait. Messages, gets
/// and large puts are numbered so that quiet() can distinguish earlier
/// operations from later ones.
///
/// One mutex guards the sending side's state. The Receiver never locks this
/// mutex, so a thread may hold it during MessageEngine::send(), which never
/// waits. A caller that has to wait for a PE unlocks the mutex first so that
/// operations on other PEs can proceed.
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
  void post_atomics(std::span<FarAtomic const>& left,
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
  bool test(OperationHandle& handle, Stage stage,
            HostCall const& call) override;
  void wait(OperationHandle& handle, Stage stage,
            HostCall const& call) override;

  // Only Transport_Messages calls the functions below.

  /// The operations that await replies.
  [[nodiscard]] PendingTable& asked() noexcept { return m_asked; }

  /// A new channel is open. Between close() and open(), callers must not start
  /// operations, and each batch's memory is released once the batch has been
  /// sent.
  void open() noexcept;
  void close() noexcept;

  /// ask_for_all() and wait_for() are the two halves of quiet(). They allow a
  /// caller to wait for several channels at once. A `Last` contains the number
  /// of the last message sent to a PE and the number of the last operation that
  /// begin() started on that PE.
  struct Last {
    Outgoing* outgoing;
    std::uint64_t number;
    std::uint64_t begun;
  };
  using Asked = std::vector<Last>;
  /// \param pes The PEs to wait for; null for all PEs.
  /// \param call The name of the call, or null.
  [[nodiscard]] Asked ask_for_all(std::span<Pe const> const* pes,
                                  char const* call);
  void wait_for(Asked const& all, char const* call);
  [[nodiscard]] std::uint16_t number() const noexcept { return m_number; }
  /// Null if nothing has been sent to `pe`.
  [[nodiscard]] Outgoing* find_outgoing(Pe pe) const noexcept;
  [[nodiscard]] bool has_open_batches() const noexcept {
    return m_n_open.load() != 0;
  }
  /// Sends the open batch for `pe`, if any.
  void flush(Pe pe);
  /// Sends all batches opened before `tick`, except those that would have to
  /// wait.
  void flush_older(std::uint64_t tick);
  /// Like flush_older(), but also sends the most recent batches. Does nothing
  /// if another thread holds the lock.
  void try_flush_all();

 private:
  /// The lock for an operation, and the name of the call to which the operation
  /// belongs.
  struct Lock : std::unique_lock<std::mutex> {
    using std::unique_lock<std::mutex>::unique_lock;
    char const* call = nullptr;
  };

  /// The maximum number of payloads larger than max_eager bytes in flight to or
  /// from each PE. Additional payloads would share the same TCP connection,
  /// which is slower.
  static constexpr std::uint64_t max_large = 2;
  /// The maximum number of one-sided block transfers in flight to or from each
  /// PE.
  static constexpr std::uint64_t max_blocks = 64;

  [[nodiscard]] Outgoing& outgoing_to(Pe pe);

  /// Locks m_mutex for an operation. Threads that are returning from a wait for
  /// a PE take precedence, because std::mutex is not fair.
  [[nodiscard]] Lock enter(char const* call);
  /// Locks m_mutex again after a wait.
  void enter_again(Lock& lock);

  // Callers of these functions must hold m_mutex:

  void mark_dirty(Outgoing& outgoing);
  /// Ensures that `outgoing` has memory for a batch. May temporarily unlock the
  /// mutex.
  void ensure_batch(Lock& lock, Outgoing& outgoing);
  void drop_batch(Outgoing& outgoing) noexcept;
  /// The index in m_with_batch of the PE whose batch memory is reassigned next.
  /// This is the next PE in turn whose batch can be sent immediately. If there
  /// is no such PE, it is simply the next PE in turn.
  [[nodiscard]] std::size_t next_to_give();
  void add_atomic(Lock& lock, Outgoing& outgoing, PeMemory at, AtomicOp op,
                  WordType type, std::uint64_t value);
  /// Sends batches until the open one has room for an entry and its answer. May
  /// temporarily unlock the mutex.
  void make_room(Lock& lock, Outgoing& outgoing, std::size_t bytes,
                 std::size_t answer_bytes);
  /// Writes an entry's head. The batch must have room for the whole entry.
  /// \returns where to write the entry's data.
  std::byte* put_entry(Lock const& lock, Outgoing& outgoing, BatchEntry entry);
  /// Adds an entry to the open batch.
  /// \returns where to write the entry's data.
  std::byte* add_entry(Lock& lock, Outgoing& outgoing, BatchEntry entry);
  /// Like add_entry(), but for an entry that the target answers.
  /// \param answer Where to store the answer.
  std::byte* add_answered_entry(Lock& lock, Outgoing& outgoing,
                                BatchEntry entry, void* answer);
  /// Whether the next batch has to wait because too many batches await replies,
  /// which take up memory on the target.
  [[nodiscard]] static bool are_answers_full(Outgoing const& outgoing);
  /// Whether flush() would have to wait.
  [[nodiscard]] bool must_batch_wait(Outgoing const& outgoing) const;
  enum class Wait { may, must_not };
  /// Sends the open batch, if any. With Wait::must_not, does not send a batch
  /// that would have to wait. If flush() waits, another thread may send the
  /// batch meanwhile.
  void flush(Lock& lock, Outgoing& outgoing, Wait wait = Wait::may,
             bool wants_ack = false);
  [[nodiscard]] bool is_window_full(Outgoing const& outgoing) const;
  /// Whether the window is full, or the engine holds too many unsent messages
  /// to the same PE, counting all channels.
  [[nodiscard]] bool is_full(Outgoing const& outgoing) const;
  /// Waits until neither the window nor the engine is full. May temporarily
  /// unlock the mutex. Waits only once: if other threads fill the window or the
  /// engine again meanwhile, each thread that has waited may still add one
  /// message.
  void wait_for_room(Lock& lock, Outgoing& outgoing);
  /// Sends a numbered message without waiting. Counts the message toward the
  /// window and toward the next acknowledgment request.
  /// \param after The number of the last message that the target must process
  ///        before this one.
  /// \param unsent If not null, the payload must stay unchanged until the
  ///        transport calls unsent->finish().
  void post(Outgoing& outgoing, MessageHeader header, std::uint64_t after,
            std::span<std::byte const> payload, bool wants_ack = false,
            PendingOperation* unsent = nullptr);
  /// \param ends_block Whether the engine has already moved at least part of
  ///        the block.
  void post_block(Lock& lock, Outgoing& outgoing, MessageHeader const& header,
                  void const* from, std::size_t bytes, Completion completion,
                  OperationHandle* handle, bool ends_block = false);
  void ask_for_ack(Outgoing& outgoing);
  /// Locks the mutex and waits until an atomic operation may be sent
  /// immediately.
  [[nodiscard]] Lock enter_for_atomic(Outgoing& outgoing, char const* call);
  /// Before each call to the next two functions, call m_asked.make_room() under
  /// the same lock.
  void ask_for_atomic(Outgoing& outgoing, PeMemory at, AtomicOp op,
                      WordType type, std::uint64_t value, std::uint64_t compare,
                      PendingOperation& pending);
  void ask_for_get(PeMemory from, std::size_t bytes, PendingOperation& pending);
  /// Moves `pending` into a dynamically allocated object and numbers the
  /// operation so that quiet() waits for it.
  PendingOperation* begin(Outgoing& outgoing, PendingOperation pending,
                          OperationHandle* handle);
  /// Whether the handle's message has been acknowledged. If not, requests an
  /// acknowledgment.
  [[nodiscard]] bool is_acknowledged(OperationHandle& handle, char const* call);

  // Callers of these functions must not hold m_mutex:

  /// These two functions move a block, or the first part of one, without
  /// messages. A put first waits until the target has processed all messages
  /// sent before the last fence() (see wait_for_fenced()).
  /// \returns the number of bytes moved. The caller sends the remaining bytes
  ///          in a message.
  std::size_t put_one_sided(PeMemory to, void const* from, std::size_t bytes,
                            Completion completion, HostCall const& call);
  std::size_t get_one_sided(void* to, PeMemory from, std::size_t bytes,
                            Completion completion, HostCall const& call);
  /// \param left The number of bytes of the whole block that remain to be
  ///        moved, including `move.bytes`.
  void move_part(BlockMove const& move, std::size_t left, Completion completion,
                 OperationHandle* handle);
  /// Waits until the target has acknowledged all messages sent before the last
  /// fence().
  /// \returns false, without waiting, if acknowledgments are outstanding and
  ///          `bytes` is at most MessageEngine::max_eager. The caller then
  ///          sends the block in a message, which the target processes after
  ///          those messages.
  bool wait_for_fenced(Pe pe, std::size_t bytes, HostCall const& call);
  /// Ends the job if any PE is lost. Called before an operation on `pe`.
  /// \param call The name of the call, or null.
  /// \param what Describes the operation if the call has no name.
  void check_lost(char const* call, char const* what, Pe pe);
  template <class IsDone>
  void wait_until(char const* call, char const* what, Pe pe,
                  IsDone const& is_done);

  Transport_Messages& m_transport;
  std::uint16_t const m_number;
  std::vector<std::atomic<Outgoing*>> m_outgoing;  // null: nothing sent yet

  std::mutex m_mutex;
  bool m_is_closed = false;
  PendingTable m_asked;
  std::atomic<int> m_n_returning = 0;     // number of threads in enter_again()
  std::vector<Outgoing*> m_dirty;         // PEs with incomplete operations
  std::atomic<std::size_t> m_n_open = 0;  // number of open batches
  std::vector<Outgoing*> m_with_batch;    // PEs that have batch memory
  std::size_t m_n_given = 0;  // number of times batch memory was reassigned
};

/// A channel's messages to one PE.
struct Outgoing {
  using Counter = Channel::Counter;

  explicit Outgoing(Pe number) : pe(number) {}

  /// Ends the batch's last run, if any, and pads the batch to a multiple of 8
  /// bytes. The caller must hold the channel's mutex.
  void end_run();

  Pe const pe;

  // Guarded by the channel's mutex.

  std::uint64_t sent   = 0;  // the number of the last message
  std::uint64_t fenced = 0;  // number of the last message before the last
                             // fence()
  std::uint64_t asked = 0;   // number of the last message that requests an ack
  // The number of messages sent since the last quiet(), and the number sent
  // between the last two calls to quiet().
  std::uint64_t n_since_quiet = 0;
  std::uint64_t n_expected    = 1;
  // The number of bytes sent since message `half`. Once it reaches
  // Options::half_window, senders wait until message `half` has been
  // acknowledged.
  std::size_t bytes_since_half = 0;
  std::uint64_t half           = 0;
  // The number of operations that begin() has started so far, such as gets,
  // puts whose payload is read later, and blocks moved without messages.
  std::uint64_t begun      = 0;
  std::uint64_t last_block = 0;  // `begun` when the last one-sided put started
  std::size_t dirty_at     = 0;  // index in m_dirty
  bool is_dirty            = false;
  std::unique_ptr<std::byte[]> batch;
  std::size_t batch_bytes = 0;
  AtomicRunWriter run;  // the run at the end of the batch, if any
  std::uint64_t batch_tick        = 0;
  bool batch_wants_ack            = false;
  PendingOperation* batch_answers = nullptr;  // null: no entry needs a reply
  PendingTable::Token batch_token = 0;        // token of batch_answers
  std::size_t batch_answer_bytes  = 0;
  std::uint64_t n_batches         = 0;  // number of batches sent so far
  std::uint64_t last_batch        = 0;  // number of the last batch's message

  // Written by the Receiver:

  Counter acked      = 0;
  Counter unsent     = 0;  // large payloads in flight with Completion::none
  Counter gets       = 0;  // in flight with Completion::none
  Counter large_gets = 0;
  Counter blocks     = 0;  // blocks in flight without messages
  Counter answers    = 0;  // number of batches that await answers
  DoneNumbers done;        // which of the operations counted by `begun` are
                           // done
};

}  // namespace symm::Impl

#endif
