// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <runtime/base/KernelText.hpp>

#ifdef NDEBUG
#error "this source is compiled without NDEBUG"
#endif

namespace symm_test {

void expect_nothing_in_debugging_source() {
  symm::Impl::expect(false, "test", "it is not met");
}

}  // namespace symm_test
