// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_KERNELTEXT_HPP
#define KOKKOS_SYMMETRICSPACE_KERNELTEXT_HPP

#include <concepts>
#include <cstdint>

#include <Kokkos_Core.hpp>

/// Whether preconditions are checked in kernels: where Kokkos checks its own
/// (KOKKOS_EXPECTS).
#if !defined(NDEBUG) || defined(KOKKOS_ENFORCE_CONTRACTS) || \
    defined(KOKKOS_ENABLE_DEBUG)
#define SYMM_CHECKS_IN_KERNELS
#endif

namespace symm::Impl {

/// What a kernel says before it stops the program: one text, of up to 255
/// characters, put together without memory of a heap. Callable from host and
/// device.
class KernelText {
 public:
  KOKKOS_FUNCTION KernelText& operator<<(char const* text) {
    for (; *text != '\0' && m_length < capacity; ++text) {
      m_text[m_length++] = *text;
    }
    m_text[m_length] = '\0';
    return *this;
  }
  template <std::integral T>
  KOKKOS_FUNCTION KernelText& operator<<(T number) {
    auto const value = static_cast<std::uint64_t>(number);
    if constexpr (std::signed_integral<T>) {
      if (number < 0) return *this << "-" << std::uint64_t{0} - value;
    }
    return add_digits(value, 10);
  }
  KOKKOS_FUNCTION KernelText& operator<<(void const* address) {
    *this << "0x";
    return add_digits(reinterpret_cast<std::uintptr_t>(address), 16);
  }

  KOKKOS_FUNCTION void abort() const { Kokkos::abort(m_text); }

 private:
  static constexpr int capacity = 255;

  KOKKOS_FUNCTION KernelText& add_digits(std::uint64_t value, unsigned base) {
    char digits[21] = {};
    char* first     = digits + 20;
    do {
      auto const digit = static_cast<char>(value % base);
      *--first = static_cast<char>(digit + (digit < 10 ? '0' : 'a' - 10));
      value /= base;
    } while (value != 0);
    return *this << static_cast<char const*>(first);
  }

  char m_text[capacity + 1] = {};
  int m_length              = 0;
};

}  // namespace symm::Impl

#endif
