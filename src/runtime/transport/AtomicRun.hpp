// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_ATOMIC_RUN_HPP
#define SYMM_TRANSPORT_ATOMIC_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "../base/Types.hpp"
#include "Message.hpp"
#include "Updates.hpp"

namespace symm::Impl {

// A run: consecutive atomic operations of the same kind in a batch. Each
// operation takes up 4 bytes if all values are equal ("add 1"), otherwise 4
// bytes plus the value.
//
//   BatchEntry  8 bytes, Kind::run or Kind::run_of_values. The entry's offset,
//               a multiple of 2^32 words, is the base of the indices.
//   value       8 bytes, only for Kind::run
//   count       4 bytes
//   operations  `count` 4-byte indices, counted in words; for
//                 Kind::run_of_values, a 4- or 8-byte value follows each index
//   padding     zeros, up to a multiple of 8 bytes

/// Combines a batch's last entry and the operations that follow it into a run.
class AtomicRunWriter {
 public:
  /// Must be called after an atomic operation has been added to the batch as a
  /// separate entry that starts at byte `at`.
  void begin(std::size_t at, Segment segment, std::size_t offset, AtomicOp op,
             WordType type, std::uint64_t value) {
    auto const shift = shift_of(type);
    m_kind           = kind_of(segment, op, type);
    m_shift          = shift;
    m_window         = offset >> (32U + shift);
    m_count          = is_aligned(offset, shift) ? 1 : 0;
    m_at             = at;
    m_head  = BatchEntry::atomic(segment, m_window << (32U + shift), op, type);
    m_first = static_cast<std::uint32_t>(offset >> shift);
    m_value = value;
    m_has_values = false;
  }
  /// Ends the run. Must be called before a separate entry is added to the batch
  /// and before the batch is sent.
  void end() { m_count = 0; }

  /// Adds an operation if it continues the run and fits into the batch. Returns
  /// whether the operation was added.
  /// \param bytes The number of bytes used in the batch. This call increases
  ///        it, not necessarily to a multiple of 8.
  bool append(std::byte* batch, std::size_t& bytes, std::size_t capacity,
              Segment segment, std::size_t offset, AtomicOp op, WordType type,
              std::uint64_t value) {
    auto const shift = shift_of(type);
    bool const fits  = m_count != 0 && m_kind == kind_of(segment, op, type) &&
                      m_window == offset >> (32U + shift) &&
                      is_aligned(offset, shift);
    if (!fits) return false;
    std::size_t const word_bytes = std::size_t{1} << shift;
    if (m_count > 1 && !m_has_values && value != m_value) return false;
    if (m_count == 1) m_has_values = value != m_value;
    auto const each = sizeof(std::uint32_t) + (m_has_values ? word_bytes : 0);
    auto const room = m_count == 1 ? sizeof m_count + 2 * each : each;
    if (capacity - bytes < room) return false;
    if (m_count == 1) {
      bytes = begin_run(batch, word_bytes);
    }
    bytes = add(batch, bytes, static_cast<std::uint32_t>(offset >> shift),
                value, word_bytes);
    ++m_count;
    std::memcpy(batch + m_count_at, &m_count, sizeof m_count);
    return true;
  }

  /// Like append(), but adds as many leading operations of `all` as possible.
  /// Stops at the first operation that is not on PE `pe`, does not continue the
  /// run, or does not fit. Adds no operations unless the run already contains
  /// at least two.
  /// \returns the number of operations added.
  std::size_t append_all(std::byte* batch, std::size_t& bytes,
                         std::size_t capacity, Pe pe,
                         std::span<FarAtomic const> all) {
    if (m_count < 2) return 0;
    auto const shift             = m_shift;
    std::size_t const word_bytes = std::size_t{1} << shift;
    auto const each = sizeof(std::uint32_t) + (m_has_values ? word_bytes : 0);
    auto const most = std::min(all.size(), (capacity - bytes) / each);
    auto at         = bytes;
    std::size_t n   = 0;
    for (; n < most; ++n) {
      auto const& it    = all[n];
      auto const offset = it.at.offset();
      bool const fits =
          it.at.pe == pe && kind_of(it.at.segment, it.op, it.type) == m_kind &&
          offset >> (32U + shift) == m_window && is_aligned(offset, shift) &&
          (m_has_values || it.value == m_value);
      if (!fits) break;
      at = add(batch, at, static_cast<std::uint32_t>(offset >> shift), it.value,
               word_bytes);
    }
    bytes = at;
    m_count += static_cast<std::uint32_t>(n);
    std::memcpy(batch + m_count_at, &m_count, sizeof m_count);
    return n;
  }

