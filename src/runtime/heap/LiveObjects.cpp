// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "LiveObjects.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace symm::Impl {

namespace {

/// A library object that owns Views.
struct Object {
  std::string name;
  std::vector<std::string> parts;  // the kinds of its Views
  int n_views = 0;
};

std::string_view label_of(std::string_view view) {
  auto const end = view.rfind("\" (");
  return view.substr(1, end == view.npos ? end : end - 1);
}

/// Turns "symm::Migration::migrate" into "symm::Migration".
std::string_view without_function(std::string_view name) {
  auto const last = name.rfind("::");
  if (last == name.npos || last + 2 >= name.size()) return name;
  auto const before   = name.substr(0, last).rfind("::");
  auto const is_class = [&](std::size_t colons) {
    return std::isupper(static_cast<unsigned char>(name[colons + 2])) != 0;
  };
  bool const is_member =
      before != name.npos && is_class(before) && !is_class(last);
  return is_member ? name.substr(0, last) : name;
}

/// Returns the name of the library object that owns a View. (The label of a
/// DistributedHashMap's mailbox also contains a comma.)
std::string name_of_object(std::string_view label) {
  auto const name  = label.substr(0, label.find(", "));
  auto const quote = name.find('"');
  if (quote == name.npos) return std::string(without_function(name));
  bool const is_closed = name.find('"', quote + 1) != name.npos;
  return std::string(name) + (is_closed ? "" : "\"");
}

Object& object_of(std::vector<Object>& objects, std::string const& name) {
  auto const found =
      std::find_if(objects.begin(), objects.end(),
                   [&](Object const& object) { return object.name == name; });
  if (found != objects.end()) return *found;
  return objects.emplace_back(Object{name, {}});
}

}  // namespace

std::vector<std::string> lines_of_live_views(
    std::span<std::string const> views) {
  constexpr char const* remedy =
      " before finalize(), for example at the end of an inner scope. The "
      "memory stays allocated until the process ends";
  std::vector<std::string> lines;
  std::vector<Object> objects;
  for (auto const& view : views) {
    auto const label = label_of(view);
    if (!label.starts_with("symm::")) {
      lines.push_back("View " + view +
                      " is still alive; destroy all Views of the space" +
                      remedy);
      continue;
    }
    auto& object = object_of(objects, name_of_object(label));
    ++object.n_views;
    auto const comma  = label.rfind(", ");
    bool const is_cut = std::count(label.begin(), label.end(), '"') % 2 != 0;
    if (comma == label.npos || is_cut) continue;
    std::string const part(label.substr(comma + 2));
    if (std::find(object.parts.begin(), object.parts.end(), part) ==
        object.parts.end())
      object.parts.push_back(part);
  }
  for (auto const& object : objects) {
    auto line = object.name +
                " is still alive (Views: " + std::to_string(object.n_views);
    for (auto const& part : object.parts)
      line += (&part == object.parts.data() ? ", of " : ", ") + part;
    lines.push_back(line + "); destroy it" + remedy);
  }
  return lines;
}

}  // namespace symm::Impl
