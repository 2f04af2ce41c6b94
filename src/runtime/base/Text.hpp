// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEXT_HPP
#define SYMM_TEXT_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include "Types.hpp"

namespace symm::Impl {

template <class T>
concept TextLike = std::convertible_to<T const&, std::string_view>;

/// A type that can be appended to a text: another text, an integer, or an
/// address, which is written as "0x...".
template <class T>
concept TextPart = TextLike<T> || std::integral<T> ||
    std::convertible_to<T const&, void const*>;

/// Text that is truncated to `max_length` characters. It allocates no memory,
/// so a PE that is out of memory can still report that to other PEs.
template <std::size_t max_length>
class BasicText {
 public:
  BasicText() noexcept { clear(); }

  template <TextLike Whole>
  BasicText(Whole const& whole) noexcept : BasicText() {
    append(whole);
  }

  /// Joins the parts: Text("PE ", pe, " failed").
  template <TextPart... Parts>
  requires(sizeof...(Parts) >
           1) explicit BasicText(Parts const&... parts) noexcept
      : BasicText() {
    append(parts...);
  }

  BasicText(BasicText const& other) noexcept : BasicText() { append(other); }
  BasicText& operator=(BasicText const& other) noexcept {
    if (this == &other) return *this;
    clear();
    append(other);
    return *this;
  }
  ~BasicText() = default;

  template <TextPart... Parts>
  void append(Parts const&... parts) noexcept {
    (append_one(parts), ...);
  }

  void clear() noexcept {
    m_length  = 0;
    m_text[0] = '\0';
  }

  [[nodiscard]] bool empty() const noexcept { return m_length == 0; }
  [[nodiscard]] char const* c_str() const noexcept { return m_text.data(); }
  operator std::string_view() const noexcept {
    return {m_text.data(), m_length};
  }
  operator std::string() const { return {m_text.data(), m_length}; }

  friend bool operator==(BasicText const& a, BasicText const& b) noexcept {
    return std::string_view(a) == std::string_view(b);
  }
  template <TextLike Other>
  requires(!std::same_as<Other, BasicText>) friend bool operator==(
      BasicText const& a, Other const& b) noexcept {
    return std::string_view(a) == std::string_view(b);
  }
  friend std::ostream& operator<<(std::ostream& out, BasicText const& text) {
    return out << std::string_view(text);
  }

 private:
  template <TextPart Part>
  void append_one(Part const& part) noexcept {
    if constexpr (TextLike<Part>) {
      std::string_view const text = part;
      auto const length = std::min(text.size(), max_length - m_length);
      text.copy(m_text.data() + m_length, length);
      m_length += length;
      m_text[m_length] = '\0';
    } else if constexpr (std::integral<Part>) {
      append_number(part, 10);
    } else {
      append_one("0x");
      append_number(
          reinterpret_cast<std::uintptr_t>(static_cast<void const*>(part)), 16);
    }
  }
  void append_number(std::integral auto number, int base) noexcept {
    std::array<char, 24> digits;  // enough for 64-bit numbers
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   number, base);
    auto const length = static_cast<std::size_t>(end.ptr - digits.data());
    // The call to std::min() only suppresses a false GCC 12 warning about a
    // longer copy.
    append_one(
        std::string_view(digits.data(), std::min(length, digits.size())));
  }

  std::size_t m_length = 0;
  std::array<char, max_length + 1> m_text;
};

using Text = BasicText<2047>;

/// Allows a Text to be appended to a std::string.
inline std::string operator+(std::string left, Text const& right) {
  return left += std::string_view(right);
}

}  // namespace symm::Impl

#endif
