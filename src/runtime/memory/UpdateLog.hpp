// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_UPDATELOG_HPP
#define SYMM_MEMORY_UPDATELOG_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "AtomicOp.hpp"

namespace symm::Impl {

/// An operation on a far PE that a kernel requests without expecting a reply.
struct Update {
  /// WordOp::code() of an atomic operation, or one of the values below:
  enum Kind : std::uint8_t {
    store = 0xe0,  // plus the number of bytes, 1 to 8
    fence = 0xf0   // `value`: the ticket of the next request
  };

  std::uint64_t address;  // symmetric address in this PE's part; 48 bits
  std::uint64_t value;
  Pe pe;
  std::uint8_t kind;

  [[nodiscard]] SYMM_FUNCTION static std::uint8_t kind_of_store(
      std::size_t bytes) {
    return static_cast<std::uint8_t>(store + bytes);
  }
};
static_assert(1U << WordOp::code_bits <= Update::store);

/// The three words of an update in a ring in host memory. The upper byte of
/// each word is the lap number: it counts laps around the ring from 1 to 255,
/// then starts again at 1. The lap number shows the host that the word has been
/// written, so the GPU thread needs no fence between the words. The first words
/// of 32 updates are adjacent, and so are the second words and the third words.
/// A warp therefore writes 32 updates in contiguous stores.
class UpdateWords {
 public:
  static constexpr std::uint64_t size = std::uint64_t{1} << 16U;  // updates
  static constexpr std::size_t bytes  = size * 3 * sizeof(std::uint64_t);

  SYMM_FUNCTION UpdateWords(std::uint64_t* words, std::uint64_t ticket)
      : m_first(words + ticket % size / row * 3 * row + ticket % row),
        m_lap((ticket / size % 255 + 1) << 56U) {}

  [[nodiscard]] SYMM_FUNCTION std::uint64_t* word(std::size_t i) const {
    return m_first + i * row;
  }
  /// Word `i` of an update.
  [[nodiscard]] SYMM_FUNCTION std::uint64_t bits(Update const& update,
                                                 std::size_t i) const {
    auto const pe = static_cast<std::uint32_t>(update.pe);
    switch (i) {
      case 0:
        return m_lap | std::uint64_t{update.kind} << 48U |
               (update.address & lower(48));
      case 1:
        return m_lap | (pe & lower(24)) << 32U | (update.value & lower(32));
      default:
        return m_lap | std::uint64_t{pe >> 24U} << 32U | update.value >> 32U;
    }
  }
  /// Whether `word` was written in this lap around the ring.
  [[nodiscard]] bool is_of_lap(std::uint64_t word) const {
    return (word ^ m_lap) >> 56U == 0;
  }
  /// Decodes the update stored in three words. All three words must be from
  /// this lap.
  [[nodiscard]] static Update update_of(std::uint64_t a, std::uint64_t b,
                                        std::uint64_t c) {
    return {
        a & lower(48), c << 32U | (b & lower(32)),
        static_cast<Pe>((c >> 32U & lower(8)) << 24U | (b >> 32U & lower(24))),
        static_cast<std::uint8_t>(a >> 48U & lower(8))};
  }

 private:
  static constexpr std::size_t row = 32;

  [[nodiscard]] SYMM_FUNCTION static constexpr std::uint64_t lower(
      unsigned n_bits) {
    return (std::uint64_t{1} << n_bits) - 1;
  }

  std::uint64_t* m_first;
  std::uint64_t m_lap;
};

}  // namespace symm::Impl

#endif
