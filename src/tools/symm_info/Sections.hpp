// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_INFO_SECTIONS_HPP
#define SYMM_INFO_SECTIONS_HPP

#include <ostream>

#include "Report.hpp"

namespace symm_info {

/// What the library was built with.
Section build();

/// The driver of the machine's GPUs, or why there is none, and the GPUs.
Section gpu_driver();
Section gpus();

/// What the system allows this process, as far as the library needs it.
Section network();

Section limits();

/// NUMA nodes: of the machine and of the CPUs of this process, and where pages
/// of the heap come to lie that this process touches first.
Section numa();

/// The variables of the environment: what counts, and where it comes from.
/// \param is_valid false, if one holds junk.
Section variables(bool& is_valid);
/// The table of docs/environment.md of them.
void print_environment_table(std::ostream& out);

}  // namespace symm_info

#endif
