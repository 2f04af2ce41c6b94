// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_LAST_ERROR_HPP
#define SYMM_JOB_LAST_ERROR_HPP

#include <string>

#include "../base/Failure.hpp"
#include "../symm_errors.hpp"
#include "../symm_memory.hpp"

// Functions with a C-like interface report errors through a Status and through
// the calling thread's last_error(), which is defined in LastError.cpp.

namespace symm::Impl {

/// The call is valid but not supported on this system: Status::not_supported.
class NotSupported : public UsageError {
 public:
  using UsageError::UsageError;
};

/// Sets last_error() to the text of the exception that is being handled. Must
/// be called inside a catch block.
/// \returns the kind of exception.
ErrorKind note_last_error() noexcept;
void clear_last_error() noexcept;
/// Prints last_error() to stderr, for functions without a return value.
void print_last_error() noexcept;

/// Runs the body of a C-like function, and sets last_error() to the text of any
/// exception.
/// \returns the kind of exception; ErrorKind::none on success.
template <class Body>
ErrorKind run_noting_failure(Body const& body) noexcept {
  try {
    body();
    clear_last_error();
    return ErrorKind::none;
  } catch (...) {
    return note_last_error();
  }
}

Status status_of(ErrorKind kind) noexcept;

template <class Body>
Status status_of(Body const& body) noexcept {
  try {
    body();
    clear_last_error();
    return Status::success;
  } catch (NotSupported const&) {
    note_last_error();
    return Status::not_supported;
  } catch (...) {
    return status_of(note_last_error());
  }
}

}  // namespace symm::Impl

#endif
