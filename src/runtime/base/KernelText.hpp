// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KERNEL_TEXT_HPP
#define SYMM_KERNEL_TEXT_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <symm_gpu/KernelAbort.hpp>
#include "Function.hpp"

// If SYMM_CHECKS_IN_KERNELS is defined, kernels check preconditions. A library
// built with these checks defines the macro for itself and for its users,
// because an inline function must have the same body everywhere in a program.
// NDEBUG does not control the checks, because it may differ between source
// files.

namespace symm::Impl {

/// An error message with which a kernel aborts the program, truncated to 255
/// characters. Uses no dynamic memory. Callable from host and device code.
class KernelText {
 public:
  SYMM_FUNCTION KernelText& operator<<(char const* text) {
    for (; *text != '\0' && m_length < capacity; ++text) {
      m_text[m_length++] = *text;
    }
    m_text[m_length] = '\0';
    return *this;
  }
  template <std::integral T>
  SYMM_FUNCTION KernelText& operator<<(T number) {
    auto const value = static_cast<std::uint64_t>(number);
    if constexpr (std::signed_integral<T>) {
      if (number < 0) return *this << "-" << std::uint64_t{0} - value;
    }
    return add_digits(value, 10);
  }
  SYMM_FUNCTION KernelText& operator<<(void const* address) {
    *this << "0x";
    return add_digits(reinterpret_cast<std::uintptr_t>(address), 16);
  }

  /// Prints the message to stderr and aborts the program. On a GPU, aborts the
  /// kernel, after which the process can no longer use the GPU.
  SYMM_FUNCTION void abort() const {
#ifdef SYMM_FOR_DEVICE
    InKernel::abort(m_text);
#else
    std::fprintf(stderr, "%s\n", m_text);
    std::abort();
#endif
  }

 private:
  static constexpr int capacity = 255;

  SYMM_FUNCTION KernelText& add_digits(std::uint64_t value, unsigned base) {
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

#ifdef SYMM_CHECKS_IN_KERNELS
inline constexpr bool has_checks_in_kernels = true;
#else
inline constexpr bool has_checks_in_kernels = false;
#endif

/// Aborts the program with the message "<call>: <text>" if `is_met` is false.
/// Does nothing without SYMM_CHECKS_IN_KERNELS.
SYMM_INLINE_FUNCTION void expect([[maybe_unused]] bool is_met,
                                 [[maybe_unused]] char const* call,
                                 [[maybe_unused]] char const* text) {
  if constexpr (has_checks_in_kernels) {
    if (!is_met) (KernelText() << call << ": " << text).abort();
  }
}

}  // namespace symm::Impl

#endif
