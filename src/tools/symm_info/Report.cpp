// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

// Writes JSON without a library so that the build does not depend on one. The
// objects contain only a few value types.

namespace symm_info {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x",
                    static_cast<unsigned>(c));
      result += code.data();
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string json_of(Facts const& facts, std::string const& indent) {
  std::string result;
  for (auto const& [name, value] : facts) {
    result += (result.empty() ? "{\n" : ",\n") + indent + "  " + quoted(name) +
              ": " + value.json;
  }
  return result + "\n" + indent + "}";
}

}  // namespace

Value text(std::string_view text) { return {std::string(text), quoted(text)}; }

Value flag(bool is_so) {
  return {is_so ? "yes" : "no", is_so ? "true" : "false"};
}

Value number(std::uint64_t number) {
  auto const digits = std::to_string(number);
  return {digits, digits};
}

Value bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto count       = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; count >= 1024 && unit + 1 < units.size(); ++unit) count /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g %s", count, units.at(unit));
  return {text.data(), std::to_string(bytes)};
}

Value nothing(std::string_view text) { return {std::string(text), "null"}; }

Value numbers(std::vector<int> const& numbers) {
  std::string list;
  for (int const number : numbers) {
    list += (list.empty() ? "" : ", ") + std::to_string(number);
  }
  return {list.empty() ? "none" : list, "[" + list + "]"};
}

Value texts(std::vector<std::string> const& texts) {
  std::string list;
  std::string json;
  for (auto const& text : texts) {
    list += (list.empty() ? "" : ", ") + text;
    json += (json.empty() ? "" : ", ") + quoted(text);
  }
  return {list.empty() ? "none" : list, "[" + json + "]"};
}

Value with_remark(Value value, std::string_view remark) {
  value.text += " (" + std::string(remark) + ")";
  return value;
}

Value object(std::string_view text, Facts const& facts) {
  return {std::string(text), json_of(facts, "    ")};
}

void print_text(std::ostream& out, std::vector<Section> const& sections) {
  std::size_t width = 0;
  for (auto const& section : sections) {
    for (auto const& facts : section.items) {
      for (auto const& fact : facts) {
        width = std::max(width, fact.first.size());
      }
    }
  }
  char const* separator = "";
  for (auto const& section : sections) {
    for (std::size_t i = 0; i < section.items.size(); ++i) {
      out << separator << section.title;
      if (section.is_list) out << ' ' << i;
      out << '\n';
      separator = "\n";
      for (auto const& [name, value] : section.items[i]) {
        out << "  " << name << std::string(width + 2 - name.size(), ' ')
            << value.text << '\n';
      }
    }
  }
}

void print_json(std::ostream& out, std::vector<Section> const& sections) {
  char const* separator = "{\n";
  for (auto const& section : sections) {
    std::string all;
    for (auto const& facts : section.items) {
      all += (all.empty() ? "" : ", ") + json_of(facts, "  ");
    }
    out << separator << "  " << quoted(section.title) << ": "
        << (section.is_list ? "[" + all + "]" : all);
    separator = ",\n";
  }
  out << "\n}\n";
}

}  // namespace symm_info
