// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PEER_MEMORY_HPP
#define SYMM_TEST_PEER_MEMORY_HPP

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include <runtime/memory/HeapMap.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_rma.hpp>
#include <runtime/symm_signals.hpp>
#include <support/memory.hpp>
#include <support/pattern.hpp>

/// The functions of support/pattern.hpp and support/memory.hpp, for PE `pe`'s
/// copy of a symmetric address. They use loads and stores if the PE is near.
/// Otherwise they use gets, and puts that the next barrier completes.
namespace symm_test {

inline void fill_at(symm::Pe pe, void* start, std::size_t bytes, Tag tag) {
  if (start == nullptr) return;
  if (symm::is_near(pe)) return fill(symm::ptr(start, pe), bytes, tag);
  symm::putmem(start, pattern_bytes(bytes, tag).data(), bytes, pe);
}

/// Calls look(address) with the address of `pe`'s copy, or of a private copy of
/// it if `pe` is far.
template <class Look>
auto look_at(symm::Pe pe, void const* start, std::size_t bytes,
             Look const& look) {
  void const* copy = start;
  std::vector<char> got;
  if (start != nullptr && symm::is_near(pe)) {
    copy = symm::ptr(start, pe);
  } else if (start != nullptr) {
    got.resize(bytes);
    symm::getmem(got.data(), start, bytes, pe);
    copy = got.data();
  }
  return look(copy);
}

inline std::optional<std::size_t> difference_at(symm::Pe pe, void const* start,
                                                std::size_t bytes, Tag tag) {
  return look_at(pe, start, bytes, [&](void const* copy) {
    return difference(copy, bytes, tag);
  });
}

inline std::optional<std::size_t> difference_from_at(symm::Pe pe,
                                                     unsigned char value,
                                                     void const* start,
                                                     std::size_t bytes) {
  return look_at(pe, start, bytes, [&](void const* copy) {
    return difference_from(value, copy, bytes);
  });
}

template <class T>
void set_value_at(symm::Pe pe, T* at, std::type_identity_t<T> const& value) {
  if (symm::is_near(pe)) return set_value(symm::ptr(at, pe), value);
  symm::p(at, value, pe);
}

template <class T>
T get_value_at(symm::Pe pe, T const* at) {
  return symm::is_near(pe) ? get_value(symm::ptr(at, pe)) : symm::g(at, pe);
}

// For kernels: plain loads and stores if `pe` is near.

template <class T>
KOKKOS_INLINE_FUNCTION void store_at(symm::HeapMap const& map, symm::Pe pe,
                                     T* at, T value) {
  if (map.is_near(pe)) {
    *map.peer_ptr(at, pe) = value;
  } else {
    symm::p(map, at, value, pe);
  }
}

template <class T>
KOKKOS_INLINE_FUNCTION T load_at(symm::HeapMap const& map, symm::Pe pe,
                                 T const* at) {
  return map.is_near(pe) ? *map.peer_ptr(at, pe) : symm::g(map, at, pe);
}

/// Stores the value as a whole, for a thread that waits for it.
template <class T>
KOKKOS_INLINE_FUNCTION void store_relaxed_at(symm::HeapMap const& map,
                                             symm::Pe pe, T* at, T value) {
  if (map.is_near(pe)) {
    symm::store_relaxed(map.peer_ptr(at, pe), value);
  } else {
    symm::p(map, at, value, pe);
  }
}

/// The same, after everything that this thread has stored on `pe` before.
template <class T>
KOKKOS_INLINE_FUNCTION void store_release_at(symm::HeapMap const& map,
                                             symm::Pe pe, T* at, T value) {
  if (map.is_near(pe)) {
    symm::store_release(map.peer_ptr(at, pe), value);
  } else {
    symm::fence();
    symm::p(map, at, value, pe);
  }
}

}  // namespace symm_test

#endif
