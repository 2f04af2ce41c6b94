// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory of the program as symmetric memory: what works.

#include <cstddef>
#include <vector>

#include <registration/registration_test.hpp>
#include <support/ProcessResources.hpp>
#include <support/kernels.hpp>

namespace {

using namespace symm_test;

/// Another heap state than `before` only in what is registered.
void expect_registered(symm::HeapStats before, std::size_t buffers,
                       std::size_t bytes) {
  before.registered_buffers += buffers;
  before.registered_bytes += bytes;
  EXPECT_EQ(heap_state(), before);
}

TEST(SymmetricBuffers, R01_R14_memory_becomes_symmetric_without_any_malloc) {
  symm::free(malloc_bytes(8));  // what earlier tests have retired is gone
  auto const before = heap_state();
  Registrable const memory(3 * granule);
  auto* const address = registered(memory);
  EXPECT_NE(address, memory.data());
  EXPECT_TRUE(heap().contains(address));
  auto const offset = heap().map().offset_of(address);
  EXPECT_TRUE(is_equal_on_all_pes(offset));
  expect_registered(before, 1, memory.bytes());
  expect_all_reach_all(address, memory.bytes());
  unregister(address, memory.bytes());
  expect_registered(before, 0, 0);
}

/// What kernels do on the words of the PE `right`.
struct Operations {
  symm::HeapMap heap;
  std::uint64_t* words;
  symm::Pe me;
  symm::Pe right;
  KOKKOS_FUNCTION void operator()() const {
    std::uint64_t const value = pattern({me, right}, 0);
    symm::put(heap, words, &value, 1, right);
    symm::atomic_add(heap, words + 1, std::uint64_t{1} << 40U, right);
    for (symm::Pe pe = 0; pe < heap.n_pes; ++pe) {
      symm::atomic_inc(heap, words + 2, pe);
    }
    symm::put_signal(heap, words + 3, &value, 1, words + 4, std::uint64_t{7},
                     symm::SignalOp::set, right);
    symm::signal_wait_until(words + 4, symm::Compare::eq, std::uint64_t{7});
  }
};

TEST(SymmetricBuffers, R02_it_is_an_operand_of_all_operations) {
  Registrable const memory(granule);
  auto* const address = registered(memory);
  auto* const words   = reinterpret_cast<std::uint64_t*>(address);
  auto const n_pes    = symm::n_pes();
  auto const me       = symm::my_pe();
  auto const left     = (me + n_pes - 1) % n_pes;
  symm::barrier_all();
  run(Operations{symm::heap_map<symm::SymmetricSpace>(), words, me,
                 (me + 1) % n_pes});
  symm::barrier_all();
  EXPECT_EQ(get_value(words), pattern({left, me}, 0));
  EXPECT_EQ(get_value(words + 1), std::uint64_t{1} << 40U);
  EXPECT_EQ(get_value(words + 2), static_cast<std::uint64_t>(n_pes));
  EXPECT_EQ(get_value(words + 3), pattern({left, me}, 0));

  // From the host, with registered memory on both sides.
  constexpr std::size_t count = 1000;
  fill(words + count, 8 * count, {me, me, 1});
  symm::barrier_all();
  symm::put(words + 2 * count, words + count, count, (me + 1) % n_pes);
  symm::barrier_all();
  EXPECT_EQ(difference(words + 2 * count, 8 * count, {left, left, 1}),
            no_difference);
  symm::get(words + 3 * count, words + 2 * count, count, left);
  auto const leftmost = (left + n_pes - 1) % n_pes;
  EXPECT_EQ(difference(words + 3 * count, 8 * count, {leftmost, leftmost, 1}),
            no_difference);
  symm::barrier_all();

  // A collective.
  HeapExec const exec;
  set_value(words + 5, static_cast<std::uint64_t>(me + 1));
  symm::barrier_all();
  symm::reduce(exec, symm::team_world(), words + 6, words + 5, 1, symm::Sum{});
  exec.fence();
  EXPECT_EQ(get_value(words + 6),
            static_cast<std::uint64_t>(n_pes * (n_pes + 1) / 2));
  symm::barrier_all();
  unregister(address, granule);
}

TEST(SymmetricBuffers, R03_both_addresses_are_of_the_same_memory) {
  auto const me = symm::my_pe();
  Registrable const memory(2 * granule);
  // Data from before stays.
  fill(memory.data(), memory.bytes(), {me, me, 1});
  auto* const address = registered(memory);
  EXPECT_EQ(difference(address, memory.bytes(), {me, me, 1}), no_difference);
  symm::barrier_all();
  expect_all_reach_all(address, memory.bytes(), 2);
  EXPECT_EQ(memory_bytes(memory.data(), memory.bytes()),
            memory_bytes(address, memory.bytes()));
  // And the other way, to a peer.
  fill(memory.data(), memory.bytes(), {me, me, 3});
  symm::barrier_all();
  auto const other = (me + 1) % symm::n_pes();
  EXPECT_EQ(
      difference(symm::ptr(address, other), memory.bytes(), {other, other, 3}),
      no_difference);
  symm::barrier_all();
  unregister(address, memory.bytes());
}

TEST(SymmetricBuffers, R12_every_multiple_of_the_granularity_works) {
  for (std::size_t const n : {1U, 2U, 3U, 7U, 16U, 33U}) {
    SCOPED_TRACE(n);
    Registrable const memory(n * granule);
    auto* const address = registered(memory);
    expect_all_reach_all(address, memory.bytes(), static_cast<unsigned>(n));
    unregister(address, memory.bytes());
  }
}

TEST(SymmetricBuffers, R01_blocks_of_malloc_and_registered_memory_are_apart) {
  std::vector<Registrable> memories;
  std::vector<char*> blocks;
  auto const before = heap_state();
  for (std::size_t i = 1; i < 6; ++i) {
    memories.emplace_back(i * granule);
    blocks.push_back(registered(memories.back()));
    blocks.push_back(malloc_bytes(memories.back().bytes()));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    set_bytes(blocks[i], static_cast<unsigned char>(i + 1),
              memories[i / 2].bytes());
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(difference_from(static_cast<unsigned char>(i + 1), blocks[i],
                              memories[i / 2].bytes()),
              no_difference);
  }
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    unregister(blocks[i], memories[i / 2].bytes());
    symm::free(blocks[i + 1]);
  }
  EXPECT_EQ(heap_state().registered_buffers, before.registered_buffers);
  EXPECT_EQ(heap_state().live_blocks, before.live_blocks);
}

