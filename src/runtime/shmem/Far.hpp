// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_FAR_HPP
#define SYMM_SHMEM_FAR_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../base/BitCast.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "../transport/Transport.hpp"
#include "RingClient.hpp"

namespace symm::Impl {

// What the operations do when they have found that their PE is not near: by
// messages of the Transport what they do by loads and stores otherwise. On the
// host, by one thread, whichever. In a unit of its own, so that the way to near
// PEs has one compare more and nothing else.
//
// All throw UsageError on this PE, if there is no way to the PE or its memory
// is a GPU's, and what the Transport throws.

/// PE `pe`'s copy of the object at the symmetric address `address`.
struct FarCopy {
  HeapMap const& heap;
  void const* address;
  Pe pe;
  char const* call;  // for messages, such as "symm::put"
};

/// The same by its address alone, which heap_to_access() has found.
[[nodiscard, gnu::cold]] FarCopy far_copy(void const* address, Pe pe,
                                          char const* call);

using Until = Transport::Until;

[[gnu::cold]] void put_far(FarCopy const& dest, void const* source,
                           std::size_t bytes, Until until = Until::is_safe);
[[gnu::cold]] void get_far(void* dest, FarCopy const& source, std::size_t bytes,
                           Until until = Until::is_safe);
[[gnu::cold]] void put_strided_far(FarCopy const& dest, void const* source,
                                   Strides const& strides);
[[gnu::cold]] void get_strided_far(void* dest, FarCopy const& source,
                                   Strides const& strides);
/// \param bytes 0: the signal alone; `dest` and `source` are whatever they are.
/// \param op AtomicOp::set or AtomicOp::add.
[[gnu::cold]] void put_signal_far(FarCopy const& dest, void const* source,
                                  std::size_t bytes, FarCopy const& signal,
                                  std::uint64_t value, AtomicOp op,
                                  Until until);

// Atomic operations, on bits of words.

[[gnu::cold]] std::uint64_t atomic_far(FarCopy const& at, AtomicOp op,
                                       WordType type, std::uint64_t value,
                                       std::uint64_t compare);
[[gnu::cold]] void post_atomic_far(FarCopy const& at, AtomicOp op,
                                   WordType type, std::uint64_t value);

/// What the target takes a word for.
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
Result change_far(FarCopy const& at, AtomicOp op, T value, T compare = T{}) {
  auto const bits = std::bit_cast<BitsOfWord<T>>(value);
  if constexpr (std::is_void_v<Result>) {
    post_atomic_far(at, op, word_type_of<T>(), bits);
  } else {
    auto const was = atomic_far(at, op, word_type_of<T>(), bits,
                                std::bit_cast<BitsOfWord<T>>(compare));
    return std::bit_cast<T>(static_cast<BitsOfWord<T>>(was));
  }
}

#ifdef SYMM_FOR_DEVICE
/// The same in a kernel; the address is this PE's.
template <class Result, class T>
__device__ Result change_far_in_kernel(T const* address, Pe pe, AtomicOp op,
                                       T value, T compare = T{}) {
  constexpr auto type = word_type_of<T>();
  auto const bits     = bit_cast<BitsOfWord<T>>(value);
  if constexpr (std::is_void_v<Result>) {
    InKernel::far_pes().post_atomic({address, pe}, op, type, bits);
  } else {
    auto const was = InKernel::far_pes().atomic(
        {address, pe}, op, type, bits, bit_cast<BitsOfWord<T>>(compare));
    return bit_cast<T>(static_cast<BitsOfWord<T>>(was));
  }
}
#endif

// About all far PEs; in jobs of one node, nothing.

/// What went to a PE before is done there before what goes there afterwards.
void fence_far();
/// All that went to other nodes is done.
void quiet_far();
/// Lets what has come from other nodes be done, for who looks at a variable
/// again and again.
void poll_far();

}  // namespace symm::Impl

#endif
