// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_REGISTRATION_HPP
#define SYMM_REGISTRATION_HPP

// Until every includer has followed.
#include "../symm_memory.hpp"
#include "../symm_pes.hpp"

#endif
