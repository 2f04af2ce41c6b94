// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_INFO_SECTIONS_HPP
#define SYMM_INFO_SECTIONS_HPP

#include <ostream>

#include "Report.hpp"

namespace symm_info {

/// The library's version, and the compiler and libraries with which it was
/// built.
Section build();

/// The GPU driver, or the reason why there is none.
Section gpu_driver();
Section gpus();

/// How PEs communicate within a node and between nodes.
Section network();

/// The system's limits on this process that affect the library.
Section limits();

/// The NUMA nodes of the machine, of this process's CPUs, and of heap pages
/// that this process touches first.
Section numa();

/// The environment variables: the value in effect and the source of each.
/// \param is_valid set to false if a variable is malformed.
Section variables(bool& is_valid);
/// Prints the environment variables in the format of the table in
/// docs/environment.md.
void print_environment_table(std::ostream& out);

}  // namespace symm_info

#endif
