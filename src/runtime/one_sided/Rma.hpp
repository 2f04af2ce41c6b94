// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_RMA_HPP
#define SYMM_ONE_SIDED_RMA_HPP

#include <cstddef>
#include <type_traits>

#include "../access/Access.hpp"
#include "../access/Elements.hpp"
#include "../access/GroupOperations.hpp"
#include "../access/HostCall.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/GroupCopy.hpp"
#include "../groups/Words.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"

namespace symm::Impl {

// The common parts of the forms of put and get in symm_rma.hpp. `call` is the
// name of the form, for messages.

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

template <Direction direction, ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void copy_elements_of_pe(
    Threads const& threads, HeapMap const& heap, T* dest, T const* source,
    std::size_t count, Pe pe, char const* call, Until until = Until::is_safe) {
  check_element<T>();
  auto const group        = group_of(threads);
  std::size_t const bytes = bytes_of(sizeof(T), count);
  if (bytes != 0) {
    expect_access(heap, direction == Direction::put ? dest : source, bytes, pe,
                  call);
    copy_elements<direction>(group, heap, dest, source, count, pe, call, until);
  }
  group.barrier();
}

}  // namespace symm::Impl

#endif
