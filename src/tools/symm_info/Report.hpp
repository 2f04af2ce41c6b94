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

/// One fact, as a person reads it and as JSON has it.
struct Value {
  std::string text;
  std::string json;
};

Value text(std::string_view text);
Value flag(bool is_so);
Value number(std::uint64_t number);
/// With a unit for people, such as "1.5 GiB".
Value bytes(std::uint64_t bytes);
/// What the system does not limit, say: null.
Value nothing(std::string_view text);
Value numbers(std::vector<int> const& numbers);
Value texts(std::vector<std::string> const& texts);
/// The same with a remark for people.
Value with_remark(Value value, std::string_view remark);

/// Lines of a name and a value; in JSON, the members of an object.
using Facts = std::vector<std::pair<std::string, Value>>;

/// Facts that people read in one line.
Value object(std::string_view text, Facts const& facts);

/// A title over facts; as a list, over the facts of any number of things.
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
