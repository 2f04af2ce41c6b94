// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_MPI_CHECK_HPP
#define SYMM_PERF_MPI_CHECK_HPP

#include <mpi.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace perf {

/// \throws std::runtime_error with MPI's own text if `code` is an error. Timed
/// loops combine the codes of their MPI calls with a bitwise OR, and check the
/// result once.
inline void check_mpi(int code, std::string_view call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  throw std::runtime_error(
      std::string(call) + " failed with code " + std::to_string(code) + ": " +
      std::string(text.data(), static_cast<std::size_t>(length)));
}

}  // namespace perf

#endif
