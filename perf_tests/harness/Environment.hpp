// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_ENVIRONMENT_HPP
#define SYMM_PERF_ENVIRONMENT_HPP

#include <string>
#include <utility>
#include <vector>

#include "harness/Gpus.hpp"

namespace perf {

/// Machine, versions and load, in the order in which they are printed.
/// Measurements mean nothing without them.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// MPI must be initialized.
[[nodiscard]] Environment describe_environment(Gpus const& gpus,
                                               std::string const& command);

}  // namespace perf

#endif
