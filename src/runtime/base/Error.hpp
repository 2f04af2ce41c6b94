// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ERROR_HPP
#define SYMM_ERROR_HPP

// Until every includer has followed: base/Failure.hpp, or symm_errors.hpp where
// only exceptions are thrown.
#include "Failure.hpp"

#endif
