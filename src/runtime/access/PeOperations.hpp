// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_PEOPERATIONS_HPP
#define SYMM_ACCESS_PEOPERATIONS_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "../memory/PeMemory.hpp"
#include "Access.hpp"
#include "HostCall.hpp"
#include "StridedCopy.hpp"

namespace symm::Impl {

// The operations of the host on memory of one PE, as resolve() has found it:
// the one place that chooses between loads and stores, copies of a GPU, and
// messages. One thread carries out each; any thread may.
//
// All throw UsageError on this PE, if there is no way to the PE, and what the
// Transport throws.

/// The queue that copies GPU memory of the heap.
/// \throws UsageError on this PE, if there is none.
CopyQueue& copy_queue(char const* call);

/// Copies between GPU memory of the heap, near PEs' too, and any memory of this
/// PE; then it is done.
void copy_gpu_memory(void* to, void const* from, std::size_t bytes,
                     char const* call);

// All but loads and stores. Out of line: the way to near PEs has one compare
// more and nothing else.

void put_otherwise(PeMemory to, void const* from, std::size_t bytes,
                   Until until, HostCall const& call);
void get_otherwise(void* to, PeMemory from, std::size_t bytes, Until until,
                   HostCall const& call);

[[gnu::always_inline]] inline void put_to(PeMemory to, void const* from,
                                          std::size_t bytes, Until until,
                                          HostCall const& call) {
  if (to.reach == Reach::words) [[likely]] {
    copy_host_memory(to.address(), from, bytes);
  } else {
    put_otherwise(to, from, bytes, until, call);
  }
}

[[gnu::always_inline]] inline void get_from(void* to, PeMemory from,
                                            std::size_t bytes, Until until,
                                            HostCall const& call) {
  if (from.reach == Reach::words) [[likely]] {
    copy_host_memory(to, from.address(), bytes);
  } else {
    get_otherwise(to, from, bytes, until, call);
  }
}

// Those below take memory that messages reach.

[[gnu::cold]] void put_strided_to(PeMemory to, void const* from,
                                  Strides const& strides, HostCall const& call);
[[gnu::cold]] void get_strided_from(void* to, PeMemory from,
                                    Strides const& strides,
                                    HostCall const& call);
/// StridedCopy by one of the two.
template <class Copy>
void copy_strided_by_messages(PeMemory its, Copy const& copy,
                              HostCall const& call) {
  auto const [dest, source, to, from, bytes, count] = copy.in_bytes();
  if constexpr (Copy::direction == Direction::put) {
    put_strided_to(its, source, {bytes, count, to, from}, call);
  } else {
    get_strided_from(dest, its, {bytes, count, from, to}, call);
  }
}
/// \param bytes 0: the signal alone; `to` and `from` are whatever they are.
/// \param op AtomicOp::set or AtomicOp::add.
[[gnu::cold]] void put_signal_to(PeMemory to, void const* from,
                                 std::size_t bytes, PeMemory signal,
                                 std::uint64_t value, AtomicOp op, Until until,
                                 HostCall const& call);

// Atomic operations, on bits of words.

/// The word's old value is in `was`, of the word's size, after quiet().
[[gnu::cold]] void fetch_at(PeMemory at, AtomicOp op, WordType type,
                            std::uint64_t value, std::uint64_t compare,
                            void* was, HostCall const& call);

[[gnu::cold]] std::uint64_t atomic_at(PeMemory at, AtomicOp op, WordType type,
                                      std::uint64_t value,
                                      std::uint64_t compare,
                                      HostCall const& call);
[[gnu::cold]] void post_atomic_at(PeMemory at, AtomicOp op, WordType type,
                                  std::uint64_t value, HostCall const& call);

/// How the target interprets a word.
template <class T>
[[nodiscard]] SYMM_FUNCTION constexpr WordType word_type_of() {
  constexpr bool is_wide = sizeof(T) == 8;
  if constexpr (std::is_floating_point_v<T>) {
    return is_wide ? WordType::f64 : WordType::f32;
  } else if constexpr (std::signed_integral<T>) {
    return is_wide ? WordType::i64 : WordType::i32;
  } else {
    return is_wide ? WordType::u64 : WordType::u32;
  }
}

template <class T>
using BitsOfWord =
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// An operation whose result is what the word was, or void.
template <class Result, class T>
Result change_at(PeMemory at, HostCall const& call, AtomicOp op, T value,
                 T compare = T{}) {
  auto const bits = std::bit_cast<BitsOfWord<T>>(value);
  if constexpr (std::is_void_v<Result>) {
    post_atomic_at(at, op, word_type_of<T>(), bits, call);
  } else {
    auto const was = atomic_at(at, op, word_type_of<T>(), bits,
                               std::bit_cast<BitsOfWord<T>>(compare), call);
    return std::bit_cast<T>(static_cast<BitsOfWord<T>>(was));
  }
}

/// The same without waiting for the result, which `fetch` gets.
template <class T>
void fetch_word_at(PeMemory at, HostCall const& call, T* fetch, AtomicOp op,
                   T value, T compare = T{}) {
  fetch_at(at, op, word_type_of<T>(), std::bit_cast<BitsOfWord<T>>(value),
           std::bit_cast<BitsOfWord<T>>(compare), fetch, call);
}

// About all far PEs; in jobs of one node they do nothing.

/// Orders: what went to a PE before is done there before what goes there
/// afterwards.
void fence_far();
/// Completes what went to other nodes without a context.
void quiet_far();
/// Completes all that went to other nodes, as barriers do.
void quiet_all_contexts(char const* call);
/// Carries out what has come from other nodes. A caller that looks at a
/// variable again and again calls it in between.
void poll_far();

}  // namespace symm::Impl

#endif
