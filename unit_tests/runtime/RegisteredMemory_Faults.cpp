// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Registration when the system refuses something on one PE only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>
#include <support/ProcessResources.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/heap/SymmetricHeap.hpp>
#include <runtime/registration/PrivateMemory.hpp>

namespace symm_test::heap_registration {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::ErrorKind;
using testing::HasSubstr;

constexpr std::size_t mib   = std::size_t{1} << 20U;
constexpr std::size_t bytes = 6 * mib;
constexpr Pe failing        = 1;
constexpr int n_pes         = 3;

/// A heap of one PE and memory of the program, on memory that can be made to
/// fail.
struct RegistrationStack : PeStack {
  explicit RegistrationStack(Bootstrap& its_bootstrap)
      : PeStack(its_bootstrap),
        bootstrap(its_bootstrap),
        heap(vmm, exchange, bootstrap, rendezvous, {false, 0, 256 * mib}),
        registrable(vmm),
        memory(registrable.allocate("memory", bytes)) {}

  void fail(VmmStep step, int first = 0) {
    if (bootstrap.my_pe() == failing) vmm.fail(step, first);
  }

  /// Every PE writes to the next one's copy, and finds the former's data at
  /// both of its own addresses.
  void expect_works(char* address) {
    auto const& map  = heap.map();
    auto const value = [](Pe from, std::size_t i) {
      return static_cast<char>(from * 50 + static_cast<int>(i % 47));
    };
    char* const theirs = map.peer_ptr(address, (map.my_pe + 1) % map.n_pes);
    Pe const from      = (map.my_pe + map.n_pes - 1) % map.n_pes;
    for (std::size_t i = 0; i < bytes; i += 97) {
      theirs[i] = value(map.my_pe, i);
    }
    bootstrap.barrier();
    for (std::size_t i = 0; i < bytes; i += 97) {
      ASSERT_EQ(address[i], value(from, i)) << i;
      ASSERT_EQ(memory[i], value(from, i)) << i;
    }
    bootstrap.barrier();
  }

  Bootstrap& bootstrap;
  symm::Impl::SymmetricHeap heap;
  symm::Impl::PrivateMemory registrable;
  char* memory;
};

/// What a PE holds, beside private memory.
struct Holdings {
  std::size_t descriptors = n_open_descriptors();
  std::size_t mappings    = n_memfd_mappings("symm");
};

class RegistrationFaults : public testing::TestWithParam<VmmStep> {};

TEST_P(RegistrationFaults, R17_a_failure_of_one_PE_is_rolled_back_on_all) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    RegistrationStack stack(bootstrap);
    auto const before = stack.heap.stats();
    Holdings const holdings;
    // The second peer's memory; the first one's is mapped by then.
    bool const is_of_peer = GetParam() == VmmStep::import_handle;
    for (int round = 0; round < 3; ++round) {
      stack.fail(GetParam(), is_of_peer ? 1 : 0);
      auto const failure = symm::Impl::failure_of([&] {
        static_cast<void>(stack.heap.register_memory(stack.memory, bytes));
      });
      stack.vmm.heal();
      ASSERT_TRUE(failure) << "on every PE";
      EXPECT_EQ(failure->kind, ErrorKind::out_of_memory);
      EXPECT_THAT(failure->message,
                  HasSubstr("symm::buffer_register_symmetric(bytes = 6291456"));
      EXPECT_THAT(failure->message, HasSubstr("PE 1"));
      EXPECT_THAT(failure->message, HasSubstr("an injected failure"));
      EXPECT_EQ(stack.heap.stats().registered_buffers, 0U);
      EXPECT_EQ(stack.heap.stats().mapped_bytes, before.mapped_bytes);
      EXPECT_EQ(n_open_descriptors(), holdings.descriptors);
      EXPECT_EQ(n_memfd_mappings("symm"), holdings.mappings);
    }
    auto* const address =
        static_cast<char*>(stack.heap.register_memory(stack.memory, bytes));
    stack.expect_works(address);
    stack.heap.unregister_memory(address, bytes);
    static_cast<void>(stack.heap.finalize());
  });
}

INSTANTIATE_TEST_SUITE_P(Steps, RegistrationFaults,
                         testing::Values(VmmStep::synchronize, VmmStep::retain,
                                         VmmStep::export_handle, VmmStep::map,
                                         VmmStep::set_access,
                                         VmmStep::import_handle));

