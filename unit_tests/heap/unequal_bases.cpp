// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The heap need not be at the same address on all PEs.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <heap/heap_test.hpp>
#include <heap/heap_with.hpp>
#include <runtime/memory/Device.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>
#include <support/gpu.hpp>

namespace {

using namespace symm_test;

std::uintptr_t base() {
  return reinterpret_cast<std::uintptr_t>(heap().map().base);
}

/// Takes addresses where the heap takes its own.
std::unique_ptr<symm::Impl::MemoryProvider> make_obstacle() {
#ifdef SYMM_TEST_GPU
  return symm::Impl::make_device_memory(symm::MemoryKind::device,
                                        device_of(Gpu()), symm::n_pes());
#else
  return std::make_unique<symm::Impl::Vmm_HostMemfd>();
#endif
}

TEST(UnequalBases, S15_translation_works_whatever_the_addresses) {
  std::optional<HeapWith> heap_with(std::in_place, Variables{});
  // Something else takes the address where the heap was, on all PEs but the
  // first: the next heap must lie elsewhere there. Where addresses are random,
  // that may be where the first PE has its own: then once more.
  auto const me       = symm::my_pe();
  auto const obstacle = make_obstacle();
  int n_tries         = 0;
  do {
    auto* const at = heap().map().base;
    auto const bytes =
        heap().map().stride * static_cast<std::size_t>(symm::n_pes());
    heap_with.reset();
    if (me > 0) {
      // As the heap does it: a driver may have other places for other sizes.
      EXPECT_EQ(obstacle->reserve(bytes,
                                  symm::Impl::SymmetricHeap::max_alignment, at),
                at);
    }
    heap_with.emplace(Variables{});
    EXPECT_FALSE(me > 0 && base() == reinterpret_cast<std::uintptr_t>(at));
    ++n_tries;
  } while (symm::n_pes() > 1 && n_tries < 10 && is_equal_on_all_pes(base()));
  EXPECT_EQ(is_equal_on_all_pes(base()), symm::n_pes() == 1)
      << "the test shows too little";
  auto* const block = malloc_bytes(1000);
  EXPECT_TRUE(is_equal_on_all_pes(heap().map().offset_of(block)));
  expect_heap_is_usable();
  symm::free(block);
}

}  // namespace
