// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_PASSEDSOURCES_HPP
#define SYMM_TEAMS_PASSEDSOURCES_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Selects the sources that each PE receives along with the checks of a host
/// collective call.
enum class Passing {
  nothing,
  to_all,      // all members' sources
  to_combine,  // all members' sources, for a reduction
  by_root,     // the root's source
  to_each      // from each member's source, the block for this PE
};
// If the sources are too large for to_combine, the call may use to_each
// instead: see CollectiveCall::may_pass_shares.

/// Gives read access to elements of type T in a byte array that need not be
/// aligned.
template <class T>
requires std::is_trivially_copyable_v<T>
class PassedElements {
 public:
  explicit PassedElements(std::byte const* first) : m_first(first) {}

  [[nodiscard]] T operator[](std::size_t i) const {
    alignas(T) std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), m_first + i * sizeof(T), sizeof(T));
    return std::bit_cast<T>(bytes);
  }

 private:
  std::byte const* m_first;
};

/// The sources that members have piggybacked on the checks of a host collective
/// call. Each source is a block of bytes. Valid until this PE's next collective
/// call on the PE team.
class PassedSources {
 public:
  /// Member i's source is at first + i * stride.
  static PassedSources in_order(void const* first, std::size_t stride) {
    return {first, stride, 0, 0};
  }
  /// The source of member me - i (modulo n) is at my_source + i * stride.
  static PassedSources backwards(void const* my_source, std::size_t stride,
                                 Pe me, int n) {
    return {my_source, stride, me, n};
  }

  /// Member `member`'s source. With Passing::by_root, only the root's source is
  /// valid.
  [[nodiscard]] std::byte const* of(Pe member) const {
    int const distance = m_me - member;
    int const place =
        m_n == 0 ? member : (distance < 0 ? distance + m_n : distance);
    return m_first + static_cast<std::size_t>(place) * m_stride;
  }
  template <class T>
  [[nodiscard]] PassedElements<T> elements(Pe member) const {
    return PassedElements<T>(of(member));
  }

 private:
  PassedSources(void const* first, std::size_t stride, Pe me, int n)
      : m_first(static_cast<std::byte const*>(first)),
        m_stride(stride),
        m_me(me),
        m_n(n) {}

  std::byte const* m_first;
  std::size_t m_stride;
  Pe m_me;
  int m_n;  // 0 if in order
};

}  // namespace symm::Impl

#endif
