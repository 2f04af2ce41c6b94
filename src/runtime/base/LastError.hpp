// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LAST_ERROR_HPP
#define SYMM_LAST_ERROR_HPP

#include "Failure.hpp"

namespace symm {

/// Why the latest of the C-like functions on this thread returned null, an
/// error or nothing done; "" if it did not fail. Valid until the next of them.
[[nodiscard]] char const* last_error() noexcept;

}  // namespace symm

namespace symm::Impl {

void clear_last_error() noexcept;
/// Makes the exception that is being handled last_error(): call it inside a
/// catch block only.
/// \returns its kind.
ErrorKind note_last_error() noexcept;

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

}  // namespace symm::Impl

#endif
