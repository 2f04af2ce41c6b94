// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace perf {
namespace {

std::string quoted(std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string result                       = "\"";
  for (char const c : text) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20) {
      result += "\\u00";
      result += digits[code / 16U];
      result += digits[code % 16U];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, 6);
  return {text.data(), end.ptr};
}

}  // namespace

void JsonObject::add_key(std::string_view key) {
  if (!m_text.empty()) m_text += ", ";
  m_text += quoted(key) + ": ";
}

JsonObject& JsonObject::add(std::string_view key, std::string_view value) {
  add_key(key);
  m_text += quoted(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view key, char const* value) {
  return add(key, std::string_view(value));
}

JsonObject& JsonObject::add(std::string_view key, double value) {
  add_key(key);
  m_text += number(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view key, std::int64_t value) {
  add_key(key);
  m_text += std::to_string(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view key, bool value) {
  add_key(key);
  m_text += value ? "true" : "false";
  return *this;
}

JsonObject& JsonObject::add(std::string_view key,
                            std::span<double const> values) {
  add_key(key);
  std::string separator = "[";
  for (double const value : values) {
    m_text += separator + number(value);
    separator = ", ";
  }
  m_text += values.empty() ? "[]" : "]";
  return *this;
}

}  // namespace perf
