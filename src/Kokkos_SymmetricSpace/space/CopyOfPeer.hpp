// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COPY_OF_PEER_HPP
#define SYMM_COPY_OF_PEER_HPP

#include <cstddef>

#include "../../runtime/base/Observer.hpp"

namespace symm::Impl {

/// Describes, for observers, a copy by the host between two addresses. The copy
/// is a put if `to` is in another PE's part of a heap, and a get if `from` is.
/// A copy within this PE's memory is described as a put without a PE.
[[nodiscard]] Operation operation_of_copy(char const* call, void const* to,
                                          void const* from, std::size_t bytes);

}  // namespace symm::Impl

#endif
