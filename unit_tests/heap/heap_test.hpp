// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_HEAP_TEST_HPP
#define SYMM_TEST_HEAP_TEST_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>

#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include <support/memory.hpp>
#include <support/pattern.hpp>
#include <support/peer_memory.hpp>
#include <support/pes.hpp>

namespace symm {

// Found by GoogleTest when a comparison fails.
inline void PrintTo(HeapStats const& stats, std::ostream* out) {
  *out << "{" << stats.live_blocks << " live blocks, " << stats.live_bytes
       << " live bytes, " << stats.free_bytes << " free, largest "
       << stats.largest_free_bytes << ", mapped " << stats.mapped_bytes
       << " in " << stats.n_chunks << " chunks, limit " << stats.limit_bytes
       << ", retired " << stats.retired_blocks << ", "
       << stats.n_collective_calls << " calls}";
}

}  // namespace symm

namespace symm_test {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = kib * kib;
constexpr std::size_t gib = kib * mib;

constexpr std::nullopt_t no_difference = std::nullopt;

/// What a call that fails must leave as it is: all but the count of calls.
inline symm::HeapStats heap_state() {
  auto stats               = symm::heap_stats();
  stats.n_collective_calls = 0;
  return stats;
}

/// The one heap of the program, for what the C-like functions do not show.
inline symm::Impl::SymmetricHeap& heap() {
  return symm::Impl::Runtime::instance("a test").heap();
}

/// Whether an address outside of this heap's part is in the one of the heap in
/// the other kind of memory, which may lie beside it.
inline bool is_in_another_heap(void const* address) {
  return &symm::Impl::Runtime::instance("a test").heap_of(address) != &heap();
}

inline bool is_aligned(void const* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

/// symm::malloc() for bytes, which a test counts and compares.
inline char* malloc_bytes(std::size_t bytes) {
  auto* const block = static_cast<char*>(symm::malloc(bytes));
  EXPECT_NE(block, nullptr) << symm::last_error();
  return block;
}

/// Collective: a block can be allocated, written by all PEs, and freed.
void expect_heap_is_usable();

using Words = std::initializer_list<std::string>;

/// Collective: the call gives null on this PE, last_error() has all the words,
/// and the heap is unchanged and usable.
void expect_failure(std::function<void*()> const& call, Words words);

/// Collective: free(address) reports an error with all the words, in
/// last_error() and on stderr, and frees nothing.
void expect_free_fails(void* address, Words words);

/// How messages name a call on this heap.
inline std::string call_text(std::string const& name,
                             std::string const& arguments) {
  return name + "(" + arguments + (host_reaches_heap ? ")" : ", memory = GPU)");
}

/// The words "PE a", "PE b" that a message about one PE must have.
inline std::string pe_text(symm::Pe pe) { return "PE " + std::to_string(pe); }

}  // namespace symm_test

#endif
