// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The heap in host memory, which is the heap where there are no GPUs, and one
// beside that of the GPUs where there are some: loads and stores of the host
// and of kernels reach all PEs' parts.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstring>

#include <heap/heap_test.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_errors.hpp>

namespace {

using namespace symm_test;
using symm::MemoryKind;
using symm::Pe;

symm::Impl::SymmetricHeap& host_heap() {
  return symm::Impl::Runtime::instance("a test").heap(MemoryKind::host,
                                                      "a test");
}

class HostHeap : public testing::Test {
 protected:
  HostHeap() { symm::heap_trim(); }

  static unsigned char letter(Pe from, Pe to) {
    return static_cast<unsigned char>(1 + 16 * from + to);
  }
  static std::size_t count_other(void const* start, std::size_t bytes,
                                 unsigned char byte) {
    auto const* const first = static_cast<unsigned char const*>(start);
    return bytes -
           static_cast<std::size_t>(std::count(first, first + bytes, byte));
  }

  /// At PE `pe`'s copy: by stores and loads where the host reaches it, else by
  /// puts and gets.
  static void set_at(Pe pe, void* start, unsigned char byte,
                     std::size_t bytes) {
    if (symm::is_near(pe)) {
      std::memset(symm::ptr(start, pe), byte, bytes);
    } else {
      symm::putmem(start, std::vector(bytes, byte).data(), bytes, pe);
    }
  }
  static std::size_t count_other_at(Pe pe, void const* start, std::size_t bytes,
                                    unsigned char byte) {
    return look_at(pe, start, bytes, [&](void const* copy) {
      return count_other(copy, bytes, byte);
    });
  }

  Pe const m_me    = symm::my_pe();
  Pe const m_right = (m_me + 1) % symm::n_pes();
  Pe const m_left  = (m_me + symm::n_pes() - 1) % symm::n_pes();
};

/// Sums `count` bytes in kernels of the execution space that is the default.
long sum_in_kernel(unsigned char const* start, std::size_t count) {
  long result = 0;
  Kokkos::parallel_reduce(
      "sum", count,
      KOKKOS_LAMBDA(std::size_t i, long& sum) { sum += start[i]; }, result);
  return result;
}

TEST_F(HostHeap, M18_stores_of_the_host_reach_peers_at_all_sizes) {
  for (std::size_t const bytes : {1UL, 63UL, 4097UL, 2 * mib, 5 * mib + 3}) {
    auto* const block = static_cast<char*>(host_heap().malloc(bytes));
    EXPECT_TRUE(is_equal_on_all_pes(host_heap().map().offset_of(block)));
    set_at(m_right, block, letter(m_me, m_right), bytes);
    symm::barrier_all();
    EXPECT_EQ(count_other(block, bytes, letter(m_left, m_me)), 0U) << bytes;
    EXPECT_EQ(count_other_at(m_right, block, bytes, letter(m_me, m_right)), 0U);
    symm::free(block);  // finds its heap
    EXPECT_STREQ(symm::last_error(), "");
  }
}

TEST_F(HostHeap, M19_kernels_read_what_the_host_of_a_peer_has_stored) {
  constexpr std::size_t bytes = 100'003;
  auto* const block = static_cast<unsigned char*>(host_heap().malloc(bytes));
  set_at(m_right, block, letter(m_me, m_right), bytes);
  symm::barrier_all();
  EXPECT_EQ(sum_in_kernel(block, bytes),
            static_cast<long>(bytes) * letter(m_left, m_me));
  if (symm::is_near(m_right)) {
    EXPECT_EQ(sum_in_kernel(symm::ptr(block, m_right), bytes),
              static_cast<long>(bytes) * letter(m_me, m_right));
  }
  symm::free(block);
}

TEST_F(HostHeap, C04_calloc_zeroes_recycled_memory) {
  constexpr std::size_t bytes = 3 * mib;
  void* const used            = host_heap().malloc(bytes);
  std::memset(used, 0xa5, bytes);
  symm::free(used);
  void* const block = host_heap().calloc(bytes, 1);
  EXPECT_EQ(block, used) << "not recycled: the test shows too little";
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(count_other_at(pe, block, bytes, 0), 0U);
  }
  symm::free(block);
}

TEST_F(HostHeap, S01_realloc_finds_the_heap_and_keeps_the_contents) {
  constexpr std::size_t bytes = 10'000;
  void* const block           = host_heap().malloc(bytes);
  void* const guard           = host_heap().malloc(64);
  std::memset(block, letter(m_me, m_me), bytes);
  void* const moved = symm::realloc(block, 3 * mib);
  EXPECT_NE(moved, block);
  EXPECT_TRUE(host_heap().contains(moved));
  symm::barrier_all();
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(count_other_at(pe, moved, bytes, letter(pe, pe)), 0U);
  }
  symm::barrier_all();
  for (void* const address : {moved, guard}) symm::free(address);
}

TEST_F(HostHeap, M38_grows_and_is_trimmed_beside_the_default_heap) {
  auto const before      = symm::heap_stats(MemoryKind::host);
  void* const in_default = symm::malloc(3 * mib);
  void* const block      = host_heap().malloc(9 * mib);
  auto const during      = symm::heap_stats(MemoryKind::host);
  EXPECT_EQ(during.live_blocks,
            before.live_blocks + (host_reaches_heap ? 2U : 1U));
  EXPECT_GE(during.mapped_bytes, before.mapped_bytes + 9 * mib);
  symm::free(block);
  symm::free(in_default);
  EXPECT_GE(symm::heap_trim(), 12 * mib) << "of both heaps";
  EXPECT_EQ(symm::heap_stats(MemoryKind::host).mapped_bytes,
            before.mapped_bytes);
}

TEST_F(HostHeap, M49_wrong_addresses_are_errors) {
  auto* const block = static_cast<char*>(host_heap().malloc(1000));
  expect_free_fails(block + 8, {"inside a block", "on PE"});
  symm::free(block);
  expect_free_fails(block, {"not allocated", "on PE"});
}

TEST_F(HostHeap, M48_more_than_its_limit_is_OutOfMemory_on_all_PEs) {
  auto const limit = symm::heap_stats(MemoryKind::host).limit_bytes;
  EXPECT_THROW(static_cast<void>(host_heap().malloc(limit + 1)),
               symm::OutOfMemory);
  expect_heap_is_usable();
}

}  // namespace
