// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ERRORS_HPP
#define SYMM_ERRORS_HPP

#include <stdexcept>
#include <string_view>

/// These are the exceptions of this library. A collective call that fails
/// throws on every PE, with the same text on every PE. If a function's contract
/// says that it throws "on this PE", the other PEs do not learn of the error.
namespace symm {

/// The base class of all exceptions of this library. The object itself holds
/// the text: throwing an Error allocates only the object, for which the C++
/// runtime has a reserve.
class Error : public std::runtime_error {
 public:
  /// \param text the message, which is cut at 2047 characters.
  explicit Error(std::string_view text);

  /// Returns a text that names the call, its values and the PE on which it
  /// failed.
  [[nodiscard]] char const* what() const noexcept override { return m_text; }

 private:
  char m_text[2048];
};

/// The caller broke a rule. Examples are a wrong argument, a mismatched
/// collective call, a call before initialize() or after finalize(), and an
/// environment variable with an invalid value.
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
  /// The text is "<what was tried>: <call> failed: <text of error_number>".
  SystemError(std::string_view what, char const* call, int error_number);
};

}  // namespace symm

#endif
