// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CUDA_OF_NODES_HPP
#define SYMM_TEST_CUDA_OF_NODES_HPP

#include <gtest/gtest.h>
#include <support/MissingEngine.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <runtime/memory/Device.hpp>
#include <runtime/symm_memory.hpp>

#include "CudaRuntime.hpp"

namespace symm_test {

/// Each PE is a node of its own, all with GPU 0.
class CudaOfNodes : public CudaRuntime {
 protected:
  void SetUp() override {
    CudaRuntime::SetUp();
    if (!missing_engine().empty()) GTEST_SKIP() << missing_engine();
    ASSERT_EQ(::setenv("SYMM_PES_PER_NODE", "1", 1), 0);
    symm::Impl::prepare_devices_for_nodes();  // as begin_job() does
  }
  void TearDown() override {
    ::unsetenv("SYMM_PES_PER_NODE");
    ::unsetenv("CUDA_MODULE_LOADING");
    ::unsetenv("HIP_ENABLE_DEFERRED_LOADING");
    ::unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
  }

  /// body(my PE, the next one) on each PE.
  template <class Body>
  static void run(int n_pes, Body const& body) {
    expect_on_pes(n_pes, [&](ForkedBootstrap& bootstrap) {
      initialize(bootstrap, 0);
      symm::Pe const me = bootstrap.my_pe();
      body(me, (me + 1) % n_pes);
      symm::barrier_all();
      symm::Impl::Runtime::finalize();
    });
  }
};

using Word = std::uint64_t;

inline Word value_of(symm::Pe from, symm::Pe to, std::size_t i) {
  return (static_cast<Word>(from) * 64 + static_cast<Word>(to)) * 10'000'000 +
         i;
}

template <class T>
T* calloc_of(std::size_t count) {
  auto* const block = static_cast<T*>(symm::calloc(count, sizeof(T)));
  EXPECT_NE(block, nullptr) << symm::last_error();
  return block;
}

}  // namespace symm_test

#endif
