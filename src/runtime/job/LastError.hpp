// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_LAST_ERROR_HPP
#define SYMM_JOB_LAST_ERROR_HPP

#include <string>

#include "../base/Failure.hpp"
#include "../symm_errors.hpp"
#include "../symm_memory.hpp"

// C-like functions fail with last_error() of this thread and a Status.
// (last_error() is defined in LastError.cpp.)

namespace symm::Impl {

/// The call is right, but cannot be done here: Status::not_supported.
class NotSupported : public UsageError {
 public:
  using UsageError::UsageError;
};

/// Makes the exception that is being handled last_error(): call it inside a
/// catch block only.
/// \returns its kind.
ErrorKind note_last_error() noexcept;
void clear_last_error() noexcept;
/// Prints it on stderr, for functions that return nothing.
void print_last_error() noexcept;

/// Runs the body of a C-like function: what it throws becomes last_error().
/// \returns what kind of failure it was; ErrorKind::none for success.
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
