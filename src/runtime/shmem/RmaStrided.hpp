// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_RMASTRIDED_HPP
#define SYMM_SHMEM_RMASTRIDED_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Types.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "Access.hpp"
#include "GroupCopy.hpp"
#include "Rma.hpp"

namespace symm::Impl {

// What the forms of iput and iget in symm_rma.hpp have in common: elements with
// strides.

/// Element i * source_stride of `source` to element i * dest_stride of `dest`,
/// for all i below `count`.
template <class T>
struct StridedCopy {
  T* dest;
  T const* source;
  std::size_t dest_stride;
  std::size_t source_stride;
  std::size_t count;

  SYMM_FUNCTION T const& from(std::size_t i) const {
    return source[i * source_stride];
  }
  SYMM_FUNCTION T& to(std::size_t i) const { return dest[i * dest_stride]; }

  [[nodiscard]] CopyQueue::Strided in_bytes() const {
    return {reinterpret_cast<char*>(dest),
            reinterpret_cast<char const*>(source),
            dest_stride * sizeof(T),
            source_stride * sizeof(T),
            sizeof(T),
            count};
  }
};

/// By loads and stores, shared by the threads of a group, which all call; no
/// barrier.
template <Group Threads, class T>
SYMM_INLINE_FUNCTION void run_strided(Threads const& threads,
                                      StridedCopy<T> const& copy) {
  SYMM_IF_ON_HOST((threads.for_each(copy.count, [&](std::size_t i) {
    copy_host_memory<alignof(T)>(&copy.to(i), &copy.from(i), sizeof(T));
  });))
  SYMM_IF_ON_DEVICE(
      (copy_each_with_loads_in_flight(
           threads, copy.count, [=](std::size_t i) { return copy.from(i); },
           [=](std::size_t i, T const& value) { copy.to(i) = value; });))
}

// On the host.

/// \throws UsageError on this PE, if a stride is 0.
void check_strides(std::size_t dest_stride, std::size_t source_stride,
                   char const* call);

/// Copies between GPU memory of the heap and any memory of this PE, behind all
/// that this PE's GPU has begun. Done when it returns.
void copy_gpu_memory(CopyQueue::Strided const& copy, char const* call);

/// Carries out a copy whose symmetric side is in `memory`.
template <class T>
void copy_strided(MemoryKind memory, StridedCopy<T> const& copy,
                  char const* call) {
  if (memory == MemoryKind::host) {
    run_strided(OneThread(), copy);
  } else {
    copy_gpu_memory(copy.in_bytes(), call);
  }
}

/// Calls copy_it(memory, copy, call) with what iput() is to copy and the kind
/// of the symmetric side's memory, if there is anything.
template <class T, class CopyIt>
void put_strided(T* dest, T const* source, std::size_t dest_stride,
                 std::size_t source_stride, std::size_t count, Pe pe,
                 CopyIt const& copy_it) {
  constexpr char const* call = "symm::iput";
  check_element<T>();
  check_strides(dest_stride, source_stride, call);
  if (count == 0) return;
  auto const its =
      copy_to_access(dest, bytes_of(sizeof(T), count, dest_stride), pe, call);
  check_private(source, call);
  copy_it(
      its.memory,
      StridedCopy<T>{its.address, source, dest_stride, source_stride, count},
      call);
}

/// The same for iget().
template <class T, class CopyIt>
void get_strided(T* dest, T const* source, std::size_t dest_stride,
                 std::size_t source_stride, std::size_t count, Pe pe,
                 CopyIt const& copy_it) {
  constexpr char const* call = "symm::iget";
  check_element<T>();
  check_strides(dest_stride, source_stride, call);
  if (count == 0) return;
  auto const its = copy_to_access(
      source, bytes_of(sizeof(T), count, source_stride), pe, call);
  check_private(dest, call);
  copy_it(its.memory,
          StridedCopy<T>{dest, its.address, dest_stride, source_stride, count},
          call);
}

// By a group of threads, on the host as well as in kernels.

SYMM_INLINE_FUNCTION void expect_strides(std::size_t dest_stride,
                                         std::size_t source_stride,
                                         char const* call) {
  expect(dest_stride != 0 && source_stride != 0, call,
         "strides are at least 1");
}

template <Group Threads, class T>
SYMM_INLINE_FUNCTION void put_strided(Threads const& threads,
                                      HeapMap const& heap, T* dest,
                                      T const* source, std::size_t dest_stride,
                                      std::size_t source_stride,
                                      std::size_t count, Pe pe) {
  constexpr char const* call = "symm::iput";
  check_element<T>();
  expect_strides(dest_stride, source_stride, call);
  if (count != 0) {
    expect_access(heap, dest, bytes_of(sizeof(T), count, dest_stride), pe,
                  call);
    run_strided(threads, StridedCopy<T>{heap.peer_ptr(dest, pe), source,
                                        dest_stride, source_stride, count});
  }
  threads.barrier();
}

template <Group Threads, class T>
SYMM_INLINE_FUNCTION void get_strided(Threads const& threads,
                                      HeapMap const& heap, T* dest,
                                      T const* source, std::size_t dest_stride,
                                      std::size_t source_stride,
                                      std::size_t count, Pe pe) {
  constexpr char const* call = "symm::iget";
  check_element<T>();
  expect_strides(dest_stride, source_stride, call);
  if (count != 0) {
    expect_access(heap, source, bytes_of(sizeof(T), count, source_stride), pe,
                  call);
    run_strided(threads, StridedCopy<T>{dest, heap.peer_ptr(source, pe),
                                        dest_stride, source_stride, count});
  }
  threads.barrier();
}

}  // namespace symm::Impl

#endif
