// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SYMMETRIC_MEMORY_HPP
#define SYMM_SYMMETRIC_MEMORY_HPP

// Until every includer has followed.
#include "../symm_memory.hpp"
#include "../symm_pes.hpp"

#endif
