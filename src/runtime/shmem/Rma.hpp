// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_RMA_HPP
#define SYMM_SHMEM_RMA_HPP

#include <cstddef>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "Access.hpp"
#include "Far.hpp"
#include "GroupCopy.hpp"
#include "RingClient.hpp"
#include "Words.hpp"

namespace symm::Impl {

// What the forms of put and get in symm_rma.hpp have in common. `call` is the
// name of the form, for messages.

/// Which side of a copy is the symmetric one, of which PE `pe` has the copy
/// that is meant: the destination or the source.
enum class Way { put, get };

/// Size in bytes of `count` elements, each `stride` elements behind the one
/// before; the largest number, if it is none: that is in no heap.
SYMM_INLINE_FUNCTION constexpr std::size_t bytes_of(std::size_t size,
                                                    std::size_t count,
                                                    std::size_t stride = 1) {
  constexpr auto all = ~std::size_t{0};
  if (count == 0) return 0;
  if (stride != 0 && count - 1 > (all / size - 1) / stride) return all;
  return ((count - 1) * stride + 1) * size;
}

/// What travels as bytes.
template <class T>
SYMM_FUNCTION constexpr void check_element() {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_volatile_v<T>,
                "the elements must be trivially copyable: they travel as "
                "bytes");
}

// On the host.

/// \throws UsageError on this PE, if `address` is null.
void check_private(void const* address, char const* call);

// putmem() and getmem(), and those that may return before it is done.
void put_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call);
void get_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call);
void put_bytes_nbi(void* dest, void const* source, std::size_t bytes, Pe pe,
                   char const* call);
void get_bytes_nbi(void* dest, void const* source, std::size_t bytes, Pe pe,
                   char const* call);

/// One of those four, of elements.
template <auto copy_it, class T>
void copy_elements(T* dest, T const* source, std::size_t count, Pe pe,
                   char const* call) {
  check_element<T>();
  copy_it(dest, source, bytes_of(sizeof(T), count), pe, call);
}

/// What copies GPU memory of the heap.
/// \throws UsageError on this PE, if there is none.
CopyQueue& copy_queue(char const* call);

/// Copies between GPU memory of the heap, a peer's too, and any memory of this
/// PE. Done when it returns.
void copy_gpu_memory(void* to, void const* from, std::size_t bytes,
                     char const* call);

// By a group of threads, on the host as well as in kernels.

/// Copies from or to a PE that is not near: on the host, by one thread.
template <Way way, class T>
void copy_elements_far(HeapMap const& heap, T* dest, T const* source,
                       std::size_t bytes, Pe pe, char const* call,
                       Until until) {
  if constexpr (way == Way::put) {
    expect_access(heap, dest, bytes, pe, call);
    put_far({heap, dest, pe, call}, source, bytes, until);
  } else {
    expect_access(heap, source, bytes, pe, call);
    get_far(dest, {heap, source, pe, call}, bytes, until);
  }
}

template <Way way, ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void copy_elements_of_pe(
    Threads const& threads, HeapMap const& heap, T* dest, T const* source,
    std::size_t count, Pe pe, char const* call,
    [[maybe_unused]] Until until = Until::is_safe) {
  check_element<T>();
  auto const group        = group_of(threads);
  std::size_t const bytes = bytes_of(sizeof(T), count);
  if (bytes != 0) {
    SYMM_IF_ON_HOST((if (!heap.is_near(pe)) [[unlikely]] {
      if (group.rank() == 0) {
        copy_elements_far<way>(heap, dest, source, bytes, pe, call, until);
      }
      group.barrier();
      return;
    }))
    SYMM_IF_ON_DEVICE((if (!heap.is_near(pe)) [[unlikely]] {
      bool const waits = until == Until::is_safe;
      if constexpr (way == Way::put) {
        expect_access(heap, dest, bytes, pe, call);
        InKernel::put_far(group, dest, source, bytes, pe, waits);
      } else {
        expect_access(heap, source, bytes, pe, call);
        InKernel::get_far(group, dest, source, bytes, pe, waits);
      }
      return;
    }))
    if constexpr (way == Way::put) {
      dest = expected_copy(heap, dest, bytes, pe, call);
    } else {
      source = expected_copy(heap, source, bytes, pe, call);
    }
    copy_bytes<alignof(T)>(group, dest, source, bytes);
  }
  group.barrier();
}

// One element.

/// Whether it is one word that there are loads and stores for, which no cache
/// answers.
template <class T>
inline constexpr bool is_one_access_v = MachineWord<T> &&
                                        alignof(T) == sizeof(T);

/// What p() does at the element itself. In kernels it is in global memory.
template <class T>
SYMM_INLINE_FUNCTION void store_element(T* to, T const& value) {
  if constexpr (is_one_access_v<T>) {
    store_relaxed(to, value);
  } else {
    SYMM_IF_ON_HOST((copy_host_memory<alignof(T)>(to, &value, sizeof(T));))
    SYMM_IF_ON_DEVICE((*to = value;))
  }
}

/// What g() does, likewise.
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

}  // namespace symm::Impl

#endif
