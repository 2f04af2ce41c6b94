// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_MESSAGE_HPP
#define SYMM_TRANSPORT_MESSAGE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "../base/Types.hpp"
#include "../engines/MessageEngine.hpp"
#include "Transport.hpp"

namespace symm::Impl {

// Each message consists of a header and a payload. All PEs run the same program
// on the same kind of processor, so objects are sent as raw bytes.
static_assert(std::endian::native == std::endian::little);

/// The maximum payload of a strided operation, in bytes. The payload contains
/// the elements, packed.
inline constexpr std::size_t max_strided = MessageEngine::max_eager;

enum class MessageKind : std::uint8_t {
  // Numbered messages, which the target acknowledges. Each comment describes
  // the payload.
  put,           // the data
  put_strided,   // packed elements
  put_signal,    // the data; the target then updates the signal
  atomic,        // answered by atomic_reply
  node_updates,  // NodeUpdates; if `compare` is 0, all updates use `value`;
                 // otherwise, a value follows each update
  batch,         // a sequence of BatchEntries; if the header has a token, one
                 // get_reply returns all answers, in entry order
  // Unnumbered messages:
  get,          // answered by get_reply
  get_strided,  // the same, with packed elements
  get_reply,
  atomic_reply,
  ack,          // no payload, only the header's `acked`
  ack_request,  // requests an ack for all messages up to `number`
  key_request,  // requests the key of the chunk at `offset`; answered by key
  key,          // WireKey, or empty if only messages can reach the chunk
  note,         // StepMessages::send() with this `number`
  where,        // asks which call the receiver is in; answered by progress
  progress,     // WireProgress and the call's name
  farewell      // the sender ends the job, because PE `offset` has found PE
                // `number` lost; the payload gives the reason
};

constexpr bool is_numbered(MessageKind kind) {
  return kind <= MessageKind::batch;
}

struct MessageHeader {
  MessageKind kind;
  Segment segment{};
  AtomicOp op{};
  WordType type{};
  /// Whether the sender wants an ack as soon as this message has been
  /// processed.
  bool wants_ack = false;
  Segment signal_segment{};
  /// In an answer or an ack, the receiver's channel; otherwise the sender's.
  std::uint16_t channel = 0;

  /// Only in numbered messages: 1, 2, ..., counted separately for each channel
  /// and target.
  std::uint64_t number = 0;
  /// The target processes all messages up to this number before this one.
  std::uint64_t after = 0;
  /// The sender has processed all messages up to this number that the receiver
  /// sent on channel `channel`. 0: no acknowledgment.
  std::uint64_t acked = 0;

