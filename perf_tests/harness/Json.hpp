// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_JSON_HPP
#define SYMM_PERF_JSON_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace perf {

/// One JSON object, built key by key in the order of the calls.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view value);
  JsonObject& add(std::string_view key, char const* value);
  JsonObject& add(std::string_view key, double value);
  JsonObject& add(std::string_view key, std::int64_t value);
  JsonObject& add(std::string_view key, bool value);
  JsonObject& add(std::string_view key, std::span<double const> values);

  /// The object on one line.
  [[nodiscard]] std::string str() const { return "{" + m_text + "}"; }

 private:
  void add_key(std::string_view key);

  std::string m_text;
};

}  // namespace perf

#endif
