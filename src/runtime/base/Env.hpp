// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENV_HPP
#define SYMM_ENV_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace symm::Impl {

enum class VariableType { bytes, count, flag, seconds, pages, text };

/// An environment variable. All variables that the library reads are listed in
/// EnvironmentTable.hpp.
struct EnvironmentVariable {
  /// Names in order of precedence: the first one that is set is used. Null
  /// entries are unused. An empty value counts as unset, unless the type is
  /// `text`.
  std::array<char const*, 3> names{};
  VariableType type = VariableType::bytes;
  /// The value in effect if none of the names is set, written as a user would
  /// write it; null if there is no default.
  char const* default_text = nullptr;
  char const* meaning      = "";  // Markdown, for environment.md and symm_info
};

/// The value in effect for a variable, and the name of the environment variable
/// that supplied it.
struct Setting {
  char const* name = nullptr;
  std::string_view text;
  bool is_default = true;
};

/// \returns the setting in effect for `variable`; nullopt if none of its names
///          is set and it has no default.
std::optional<Setting> setting_of(EnvironmentVariable const& variable);

// Each function below parses the text that setting_of() returns for `variable`.
// If the value is malformed, the error message contains the variable's name,
// its value and the accepted values.

/// Parses a number of bytes: digits, optionally with a fraction and a unit. The
/// units are B, K, M, G, T (or KB, KiB, ...), in upper or lower case, and are
/// powers of 1024. Examples: `512M`, `1.5G`. Returns nullopt if there is no
/// setting.
/// \throws UsageError on this PE.
std::optional<std::size_t> env_bytes(EnvironmentVariable const& variable);

/// Parses a whole number from 0 to 2147483647, such as `8`. Returns nullopt if
/// there is no setting.
/// \throws UsageError on this PE.
std::optional<int> env_count(EnvironmentVariable const& variable);

/// Parses a flag: `1`, `true`, `yes`, `on`, or `0`, `false`, `no`, `off` (in
/// upper or lower case). Returns nullopt if there is no setting.
/// \throws UsageError on this PE.
std::optional<bool> env_flag(EnvironmentVariable const& variable);

/// Parses a number of seconds, at least 0, such as `30` or `0.5`. Numbers other
/// than 0 are clamped to the range from 0.001 to 10^9 (31 years), which every
/// clock can represent. Returns nullopt if there is no setting.
/// \throws UsageError on this PE.
std::optional<double> env_seconds(EnvironmentVariable const& variable);

/// How a heap uses huge pages. Any value other than the two named here is the
/// size of reserved huge pages in bytes, a power of two.
enum class HugePages : std::size_t { never = 0, advise = 1 };

/// Returns the size of the reserved huge pages in bytes; 0 for `never` and
/// `advise`.
constexpr std::size_t bytes_of(HugePages pages) {
  return pages == HugePages::advise ? 0 : static_cast<std::size_t>(pages);
}

/// Parses `never`, `advise`, or a size such as `2M`. Returns nullopt if there
/// is no setting.
/// \throws UsageError on this PE.
std::optional<HugePages> env_pages(EnvironmentVariable const& variable);

/// Sets environment variables for another library, which reads them during this
/// object's lifetime. The destructor unsets them so that programs started by
/// this process do not inherit them. During this object's lifetime, no other
/// thread may read or change the environment.
class TemporaryVariables {
 public:
  TemporaryVariables()                                     = default;
  TemporaryVariables(TemporaryVariables const&)            = delete;
  TemporaryVariables& operator=(TemporaryVariables const&) = delete;
  ~TemporaryVariables();

  /// Sets a variable, unless it is already set in the environment.
  /// \param name must live as long as this object.
  /// \throws SystemError.
  void set(char const* name, char const* value);

 private:
  std::vector<char const*> m_names;
};

}  // namespace symm::Impl

#endif
