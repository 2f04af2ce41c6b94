// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GROUPS_GROUPCOPY_HPP
#define SYMM_GROUPS_GROUPCOPY_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../memory/HostCopy.hpp"
#include "Group.hpp"
#ifdef SYMM_FOR_DEVICE
#include "KernelCopy.hpp"
#endif

namespace symm::Impl {

/// Calls store(i, load(i)) for i = 0, ..., count - 1. On a GPU, every thread
/// has several loads in flight before its first store, and adjacent threads
/// access adjacent elements.
/// \tparam n_loads the number of loads in flight; 0 selects a number that suits
///         most copies.
template <std::size_t n_loads = 0, class Threads, class Load, class Store>
SYMM_INLINE_FUNCTION void copy_each(Threads const& threads, std::size_t count,
                                    Load const& load, Store const& store) {
#ifdef SYMM_FOR_DEVICE
  copy_each_with_loads_in_flight<n_loads>(threads, count, load, store);
#else
  threads.for_each(count, [&](std::size_t i) { store(i, load(i)); });
#endif
}

/// copy_bytes() on the host, where each thread copies one part. A small copy
/// consists of a single part.
template <std::size_t alignment, class Threads>
void copy_by_parts(Threads const& threads, char* to, char const* from,
                   std::size_t bytes) {
  constexpr std::size_t line = 64;  // in bytes; parts are whole cache lines
  static_assert(max_bytes_by_words <= line);
  std::size_t const n    = threads.size();
  std::size_t const part = n == 1 ? bytes : (bytes / n + line) / line * line;
  threads.for_each(n, [&](std::size_t i) {
    std::size_t const first = i * part;
    if (first >= bytes) return;
    copy_host_memory<alignment>(to + first, from + first,
                                bytes - first < part ? bytes - first : part);
  });
}

/// Whether the calling thread has no work in copy_bytes(). This is the case for
/// most threads of a large team in a small copy. Such a thread must not compute
/// anything, because that would delay the other threads.
template <std::size_t alignment, class Threads>
[[nodiscard]] SYMM_INLINE_FUNCTION bool has_no_part(Threads const& threads,
                                                    std::size_t bytes) {
  constexpr std::size_t least = alignment < 8 ? alignment : 8;
  return threads.rank() >= bytes / least;
}

/// Copies bytes. On a GPU, uses the widest words that both addresses allow: 16
/// bytes if they are congruent modulo 16. On the host, works like
/// copy_host_memory(). All threads of the group must make the call. Contains no
/// barrier.
///
/// \tparam alignment minimum alignment of both addresses, in bytes; `bytes`
///         must be a multiple of it.
template <std::size_t alignment, class Threads>
SYMM_INLINE_FUNCTION void copy_bytes(Threads const& threads, void* dest,
                                     void const* source, std::size_t bytes) {
  auto* const to         = static_cast<char*>(dest);
  auto const* const from = static_cast<char const*>(source);
#ifdef SYMM_FOR_DEVICE
  constexpr std::size_t unit = alignment < 16 ? alignment : 16;
  if (!copy_word_each<8, unit>(threads, to, from, bytes) &&
      !copy_word_each<16, unit>(threads, to, from, bytes)) {
    copy_by_widest_words<16, unit>(threads, to, from, bytes);
  }
#else
  copy_by_parts<alignment>(threads, to, from, bytes);
#endif
}

}  // namespace symm::Impl

#endif
