// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_EPOCH_HPP
#define SYMM_CHECK_EPOCH_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"

namespace symm::Impl::check {

/// The work of a PE has four parts, each with a clock, as fences and signals
/// order some and not others.
enum class Part : std::uint8_t {
  loads,    // and operations that are complete when they return
  stores,   // for others: ordered by fence()
  network,  // puts, and all that quiet() completes
  signals   // put_signal(), whose signal orders its own data
};
inline constexpr std::size_t n_parts = 4;

/// As many as an Epoch can name.
inline constexpr int max_pes = 64;

using Time = std::uint32_t;

/// The number of a part of a PE among those of all.
[[nodiscard]] SYMM_FUNCTION constexpr std::size_t part_of(Pe pe, Part part) {
  return static_cast<std::size_t>(pe) * n_parts +
         static_cast<std::size_t>(part);
}

/// An access, as the shadow of 8 bytes remembers it: who, when, which of the
/// bytes, and where in the program. 0: none.
class Epoch {
 public:
  static constexpr unsigned time_bits = 28;
  static constexpr Time latest        = (Time{1} << time_bits) - 1;
  /// Of clocks: they end there. (Accesses at `latest` are not done before
  /// their context is complete.)
  static constexpr Time last = latest - 1;

  SYMM_FUNCTION constexpr explicit Epoch(std::uint64_t bits = 0)
      : m_bits(bits) {}
  SYMM_FUNCTION constexpr Epoch(std::size_t part, Time time, unsigned mask,
                                std::uint16_t site, bool is_atomic)
      : m_bits(std::uint64_t{time} | std::uint64_t{part} << 28U |
               std::uint64_t{mask} << 36U | std::uint64_t{site} << 44U |
               (is_atomic ? std::uint64_t{1} << 60U : 0) |
               std::uint64_t{1} << 61U) {}

  [[nodiscard]] SYMM_FUNCTION constexpr std::uint64_t bits() const {
    return m_bits;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr bool is_access() const {
    return m_bits != 0;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr Time time() const {
    return static_cast<Time>(m_bits) & latest;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr std::size_t part() const {
    return m_bits >> 28U & 0xffU;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr Pe pe() const {
    return static_cast<Pe>(part() / n_parts);
  }
  [[nodiscard]] SYMM_FUNCTION constexpr Part kind() const {
    return static_cast<Part>(part() % n_parts);
  }
  [[nodiscard]] SYMM_FUNCTION constexpr unsigned mask() const {
    return static_cast<unsigned>(m_bits >> 36U) & 0xffU;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr std::uint16_t site() const {
    return static_cast<std::uint16_t>(m_bits >> 44U);
  }
  [[nodiscard]] SYMM_FUNCTION constexpr bool is_atomic() const {
    return (m_bits >> 60U & 1U) != 0;
  }
  /// Of writes: a signal that is added, or set; a put of one word, which atomic
  /// loads may poll.
  enum class Kind : std::uint8_t { plain, added, set, whole };
  [[nodiscard]] SYMM_FUNCTION constexpr Epoch of(Kind kind) const {
    return Epoch(m_bits | static_cast<std::uint64_t>(kind) << 62U);
  }
  /// Whether an atomic load finds all of this write or nothing of it.
  [[nodiscard]] SYMM_FUNCTION constexpr bool is_whole_for(Epoch load) const {
    return !is_atomic() && m_bits >> 62U == 3 && load.is_atomic() &&
           mask() == load.mask();
  }
  /// Of the read in a cell: whether other PEs' are in CheckMemory::reads_of().
  [[nodiscard]] SYMM_FUNCTION constexpr bool has_more() const {
    return (m_bits & more) != 0;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr Epoch with_more(bool has = true) const {
    return Epoch(has ? m_bits | more : m_bits & ~more);
  }
  /// Whether both are whole for each other: atomic, of the same bytes.
  [[nodiscard]] SYMM_FUNCTION constexpr bool is_atomic_with(Epoch other) const {
    return is_atomic() && other.is_atomic() && mask() == other.mask() &&
           (m_bits >> 62U | other.m_bits >> 62U) != 3;
  }
  /// The same access by another part, or at another time.
  [[nodiscard]] SYMM_FUNCTION constexpr Epoch at(std::size_t part,
                                                 Time time) const {
    constexpr auto all = (std::uint64_t{1} << 36U) - 1;
    return Epoch((m_bits & ~all) | std::uint64_t{part} << 28U | time);
  }
  /// The same access of more bytes.
  [[nodiscard]] SYMM_FUNCTION constexpr Epoch with(unsigned mask) const {
    return Epoch(m_bits | std::uint64_t{mask} << 36U);
  }
  /// Whether `other` is one of the accesses that this one stands for: of the
  /// same part at the same time, wherever in the program, of no more bytes.
  [[nodiscard]] SYMM_FUNCTION constexpr bool has(Epoch other) const {
    auto const others = more | std::uint64_t{0xffff'00} << 36U |
                        std::uint64_t{~other.mask() & 0xffU} << 36U;
    return ((m_bits ^ other.m_bits) & ~others) == 0;
  }
  /// Whether both are of the same part at the same time, wherever in the
  /// program.
  [[nodiscard]] SYMM_FUNCTION constexpr bool is_like(Epoch other) const {
    constexpr auto others = more | std::uint64_t{0xff'ffff} << 36U;
    return ((m_bits ^ other.m_bits) & ~others) == 0;
  }

 private:
  // The bit that says of a write that it is a signal that is set.
  static constexpr auto more = std::uint64_t{1} << 63U;

  std::uint64_t m_bits;
};

}  // namespace symm::Impl::check

#endif