TEST_P(RegistrationFaults, R17_what_cannot_be_rolled_back_is_lost_on_all_PEs) {
  if (GetParam() == VmmStep::synchronize) return;  // nothing is mapped by then
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    RegistrationStack stack(bootstrap);
    if (bootstrap.my_pe() == failing) stack.vmm.fail_with_undo(GetParam());
    auto const failure = symm::Impl::failure_of([&] {
      static_cast<void>(stack.heap.register_memory(stack.memory, bytes));
    });
    stack.vmm.heal();
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::out_of_memory) << "the first is told";
    auto* const address =
        static_cast<char*>(stack.heap.register_memory(stack.memory, bytes));
    stack.expect_works(address);
    stack.heap.unregister_memory(address, bytes);
    static_cast<void>(stack.heap.finalize());
  });
}

TEST(RegistrationFaults, R21_an_unmapping_that_fails_on_one_PE_is_everybodys) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    RegistrationStack stack(bootstrap);
    auto* const address =
        static_cast<char*>(stack.heap.register_memory(stack.memory, bytes));
    stack.fail(VmmStep::unmap);
    auto const failure = symm::Impl::failure_of(
        [&] { stack.heap.unregister_memory(address, bytes); });
    stack.vmm.heal();
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_THAT(failure->message,
                HasSubstr("symm::buffer_unregister_symmetric: PE 1 failed"));
    EXPECT_EQ(stack.heap.stats().registered_buffers, 0U);
    // Its addresses are not used again, and nothing is thought to be there.
    EXPECT_FALSE(stack.heap.is_mapped(address, 1));
    auto* const other = stack.registrable.allocate("other", bytes);
    auto* const next =
        static_cast<char*>(stack.heap.register_memory(other, bytes));
    EXPECT_LT(next, address);
    stack.memory = other;
    stack.expect_works(next);
    stack.heap.unregister_memory(next, bytes);
    static_cast<void>(stack.heap.finalize());
  });
}

TEST(RegistrationFaults, a_View_that_cannot_be_unmapped_is_told_and_harmless) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    RegistrationStack stack(bootstrap);
    auto* const address = stack.heap.register_view("u", stack.memory, 1000);
    stack.heap.retire(address);
    stack.fail(VmmStep::unmap);
    testing::internal::CaptureStderr();
    stack.heap.free(stack.heap.malloc(8));
    auto const text = testing::internal::GetCapturedStderr();
    stack.vmm.heal();
    if (bootstrap.my_pe() == failing) {
      EXPECT_THAT(text,
                  HasSubstr("PE 1: removing a View from the heap failed: an"));
      EXPECT_THAT(text, HasSubstr("its addresses are lost"));
    } else {
      EXPECT_EQ(text, "");
    }
    EXPECT_EQ(stack.heap.stats().registered_buffers, 0U);
    EXPECT_EQ(stack.heap.stats().retired_blocks, 0U);
    static_cast<void>(stack.heap.finalize());
  });
}

class PrivateMemoryFaults : public testing::TestWithParam<VmmStep> {};

TEST_P(PrivateMemoryFaults, memory_that_cannot_be_made_leaves_nothing_behind) {
  symm::Impl::Vmm_HostMemfd provider;
  FaultyVmm vmm(provider);
  symm::Impl::PrivateMemory registrable(vmm);
  Holdings const before;
  vmm.fail(GetParam());
  auto const failure = symm::Impl::failure_of(
      [&] { static_cast<void>(registrable.allocate("u", bytes)); });
  vmm.heal();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, ErrorKind::out_of_memory);
  EXPECT_TRUE(registrable.live().empty());
  Holdings const after;
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.mappings, before.mappings);
  char* const memory = registrable.allocate("u", bytes);
  EXPECT_EQ(memory[bytes - 1], 0);
  registrable.free(memory);
  registrable.free(memory);  // again: it is none of its blocks
}

INSTANTIATE_TEST_SUITE_P(Steps, PrivateMemoryFaults,
                         testing::Values(VmmStep::reserve, VmmStep::create,
                                         VmmStep::map, VmmStep::set_access));

TEST(PrivateMemory, sizes_near_the_largest_are_refused) {
  symm::Impl::Vmm_HostMemfd vmm;
  symm::Impl::PrivateMemory registrable(vmm);
  for (std::size_t const size : {~std::size_t{0}, ~std::size_t{0} - 2 * mib}) {
    EXPECT_THROW(static_cast<void>(registrable.allocate("u", size)),
                 symm::OutOfMemory);
  }
}

}  // namespace
}  // namespace symm_test::heap_registration
