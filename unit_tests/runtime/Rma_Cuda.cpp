// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Remote memory access of the host in the memory of GPUs.

#include <cstddef>
#include <vector>

#include <runtime/symm_memory.hpp>
#include "CudaRuntime.hpp"
#include "RmaForms.hpp"

namespace symm_test::rma {
namespace {

class CudaRma : public CudaRuntime {};

TEST_F(CudaRma, forms_of_the_host) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe() % 2);
    use_forms_of_the_host(
        static_cast<int*>(symm::calloc(5 * count, sizeof(int))));
    symm::Impl::Runtime::finalize();
  });
}

// The fake driver refuses rows that are more than 1 MiB apart.
TEST_F(CudaRma, takes_strides_above_what_the_driver_takes) {
  constexpr std::size_t stride = 300'000;  // in elements
  constexpr std::size_t n      = 5;
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe());
    auto* const block =
        static_cast<int*>(symm::calloc(n * stride, sizeof(int)));
    auto const source = values(symm::my_pe(), next());
    symm::iput(block, source.data(), stride, 2, n, next());
    symm::barrier_all();
    std::vector<int> found(n);
    symm::iget(found.data(), block, 1, stride, n, symm::my_pe());
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(found[i], value(previous(), symm::my_pe(), 2 * i));
    }
    symm::Impl::Runtime::finalize();
  });
}

// The copy begins when the kernel has ended.
TEST_F(CudaRma, strided_forms_wait_for_the_kernels_of_this_PE) {
  expect_on_pes(1, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    auto* const block = static_cast<int*>(symm::calloc(4, sizeof(int)));
    fake().launch(0, 30, [block] { block[2] = 7; });
    std::vector<int> found(2);
    symm::iget(found.data(), block, 1, 2, 2, 0);
    EXPECT_EQ(found[1], 7);
    symm::Impl::Runtime::finalize();
  });
}

}  // namespace
}  // namespace symm_test::rma
