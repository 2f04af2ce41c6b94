// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Local buffers when the system refuses something; what works is tested through
// buffer_register() and its siblings.

#include <gtest/gtest.h>
#include <support/FaultyVmm.hpp>

#include <cstddef>
#include <thread>
#include <vector>

#include <runtime/memory/Vmm_HostMemfd.hpp>
#include <runtime/registration/LocalBuffers.hpp>
#include <runtime/symm_errors.hpp>

namespace symm_test {
namespace {

struct LocalBuffers : testing::Test {
  symm::Impl::Vmm_HostMemfd provider;
  FaultyVmm vmm                    = FaultyVmm(provider);
  symm::Impl::LocalBuffers buffers = symm::Impl::LocalBuffers(vmm);
  std::vector<char> memory         = std::vector<char>(10'000);
};

TEST_F(LocalBuffers, B10_a_lack_of_memory_is_one_and_nothing_is_registered) {
  vmm.fail(VmmStep::pin);
  EXPECT_THROW(buffers.add(memory.data(), 100), symm::OutOfMemory);
  vmm.heal();
  EXPECT_THROW(buffers.remove(memory.data()), symm::UsageError);
  buffers.add(memory.data(), 100);
  buffers.remove(memory.data());
}

TEST_F(LocalBuffers,
       B11_a_refusal_of_the_system_is_one_and_nothing_is_registered) {
  vmm.fail(VmmStep::pin, 0, 1'000'000,
           [] { throw symm::SystemError("an injected refusal"); });
  EXPECT_THROW(buffers.add(memory.data(), 100), symm::SystemError);
  vmm.heal();
  buffers.add(memory.data(), 100);
}

TEST_F(LocalBuffers, B18_threads_register_at_the_same_time) {
  constexpr std::size_t n_threads = 4;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        char* const at = memory.data() + t * 1000;
        buffers.add(at, 1000);
        EXPECT_THROW(buffers.add(at + 999, 2), symm::UsageError);
        buffers.remove(at);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  buffers.add(memory.data(), memory.size());
}

}  // namespace
}  // namespace symm_test
