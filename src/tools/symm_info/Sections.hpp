// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_INFO_SECTIONS_HPP
#define SYMM_INFO_SECTIONS_HPP

#include <ostream>

#include "Report.hpp"

namespace symm_info {

/// The library's version, and the compiler and libraries it was built with.
Section build();

/// The driver of the machine's GPUs, or why there is none, and the GPUs.
Section gpu_driver();
Section gpus();

/// The transports within a node and between nodes.
Section network();

/// The limits of the system for this process that matter to the library.
Section limits();

/// NUMA nodes: of the machine, of this process' CPUs, and of pages of the heap
/// that this process touches first.
Section numa();

/// The variables of the environment: their values in effect, and their source.
/// \param is_valid false, if one holds junk.
Section variables(bool& is_valid);
/// Prints them as the table of docs/environment.md.
void print_environment_table(std::ostream& out);

}  // namespace symm_info

#endif
