// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LAST_ERROR_HPP
#define SYMM_LAST_ERROR_HPP

#include <functional>
#include <optional>

#include "../runtime/Error.hpp"

namespace symm {

/// Why the latest of the C-like functions on this thread returned null, an
/// error or nothing done; "" if it did not fail. Valid until the next of them.
[[nodiscard]] char const* last_error() noexcept;

/// Runs the body of a C-like function: what it throws becomes last_error().
/// \returns what kind of failure it was; ErrorKind::none for success.
ErrorKind run_noting_failure(std::function<void()> const& body) noexcept;

}  // namespace symm

#endif
