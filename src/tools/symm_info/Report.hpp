// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_INFO_REPORT_HPP
#define SYMM_INFO_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace symm_info {

/// One value, as text for people and in JSON.
struct Value {
  std::string text;
  std::string json;
};

Value text(std::string_view text);
Value flag(bool is_so);
Value number(std::uint64_t number);
/// For people with a unit, such as "1.5 GiB"; in JSON the number of bytes.
Value bytes(std::uint64_t bytes);
/// No value, such as of something that has no limit: null in JSON.
Value nothing(std::string_view text);
Value numbers(std::vector<int> const& numbers);
Value texts(std::vector<std::string> const& texts);
/// The same with a remark for people.
Value with_remark(Value value, std::string_view remark);

/// Lines of a name and a value; in JSON, the members of an object.
using Facts = std::vector<std::pair<std::string, Value>>;

/// Facts that are one line of text for people, and an object in JSON.
Value object(std::string_view text, Facts const& facts);

/// A title and facts. A list has the facts of any number of things.
struct Section {
  std::string title;
  bool is_list = false;
  std::vector<Facts> items;
};

void print_text(std::ostream& out, std::vector<Section> const& sections);
/// One object with a key for each section.
void print_json(std::ostream& out, std::vector<Section> const& sections);

}  // namespace symm_info

#endif
