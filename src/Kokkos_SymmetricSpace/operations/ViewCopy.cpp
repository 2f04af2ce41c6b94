// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ViewCopy.hpp"

#include <string>

#include "../../runtime/symm_errors.hpp"

namespace symm::Impl {

namespace {

std::string text_of(std::size_t rank, std::size_t const* extents) {
  std::string text;
  for (std::size_t r = 0; r < rank; ++r) {
    text += (r == 0 ? "" : ", ") + std::to_string(extents[r]);
  }
  return "(" + text + ")";
}

}  // namespace

void throw_extents_differ(std::size_t rank, std::size_t const* dst_extents,
                          std::size_t const* src_extents) {
  throw UsageError("symm::copy: the extents differ: the destination has " +
                   text_of(rank, dst_extents) + ", the source " +
                   text_of(rank, src_extents));
}

void throw_not_reached_by_host() {
  throw UsageError(
      "symm::copy: a View is in GPU memory, which the host cannot load or "
      "store; call symm::copy in a kernel, or use Kokkos::deep_copy");
}

}  // namespace symm::Impl
