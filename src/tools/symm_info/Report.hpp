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

/// One value, as human-readable text and as JSON.
struct Value {
  std::string text;
  std::string json;
};

Value text(std::string_view text);
Value flag(bool is_so);
Value number(std::uint64_t number);
/// The text includes a unit, such as "1.5 GiB". JSON contains the number of
/// bytes.
Value bytes(std::uint64_t bytes);
/// A missing value, for instance if there is no limit: null in JSON.
Value nothing(std::string_view text);
Value numbers(std::vector<int> const& numbers);
Value texts(std::vector<std::string> const& texts);
/// Adds a remark to the text; JSON is unchanged.
Value with_remark(Value value, std::string_view remark);

/// Names and values: lines in the text, members of an object in JSON.
using Facts = std::vector<std::pair<std::string, Value>>;

/// Facts that are one line in the text and an object in JSON.
Value object(std::string_view text, Facts const& facts);

/// A title and facts. In a list, `items` holds the facts of each item.
struct Section {
  std::string title;
  bool is_list = false;
  std::vector<Facts> items;
};

void print_text(std::ostream& out, std::vector<Section> const& sections);
/// Prints one JSON object with a key for each section.
void print_json(std::ostream& out, std::vector<Section> const& sections);

}  // namespace symm_info

#endif
