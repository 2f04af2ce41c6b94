// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_RMA_HPP
#define SYMM_ONE_SIDED_RMA_HPP

#include <cstddef>
#include <type_traits>

#include "../access/Access.hpp"
#include "../access/HostCall.hpp"
#include "../access/PeOperations.hpp"
#include "../access/RingClient.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/GroupCopy.hpp"
#include "../groups/Words.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"

namespace symm::Impl {

// The common parts of the forms of put and get in symm_rma.hpp. `call` is the
// name of the form, for messages.

/// The symmetric side of a copy, of PE `pe`: the destination or the source.
enum class Direction { put, get };

/// Size in bytes of `count` elements, each `stride` elements after the one
/// before. On overflow the largest number, which is in no heap.
SYMM_INLINE_FUNCTION constexpr std::size_t bytes_of(std::size_t size,
                                                    std::size_t count,
                                                    std::size_t stride = 1) {
  constexpr auto all = ~std::size_t{0};
  if (count == 0) return 0;
  if (stride != 0 && count - 1 > (all / size - 1) / stride) return all;
  return ((count - 1) * stride + 1) * size;
}

/// Checks that T is trivially copyable: elements travel as bytes.
template <class T>
SYMM_FUNCTION constexpr void check_element() {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_volatile_v<T>,
                "the elements must be trivially copyable: they travel as "
                "bytes");
}

// On the host.

/// \throws UsageError on this PE, if `address` is null.
void check_private(void const* address, char const* call);

// putmem() and getmem(); the _nbi forms may return before it is done.
void put_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call);
void get_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call);
void put_bytes_nbi(void* dest, void const* source, std::size_t bytes, Pe pe,
                   char const* call);
void get_bytes_nbi(void* dest, void const* source, std::size_t bytes, Pe pe,
                   char const* call);

// The same in any context, with or without a Request.
void put_bytes_in(HostCall const& call, Until until, void* dest,
                  void const* source, std::size_t bytes, Pe pe);
void get_bytes_in(HostCall const& call, Until until, void* dest,
                  void const* source, std::size_t bytes, Pe pe);

/// Calls one of those, with elements.
template <Direction direction, class T>
void copy_elements(HostCall const& call, Until until, T* dest, T const* source,
                   std::size_t count, Pe pe) {
  check_element<T>();
  auto const bytes = bytes_of(sizeof(T), count);
  if constexpr (direction == Direction::put) {
    put_bytes_in(call, until, dest, source, bytes, pe);
  } else {
    get_bytes_in(call, until, dest, source, bytes, pe);
  }
}

/// Calls one of the four, with elements.
template <auto copy_it, class T>
void copy_elements(T* dest, T const* source, std::size_t count, Pe pe,
                   char const* call) {
  check_element<T>();
  copy_it(dest, source, bytes_of(sizeof(T), count), pe, call);
}

// By a group of threads, on the host as well as in kernels.

/// Copies from or to a far PE, by a group of threads, without a barrier.
/// \param symmetric this PE's address of the side that `pe` has.
/// \param local     the other side.
template <Direction direction, Group Threads>
SYMM_FUNCTION void copy_far(Threads const& group, HeapMap const& heap,
                            void const* symmetric, void const* local,
                            std::size_t bytes, Pe pe,
                            [[maybe_unused]] char const* call, Until until) {
  SYMM_IF_ON_HOST((
      static_cast<void>(group); if (group.rank() != 0) return;
      auto const its = resolve_far(heap, symmetric, pe);
      if constexpr (direction == Direction::put) {
        put_otherwise(its, local, bytes, until, call);
      } else {
        get_otherwise(const_cast<void*>(local), its, bytes, until, call);
      }))
  SYMM_IF_ON_DEVICE((
      static_cast<void>(heap); bool const waits = until == Until::is_safe;
      if constexpr (direction == Direction::put) {
        InKernel::put_far(group, symmetric, local, bytes, pe, waits);
      } else {
        InKernel::get_far(group, const_cast<void*>(local), symmetric, bytes, pe,
                          waits);
      }))
}

template <Direction direction, ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void copy_elements_of_pe(
    Threads const& threads, HeapMap const& heap, T* dest, T const* source,
    std::size_t count, Pe pe, char const* call, Until until = Until::is_safe) {
  check_element<T>();
  auto const group        = group_of(threads);
  std::size_t const bytes = bytes_of(sizeof(T), count);
  if (bytes != 0) {
    constexpr bool is_put       = direction == Direction::put;
    void const* const symmetric = is_put ? dest : source;
    expect_access(heap, symmetric, bytes, pe, call);
    if (!heap.is_near(pe)) [[unlikely]] {
      copy_far<direction>(group, heap, symmetric, is_put ? source : dest, bytes,
                          pe, call, until);
    } else if constexpr (is_put) {
      copy_bytes<alignof(T)>(group, heap.peer_ptr(dest, pe), source, bytes);
    } else {
      copy_bytes<alignof(T)>(group, dest, heap.peer_ptr(source, pe), bytes);
    }
  }
  group.barrier();
}

// One element.

/// Whether T is one word, loaded and stored by one access that no cache
/// answers.
template <class T>
inline constexpr bool is_one_access_v = MachineWord<T> &&
                                        alignof(T) == sizeof(T);

/// p(), on the element itself. In kernels it is in global memory.
template <class T>
SYMM_INLINE_FUNCTION void store_element(T* to, T const& value) {
  if constexpr (is_one_access_v<T>) {
    store_relaxed(to, value);
  } else {
    SYMM_IF_ON_HOST((copy_host_memory<alignof(T)>(to, &value, sizeof(T));))
    SYMM_IF_ON_DEVICE((*to = value;))
  }
}

/// g(), likewise.
template <class T>
[[nodiscard]] SYMM_INLINE_FUNCTION T load_element(T const* from) {
  if constexpr (is_one_access_v<T>) {
    return load_relaxed(from);
  } else {
    SYMM_IF_ON_HOST((T element;
                     copy_host_memory<alignof(T)>(&element, from, sizeof(T));
                     return element;))
    SYMM_IF_ON_DEVICE((return *from;))
  }
}

// The same at a far PE's element, whose address on this PE is given.

template <class T>
SYMM_FUNCTION void store_far_element(HeapMap const& heap, T* to, T const& value,
                                     Pe pe) {
  SYMM_IF_ON_HOST(
      (copy_far<Direction::put>(OneThread(), heap, to, &value, sizeof(T), pe,
                                "symm::p", Until::is_safe);))
  SYMM_IF_ON_DEVICE(
      (static_cast<void>(heap); InKernel::store_far(to, value, pe);))
}

template <class T>
[[nodiscard]] SYMM_FUNCTION std::remove_const_t<T> load_far_element(
    HeapMap const& heap, T* from, Pe pe) {
  SYMM_IF_ON_HOST((std::remove_const_t<T> value{}; copy_far<Direction::get>(
                       OneThread(), heap, from, &value, sizeof(T), pe,
                       "symm::g", Until::is_safe);
                   return value;))
  SYMM_IF_ON_DEVICE(
      (static_cast<void>(heap); return InKernel::load_far(from, pe);))
}

}  // namespace symm::Impl

#endif
