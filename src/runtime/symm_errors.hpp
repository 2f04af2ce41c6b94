// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ERRORS_HPP
#define SYMM_ERRORS_HPP

#include <stdexcept>
#include <string_view>

/// The exceptions of this library. A collective call that fails throws on every
/// PE, with the same text. If a function's documentation says that it throws
/// "on this PE", the other PEs do not learn of the error.
namespace symm {

/// The base class of all exceptions of this library. The text is stored in the
/// object itself. Therefore, throwing an Error allocates only the exception
/// object, for which the C++ runtime keeps a reserve.
class Error : public std::runtime_error {
 public:
  /// \param text the message; truncated to 2047 characters.
  explicit Error(std::string_view text);

  /// Returns the message, which names the call, the values involved and the
  /// failing PE.
  [[nodiscard]] char const* what() const noexcept override { return m_text; }

 private:
  char m_text[2048];
};

/// The program used the library incorrectly: for example, with an invalid
/// argument, a mismatched collective call, a call before initialize() or after
/// finalize(), or an invalid value of an environment variable.
class UsageError : public Error {
  using Error::Error;
};

/// A PE has run out of memory, or of another limited resource such as contexts
/// or PE teams. The failed call has had no effect.
class OutOfMemory : public Error {
  using Error::Error;
};

/// A call to the operating system, the GPU driver or MPI failed.
class SystemError : public Error {
 public:
  using Error::Error;
  /// The text is "<what>: <call> failed: <description of error_number>".
  /// \param what what the library was trying to do.
  SystemError(std::string_view what, char const* call, int error_number);
};

}  // namespace symm

#endif
