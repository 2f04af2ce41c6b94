// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ERRORS_HPP
#define SYMM_ERRORS_HPP

#include <stdexcept>
#include <string_view>

/// The exceptions of this library. A collective call that fails throws on every
/// PE, with one text. If a contract says "on this PE", the other PEs are not
/// told.
namespace symm {

/// The base of all exceptions of this library. It holds its text: throwing one
/// allocates only the object, for which the C++ runtime has a reserve.
class Error : public std::runtime_error {
 public:
  /// \param text is cut at 2047 characters.
  explicit Error(std::string_view text);

  /// Names the call, its values and the PE on which it failed.
  [[nodiscard]] char const* what() const noexcept override { return m_text; }

 private:
  char m_text[2048];
};

/// The caller broke a rule: a wrong argument, a mismatched collective call, a
/// call before initialize() or after finalize(), an environment variable with
/// an invalid value.
class UsageError : public Error {
  using Error::Error;
};

/// A PE has no room for the request; nothing has changed.
class OutOfMemory : public Error {
  using Error::Error;
};

/// The operating system or MPI refused a call.
class SystemError : public Error {
 public:
  using Error::Error;
  /// "<what was tried>: <call> failed: <text of error_number>".
  SystemError(std::string_view what, char const* call, int error_number);
};

}  // namespace symm

#endif