 private:
  static unsigned shift_of(WordType type) {
    return type <= WordType::f32 ? 2 : 3;
  }
  static bool is_aligned(std::size_t offset, unsigned shift) {
    return (offset & ((std::size_t{1} << shift) - 1)) == 0;
  }
  static std::uint32_t kind_of(Segment segment, AtomicOp op, WordType type) {
    return static_cast<std::uint32_t>(segment) << 8U | WordOp{op, type}.code();
  }

  /// Converts the first operation's entry into a run that contains only that
  /// operation.
  std::size_t begin_run(std::byte* batch, std::size_t word_bytes) {
    auto const head = m_head.as_run(m_has_values).word();
    std::memcpy(batch + m_at, &head, sizeof head);
    m_count_at = m_at + BatchEntry::head_bytes;
    if (!m_has_values)
      m_count_at += sizeof m_value;  // the value stays in place
    return add(batch, m_count_at + sizeof m_count, m_first, m_value,
               word_bytes);
  }
  std::size_t add(std::byte* batch, std::size_t at, std::uint32_t index,
                  std::uint64_t value, std::size_t word_bytes) const {
    std::memcpy(batch + at, &index, sizeof index);
    at += sizeof index;
    if (!m_has_values) return at;
    std::memcpy(batch + at, &value, word_bytes);
    return at + word_bytes;
  }

  std::uint32_t m_count  = 0;  // 0: no entry; 1: one entry, not yet a run
  std::uint32_t m_kind   = 0;
  unsigned m_shift       = 0;  // log2 of the word's size in bytes
  std::uint32_t m_first  = 0;  // the first operation's index
  std::size_t m_at       = 0;
  std::size_t m_count_at = 0;
  std::uint64_t m_value  = 0;
  std::uint64_t m_window = 0;  // number of the 2^32-word window that contains
                               // the run
  BatchEntry m_head{0};
  bool m_has_values = false;
};

/// Reads a run.
class AtomicRunReader {
 public:
  /// \param payload The rest of the batch after the entry's word.
  /// \returns nullopt if the payload is too short.
  static std::optional<AtomicRunReader> make(
      BatchEntry entry, std::span<std::byte const> payload) {
    AtomicRunReader run(entry);
    std::uint32_t count = 0;
    auto const before = (run.m_has_values ? 0 : sizeof m_value) + sizeof count;
    if (payload.size() < before) return std::nullopt;
    if (!run.m_has_values)
      std::memcpy(&run.m_value, payload.data(), sizeof run.m_value);
    std::memcpy(&count, payload.data() + before - sizeof count, sizeof count);
    run.m_bytes = round_up(before + count * run.m_step, 8);
    if (payload.size() < run.m_bytes) return std::nullopt;
    run.m_count      = count;
    run.m_operations = payload.data() + before;
    return run;
  }

  [[nodiscard]] std::size_t count() const { return m_count; }
  /// The run's size in the batch, in bytes, excluding the entry's word.
  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  /// The byte offset of operation `i`'s word relative to the run's offset.
  [[nodiscard]] std::size_t offset(std::size_t i) const {
    std::uint32_t index = 0;
    std::memcpy(&index, m_operations + i * m_step, sizeof index);
    return index * m_word_bytes;
  }
  [[nodiscard]] std::uint64_t value(std::size_t i) const {
    if (!m_has_values) return m_value;
    auto const* const at = m_operations + i * m_step + sizeof(std::uint32_t);
    std::uint64_t value  = 0;
    if (m_word_bytes == sizeof value) {
      std::memcpy(&value, at, sizeof value);
    } else {
      std::memcpy(&value, at, sizeof(std::uint32_t));
    }
    return value;
  }

 private:
  explicit AtomicRunReader(BatchEntry entry)
      : m_has_values(entry.kind() == BatchEntry::Kind::run_of_values),
        m_word_bytes(bytes_of(entry.type())),
        m_step(sizeof(std::uint32_t) + (m_has_values ? m_word_bytes : 0)) {}

  bool m_has_values;
  std::size_t m_word_bytes;
  std::size_t m_step;
  std::size_t m_count           = 0;
  std::size_t m_bytes           = 0;
  std::uint64_t m_value         = 0;
  std::byte const* m_operations = nullptr;
};

}  // namespace symm::Impl

#endif
