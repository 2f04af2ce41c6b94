// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_EPOCH_HPP
#define SYMM_CHECK_EPOCH_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"

namespace symm::Impl::check {

/// A PE's accesses are divided into four parts. Each part has its own clock,
/// because fences and signals order only some of the parts.
enum class Part : std::uint8_t {
  loads,    // loads, and operations that are complete on return
  stores,   // stores as other PEs see them: ordered by fence()
  network,  // puts, and all other operations that quiet() completes
  signals   // put_signal(), whose signal orders its own data
};
inline constexpr std::size_t n_parts = 4;

/// The maximum number of PEs that an Epoch can distinguish.
inline constexpr int max_pes = 64;

using Time = std::uint32_t;

/// The index of a PE's part in an array of all PEs' parts.
[[nodiscard]] SYMM_FUNCTION constexpr std::size_t part_of(Pe pe, Part part) {
  return static_cast<std::size_t>(pe) * n_parts +
         static_cast<std::size_t>(part);
}

/// An access to 8 bytes of memory, as recorded in their shadow: PE and part,
/// time, bytes, and place in the program. If all bits are 0, no access is
/// recorded.
class Epoch {
 public:
  static constexpr unsigned time_bits = 28;
  static constexpr Time latest        = (Time{1} << time_bits) - 1;
  /// A clock's last time. (The time `latest` marks an access that is not done
  /// until its context is complete.)
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
  /// Kinds of writes. `added` and `set` are signals. `whole` is a put of one
  /// word, which atomic loads may poll.
  enum class Kind : std::uint8_t { plain, added, set, whole };
  [[nodiscard]] SYMM_FUNCTION constexpr Epoch of(Kind kind) const {
    return Epoch(m_bits | static_cast<std::uint64_t>(kind) << 62U);
  }
  /// Whether `load` is an atomic load that sees either this entire write or
  /// none of it.
  [[nodiscard]] SYMM_FUNCTION constexpr bool is_whole_for(Epoch load) const {
    return !is_atomic() && m_bits >> 62U == 3 && load.is_atomic() &&
           mask() == load.mask();
  }
  /// For the read recorded in a cell: whether CheckMemory::reads_of() contains
  /// other PEs' reads.
  [[nodiscard]] SYMM_FUNCTION constexpr bool has_more() const {
    return (m_bits & more) != 0;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr Epoch with_more(bool has = true) const {
    return Epoch(has ? m_bits | more : m_bits & ~more);
  }
  /// Whether the two accesses are atomic with respect to each other. If so,
  /// both are atomic and cover the same bytes. An `added` signal and a `set`
  /// signal are not atomic with respect to each other.
  [[nodiscard]] SYMM_FUNCTION constexpr bool is_atomic_with(Epoch other) const {
    return is_atomic() && other.is_atomic() && mask() == other.mask() &&
           (m_bits >> 62U | other.m_bits >> 62U) != 3;
  }
  /// The same access with a different part and time.
  [[nodiscard]] SYMM_FUNCTION constexpr Epoch at(std::size_t part,
                                                 Time time) const {
    constexpr auto all = (std::uint64_t{1} << 36U) - 1;
    return Epoch((m_bits & ~all) | std::uint64_t{part} << 28U | time);
  }
  /// The same access, extended to the bytes in `mask`.
  [[nodiscard]] SYMM_FUNCTION constexpr Epoch with(unsigned mask) const {
    return Epoch(m_bits | std::uint64_t{mask} << 36U);
  }
  /// Whether this record already covers `other`. If so, `other` has the same
  /// part and time and no additional bytes, and both or neither are atomic. The
  /// places in the program may differ.
  [[nodiscard]] SYMM_FUNCTION constexpr bool has(Epoch other) const {
    auto const others = more | std::uint64_t{0xffff'00} << 36U |
                        std::uint64_t{~other.mask() & 0xffU} << 36U;
    return ((m_bits ^ other.m_bits) & ~others) == 0;
  }
  /// Whether both accesses have the same part and time, and both or neither are
  /// atomic. Their bytes and places in the program may differ.
  [[nodiscard]] SYMM_FUNCTION constexpr bool is_like(Epoch other) const {
    constexpr auto others = more | std::uint64_t{0xff'ffff} << 36U;
    return ((m_bits ^ other.m_bits) & ~others) == 0;
  }

 private:
  // For a read, this bit is has_more(). For a write, this bit is the upper bit
  // of the Kind.
  static constexpr auto more = std::uint64_t{1} << 63U;

  std::uint64_t m_bits;
};

}  // namespace symm::Impl::check

#endif
