// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A shared library whose symbols are hidden, but for this function.
#include "Instances_Hidden.hpp"

namespace symm_test {

Instances instances_of_hidden_library(bool const& drained) {
  return Instances::here(drained);
}

}  // namespace symm_test
