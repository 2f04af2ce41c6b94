// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "Env.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

[[noreturn]] void throw_junk(Setting const& setting, char const* accepted) {
  throw UsageError("environment variable " + std::string(setting.name) + "=" +
                   std::string(setting.text) + ": expected " + accepted);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

/// Removes the leading decimal number from `text` and returns it. Accepts no
/// sign, exponent or infinity. The result does not depend on the locale.
std::optional<double> take_number(std::string_view& text) {
  auto const is_digit = [&] {
    return !text.empty() && text[0] >= '0' && text[0] <= '9';
  };
  if (!is_digit()) return std::nullopt;
  double value = 0;
  double unit  = 1;
  for (; is_digit(); text.remove_prefix(1))
    value = 10 * value + (text[0] - '0');
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    for (; is_digit(); text.remove_prefix(1))
      value += (unit /= 10) * (text[0] - '0');
  }
  return value;
}

std::optional<double> unit_factor(std::string_view unit) {
  if (unit.empty() || unit == "b") return 1.0;
  constexpr std::string_view letters = "kmgt";
  auto const power                   = letters.find(unit[0]);
  auto const suffix                  = unit.substr(1);
  if (power == std::string_view::npos ||
      !(suffix.empty() || suffix == "b" || suffix == "ib")) {
    return std::nullopt;
  }
  return std::ldexp(1.0, 10 * (static_cast<int>(power) + 1));
}

/// Parses a number with an optional unit into bytes; returns nullopt if it is
/// malformed.
std::optional<std::size_t> bytes_in(std::string_view setting) {
  auto text         = lower_case(setting);
  auto rest         = std::string_view(text);
  auto const number = take_number(rest);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  auto const factor = unit_factor(rest);
  // 2^63 bytes exceed any address space, and a double can represent 2^63
  // exactly.
  if (!number || !factor || *number * *factor >= std::ldexp(1.0, 63)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(*number * *factor);
}

}  // namespace

std::optional<Setting> setting_of(EnvironmentVariable const& variable) {
  for (char const* name : variable.names) {
    if (name == nullptr) break;
    char const* const text = std::getenv(name);
    if (text == nullptr) continue;
    if (*text != '\0' || variable.type == VariableType::text) {
      return Setting{name, text, false};
    }
  }
  if (variable.default_text == nullptr) return std::nullopt;
  return Setting{variable.names[0], variable.default_text, true};
}

std::optional<std::size_t> env_bytes(EnvironmentVariable const& variable) {
  auto const setting = setting_of(variable);
  if (!setting) return std::nullopt;
  if (auto const bytes = bytes_in(setting->text)) return bytes;
  throw_junk(*setting,
             "a number of bytes such as 65536, 512M or 1.5G (units B, K, M, G, "
             "T; powers of 1024)");
}

std::optional<int> env_count(EnvironmentVariable const& variable) {
  auto const setting = setting_of(variable);
  if (!setting) return std::nullopt;
  auto const text = setting->text;
  int count       = 0;
  auto const [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  bool const is_whole = error == std::errc() && end == text.end();
  if (!is_whole || count < 0) {
    throw_junk(*setting, "a whole number from 0 to 2147483647");
  }
  return count;
}

std::optional<bool> env_flag(EnvironmentVariable const& variable) {
  auto const setting = setting_of(variable);
  if (!setting) return std::nullopt;
  auto const text = lower_case(setting->text);
  if (text == "1" || text == "true" || text == "yes" || text == "on") {
    return true;
  }
  if (text == "0" || text == "false" || text == "no" || text == "off") {
    return false;
  }
  throw_junk(*setting, "1 or 0 (also true/false, yes/no, on/off)");
}

std::optional<double> env_seconds(EnvironmentVariable const& variable) {
  auto const setting = setting_of(variable);
  if (!setting) return std::nullopt;
  auto rest         = setting->text;
  auto const number = take_number(rest);
  if (!number || !rest.empty()) {
    throw_junk(*setting, "a number of seconds such as 30 or 0.5 (0: never)");
  }
  return *number == 0 ? 0 : std::clamp(*number, 1e-3, 1e9);
}

std::optional<HugePages> env_pages(EnvironmentVariable const& variable) {
  auto const setting = setting_of(variable);
  if (!setting) return std::nullopt;
  auto const text = lower_case(setting->text);
  if (text == "never") return HugePages::never;
  if (text == "advise") return HugePages::advise;
  auto const bytes = bytes_in(text);
  if (!bytes || *bytes < 4096 || !std::has_single_bit(*bytes)) {
    throw_junk(*setting,
               "never, advise, or the size of a page such as 2M or 1G");
  }
  return HugePages{*bytes};
}

TemporaryVariables::~TemporaryVariables() {
  // unsetenv() fails only for invalid names, and these are valid.
  for (char const* const name : m_names) static_cast<void>(::unsetenv(name));
}

void TemporaryVariables::set(char const* name, char const* value) {
  if (std::getenv(name) != nullptr) return;
  m_names.push_back(name);
  if (::setenv(name, value, 0) != 0) {
    throw SystemError(std::string("setting ") + name, "setenv", errno);
  }
}

}  // namespace symm::Impl
