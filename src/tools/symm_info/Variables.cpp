// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <optional>
#include <string>

#include "../../runtime/base/EnvironmentTable.hpp"
#include "../../runtime/engines/MessageEngines.hpp"
#include "../../runtime/symm_errors.hpp"
#include "Sections.hpp"

namespace symm_info {

namespace {

using symm::Impl::EnvironmentVariable;
using symm::Impl::VariableType;

char const* name_of(VariableType type) {
  switch (type) {
    case VariableType::bytes: return "size";
    case VariableType::count: return "number";
    case VariableType::flag: return "0 or 1";
    case VariableType::seconds: return "seconds";
    case VariableType::pages: return "never, advise or size";
    default: return "text";
  }
}

/// The library's error message for a variable's value, if the value is invalid.
std::optional<std::string> junk_in(EnvironmentVariable const& variable) {
  try {
    switch (variable.type) {
      case VariableType::bytes: env_bytes(variable); break;
      case VariableType::count: env_count(variable); break;
      case VariableType::flag: env_flag(variable); break;
      case VariableType::seconds: env_seconds(variable); break;
      case VariableType::pages: env_pages(variable); break;
      default: break;
    }
    if (&variable == &symm::Impl::environment::network) {
      static_cast<void>(symm::Impl::message_engine_of_environment());
    }
    return std::nullopt;
  } catch (symm::UsageError const& error) {
    return error.what();
  }
}

/// The names after the first one: "`A`, `B`", or nothing.
std::string other_names(EnvironmentVariable const& variable) {
  std::string list;
  for (std::size_t i = 1; i < variable.names.size(); ++i) {
    if (variable.names[i] == nullptr) break;
    list += (list.empty() ? "`" : ", `") + std::string(variable.names[i]) + "`";
  }
  return list;
}

}  // namespace

Section variables(bool& is_valid) {
  Facts all;
  is_valid = true;
  for (auto const* variable : symm::Impl::environment::table) {
    std::string const name = variable->names[0];
    auto const setting     = setting_of(*variable);
    auto const value       = setting ? text(setting->text) : nothing("unset");
    bool const is_set      = setting && !setting->is_default;
    std::string from       = is_set ? "environment" : "default";
    Facts facts{{"value", value}, {"from", text(from)}};
    if (is_set) {
      facts.emplace_back("name", text(setting->name));
      if (setting->name != name) from += ", " + std::string(setting->name);
    }
    if (auto const junk = junk_in(*variable)) {
      facts.emplace_back("error", text(*junk));
      from += "; invalid: " + *junk;
      is_valid = false;
    }
    all.emplace_back(name, object(with_remark(value, from).text, facts));
  }
  return {"variables", false, {all}};
}

void print_environment_table(std::ostream& out) {
  out << "| variable | type | default | meaning |\n|---|---|---|---|\n";
  for (auto const* variable : symm::Impl::environment::table) {
    auto const others = other_names(*variable);
    out << "| `" << variable->names[0] << "` | " << name_of(variable->type)
        << " | "
        << (variable->default_text == nullptr
                ? std::string("unset")
                : "`" + std::string(variable->default_text) + "`")
        << " | " << variable->meaning
        << (others.empty() ? "" : "; if unset: " + others) << " |\n";
  }
}

}  // namespace symm_info