  std::uint64_t offset = 0;
  union Detail {
    struct {
      std::uint64_t offset;
      std::uint64_t value;
    } signal;
    struct {
      std::uint64_t value;  // in a reply: the word's old value
      std::uint64_t compare;
      std::uint64_t token;
    } atomic;
    struct {
      std::uint64_t bytes;
      std::uint64_t token;  // from the PendingTable; returned in get_reply
    } get;
    struct {
      std::uint32_t element_bytes;
      std::uint32_t count;
      std::uint64_t remote_bytes;
      std::uint64_t token;  // as in `get`
    } strided;
  } detail{};
};
static_assert(std::is_trivially_copyable_v<MessageHeader>);
static_assert(sizeof(MessageHeader) <= MessageEngine::max_header);

/// The numbers in a PeProgress, as sent in a message.
struct WireProgress {
  std::uint64_t n_calls        = 0;
  std::uint64_t is_in_finalize = 0;
  std::uint64_t object_key     = 0;
};

/// The data that another PE needs for one-sided operations on a chunk of this
/// PE's heap.
struct WireKey {
  OneSided::Key key{};
  std::uint64_t address = 0;  // the chunk's address in its owner's address
                              // space
};

inline std::span<std::byte const> bytes_of(MessageHeader const& header) {
  return {reinterpret_cast<std::byte const*>(&header), sizeof header};
}

/// The inverse of bytes_of().
inline MessageHeader header_of(std::span<std::byte const> bytes) {
  MessageHeader header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

/// An operation in a batch: an 8-byte word that describes the operation,
/// followed by the operation's data, padded to a multiple of 8 bytes. An 8-byte
/// put takes up 16 bytes, and a get takes up 8. Answers are padded to a
/// multiple of 8 bytes, too.
class BatchEntry {
 public:
  static constexpr std::size_t max_bytes    = 512;
  static constexpr std::size_t head_bytes   = 8;
  static constexpr std::uint64_t end_offset = std::uint64_t{1} << 48U;

  enum class Kind : std::uint8_t {
    put,
    atomic,
    get,
    fetch,
    run,  // a run of atomic operations: AtomicRun.hpp
    run_of_values
  };

  static BatchEntry put(Segment segment, std::size_t offset,
                        std::size_t bytes) {
    return BatchEntry(Kind::put, segment, offset, bytes);
  }
  static BatchEntry atomic(Segment segment, std::size_t offset, AtomicOp op,
                           WordType type) {
    return BatchEntry(Kind::atomic, segment, offset, WordOp{op, type}.code());
  }
  static BatchEntry get(Segment segment, std::size_t offset,
                        std::size_t bytes) {
    return BatchEntry(Kind::get, segment, offset, bytes);
  }
  /// A fetching atomic operation: the target replies with the old value. The
  /// entry's data are `value` and `compare`.
  static BatchEntry fetch(Segment segment, std::size_t offset, AtomicOp op,
                          WordType type) {
    return BatchEntry(Kind::fetch, segment, offset, WordOp{op, type}.code());
  }
  explicit BatchEntry(std::uint64_t word) : m_word(word) {}
  /// The head of a run whose operations are of this entry's kind.
  [[nodiscard]] BatchEntry as_run(bool has_values) const {
    auto const run_kind = has_values ? Kind::run_of_values : Kind::run;
    return BatchEntry(run_kind, segment(), offset(), detail());
  }

  [[nodiscard]] std::uint64_t word() const { return m_word; }
  [[nodiscard]] Kind kind() const { return static_cast<Kind>(m_word >> 60U); }
  [[nodiscard]] Segment segment() const {
    return static_cast<Segment>(m_word >> 58U & 3U);
  }
  [[nodiscard]] std::size_t offset() const { return m_word & (end_offset - 1); }
  /// The number of bytes that the operation accesses on the target.
  [[nodiscard]] std::size_t bytes() const {
    return is_block() ? detail() : bytes_of(type());
  }
  [[nodiscard]] AtomicOp op() const { return WordOp::of(detail()).op; }
  [[nodiscard]] WordType type() const { return WordOp::of(detail()).type; }
  [[nodiscard]] bool is_run() const { return kind() >= Kind::run; }
  /// The number of bytes that the data take up in the batch. Not valid for
  /// runs.
  [[nodiscard]] std::size_t room() const {
    switch (kind()) {
      case Kind::put: return round_up(detail(), 8);
      case Kind::atomic: return 8;
      case Kind::get: return 0;
      default: return 16;
    }
  }
  /// The number of bytes that the answer takes up in the reply; 0 if there is
  /// no answer.
  [[nodiscard]] std::size_t answer_room() const {
    bool const is_answered = kind() == Kind::get || kind() == Kind::fetch;
    return is_answered ? round_up(bytes(), 8) : 0;
  }
  /// Whether this is a put or a get, rather than an atomic operation.
  [[nodiscard]] bool is_block() const {
    return kind() == Kind::put || kind() == Kind::get;
  }

 private:
  BatchEntry(Kind kind, Segment segment, std::size_t offset, std::size_t detail)
      : m_word(static_cast<std::uint64_t>(kind) << 60U |
               static_cast<std::uint64_t>(segment) << 58U |
               static_cast<std::uint64_t>(detail) << 48U | offset) {}
  [[nodiscard]] std::size_t detail() const { return m_word >> 48U & 0x3ffU; }

  std::uint64_t m_word;
};
static_assert(static_cast<unsigned>(Segment::device_team_words) < 4);
static_assert(BatchEntry::max_bytes < 0x400);
static_assert(WordOp::code_bits <= 10);

}  // namespace symm::Impl

#endif
