// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_TEMPORARY_VARIABLES_HPP
#define SYMM_BASE_TEMPORARY_VARIABLES_HPP

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "../symm_errors.hpp"
#include "Text.hpp"

namespace symm::Impl {

/// Variables of the environment, for a library that reads them while this
/// object lives. It unsets them in the end: programs that this process starts
/// do not inherit them. No other thread may read or change the environment
/// meanwhile.
class TemporaryVariables {
 public:
  TemporaryVariables()                                     = default;
  TemporaryVariables(TemporaryVariables const&)            = delete;
  TemporaryVariables& operator=(TemporaryVariables const&) = delete;
  ~TemporaryVariables() {
    // It fails for no name that has been set.
    for (char const* const name : m_names) static_cast<void>(::unsetenv(name));
  }

  /// Sets a variable, unless it is set.
  /// \param name lives as long as this object.
  /// \throws SystemError.
  void set(char const* name, char const* value) {
    if (std::getenv(name) != nullptr) return;
    m_names.push_back(name);
    if (::setenv(name, value, 0) != 0) {
      throw SystemError(Text("setting ", std::string_view(name)), "setenv",
                        errno);
    }
  }

 private:
  std::vector<char const*> m_names;
};

}  // namespace symm::Impl

#endif