TEST(SymmetricBuffers, R18_the_symmetric_address_ends_and_the_own_one_stays) {
  auto const me = symm::my_pe();
  Registrable const memory(granule);
  auto* const address = registered(memory);
  expect_all_reach_all(address, granule, 1);
  fill(memory.data(), granule, {me, me, 2});
  unregister(address, granule);
  EXPECT_EQ(difference(memory.data(), granule, {me, me, 2}), no_difference);
  if (host_reaches_heap) {
    EXPECT_FALSE(can_read(address));
    EXPECT_FALSE(can_read(heap().map().peer_ptr(address, 0)));
  }
  EXPECT_THROW(symm::putmem(address, memory.data(), 8, me), symm::UsageError);
  auto* const again = registered(memory);
  EXPECT_EQ(difference(again, granule, {me, me, 2}), no_difference);
  unregister(again, granule);
}

TEST(SymmetricBuffers, R23_the_program_frees_its_memory_before_or_after) {
  auto const me = symm::my_pe();
  {
    Registrable memory(granule);
    auto* const address = registered(memory);
    unregister(address, granule);
    memory.reset();
  }
  Registrable memory(granule);
  auto* const address = registered(memory);
  fill(memory.data(), granule, {me, me, 5});
  if (me % 2 == 0) memory.reset();  // too early; the heap keeps the memory
  symm::barrier_all();
  auto const other = (me + 1) % symm::n_pes();
  EXPECT_EQ(difference(symm::ptr(address, other), granule, {other, other, 5}),
            no_difference);
  symm::barrier_all();
  unregister(address, granule);
}

TEST(SymmetricBuffers, R24_holes_are_used_again_and_nothing_overlaps) {
  auto const before = heap_state();
  Registrable const a(2 * granule);
  Registrable const b(2 * granule);
  Registrable const c(5 * granule);
  Registrable const d(granule);
  auto* const at_a = registered(a);
  auto* const at_b = registered(b);
  unregister(at_b, b.bytes());
  auto* const at_c = registered(c);
  auto* const at_d = registered(d);
  expect_all_reach_all(at_a, a.bytes(), 1);
  auto const of_a = memory_bytes(at_a, a.bytes());
  expect_all_reach_all(at_c, c.bytes(), 2);
  auto const of_c = memory_bytes(at_c, c.bytes());
  expect_all_reach_all(at_d, d.bytes(), 3);
  EXPECT_EQ(memory_bytes(at_a, a.bytes()), of_a);
  EXPECT_EQ(memory_bytes(at_c, c.bytes()), of_c);
  unregister(at_a, a.bytes());
  // The hole that a has left, or the one of b, takes b again.
  auto* const b_again = registered(b);
  EXPECT_TRUE(b_again == at_a || b_again == at_b);
  EXPECT_EQ(memory_bytes(at_c, c.bytes()), of_c);
  unregister(b_again, b.bytes());
  unregister(at_c, c.bytes());
  unregister(at_d, d.bytes());
  EXPECT_EQ(heap_state(), before);
}

struct AddOnes {
  std::uint64_t* to;
  int n;
  KOKKOS_FUNCTION void operator()() const {
    for (int i = 0; i < n; ++i) add(to, std::uint64_t{1});
  }
};

TEST(SymmetricBuffers, R18_kernels_in_flight_are_waited_for) {
  Registrable const memory(granule);
  auto* const address = registered(memory);
  auto* const words   = reinterpret_cast<std::uint64_t*>(address);
  auto const other    = (symm::my_pe() + 1) % symm::n_pes();
  auto* const theirs  = symm::ptr(words, other);
  constexpr int n     = 20'000;
  launch(AddOnes{theirs + 1, n});
  unregister(address, granule);
  EXPECT_EQ(get_value(reinterpret_cast<std::uint64_t*>(memory.data()) + 1),
            std::uint64_t{n});
}

}  // namespace
