// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_ERROR_HPP
#define SYMM_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "Text.hpp"

namespace symm {

/// What every exception of this library derives from. Private memory is needed
/// for the exception itself only, and the C++ runtime has a reserve for it.
class Error : public std::runtime_error {
 public:
  explicit Error(Text const& text) : std::runtime_error(""), m_text(text) {}

  [[nodiscard]] char const* what() const noexcept override {
    return m_text.c_str();
  }

 private:
  Text m_text;
};

/// The caller broke a rule: a wrong argument, a mismatched collective call, a
/// call before initialize() or after finalize(), a variable with junk.
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
  SystemError(Text const& what, char const* call, int error_number);
};

/// The class of an exception as a number, so that it can travel between PEs.
enum class ErrorKind : std::uint32_t { none, usage, out_of_memory, system };

/// Why a PE could not do its part of a collective call.
struct Failure {
  ErrorKind kind = ErrorKind::none;
  Text message;
};

/// Throws the exception class that `failure.kind` names.
[[noreturn]] void throw_failure(Failure const& failure);

/// The exception that is being handled, as a Failure. Call inside a catch
/// block only.
Failure current_failure() noexcept;

/// Runs `step` and returns why it failed, if it did: the first half of "catch
/// locally, agree, undo, throw". Does not throw, also where there is no private
/// memory.
template <class Step>
std::optional<Failure> failure_of(Step&& step) noexcept {
  try {
    step();
    return std::nullopt;
  } catch (...) {
    return current_failure();
  }
}

/// "0x...", for messages.
std::string address_text(void const* address);

/// "<bytes> bytes", for messages.
inline std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + " bytes";
}

}  // namespace symm

#endif
