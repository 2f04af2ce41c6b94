// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_RMASTRIDED_HPP
#define KOKKOS_SYMMETRICSPACE_RMASTRIDED_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Access.hpp>
#include <Kokkos_SymmetricSpace_Copy.hpp>
#include <Kokkos_SymmetricSpace_Rma.hpp>

#include "../runtime/base/Types.hpp"
#include "../runtime/heap/SymmetricHeap.hpp"
#include "../runtime/memory/HeapMap.hpp"
#include "../runtime/memory/HostCopy.hpp"

// iput and iget: elements with strides, on the host and enqueued.
// Kokkos_SymmetricSpace_Rma.hpp says what all forms have in common.

namespace symm {

/// \throws UsageError on this PE, if a stride is 0.
void check_strides(std::size_t dest_stride, std::size_t source_stride,
                   char const* call);

/// Element i * source_stride of `source` to element i * dest_stride of `dest`,
/// for all i below `count`.
template <class T>
struct StridedCopy {
  T* dest;
  T const* source;
  std::size_t dest_stride;
  std::size_t source_stride;
  std::size_t count;

  KOKKOS_FUNCTION T const& from(std::size_t i) const {
    return source[i * source_stride];
  }
  KOKKOS_FUNCTION T& to(std::size_t i) const { return dest[i * dest_stride]; }
};

/// By loads and stores, shared by the threads of a group, which all call; no
/// barrier.
template <class Group, class T>
KOKKOS_INLINE_FUNCTION void run_strided(Group const& group,
                                        StridedCopy<T> const& copy) {
  KOKKOS_IF_ON_HOST((group.for_each(copy.count, [&](std::size_t i) {
    copy_host_memory<alignof(T)>(&copy.to(i), &copy.from(i), sizeof(T));
  });))
  KOKKOS_IF_ON_DEVICE(
      (copy_each_with_loads_in_flight(
           group, copy.count, [=](std::size_t i) { return copy.from(i); },
           [=](std::size_t i, T const& value) { copy.to(i) = value; });))
}

#ifdef KOKKOS_ENABLE_CUDA
/// Enqueues it, for any memory: one copy of the device if no stride is above
/// what that takes (2 GiB), else one for each element.
/// \param copy of the first bytes of elements of `size` bytes.
/// \throws SystemError on this PE.
void copy_by_device(Kokkos::Cuda const& exec, StridedCopy<char> const& copy,
                    std::size_t size, char const* call);

template <class T>
void enqueue_strided(Kokkos::Cuda const& exec, SymmetricHeap const&,
                     StridedCopy<T> const& copy, char const* call) {
  copy_by_device(exec,
                 {reinterpret_cast<char*>(copy.dest),
                  reinterpret_cast<char const*>(copy.source), copy.dest_stride,
                  copy.source_stride, copy.count},
                 sizeof(T), call);
}
#endif

/// It is done on return.
template <class T>
void copy_strided(SymmetricHeap const& heap, StridedCopy<T> const& copy,
                  [[maybe_unused]] char const* call) {
#ifdef KOKKOS_ENABLE_CUDA
  if (heap.memory() == MemoryKind::device) {
    Kokkos::fence(call);
    Kokkos::Cuda const exec;
    try {
      enqueue_strided(exec, heap, copy, call);
    } catch (...) {
      exec.fence(call);  // nothing of it is still under way
      throw;
    }
    exec.fence(call);
    return;
  }
#endif
  static_cast<void>(heap);
  run_strided(OneThread(), copy);
}

/// For an instance that runs on the host.
template <class Exec, class T>
void enqueue_strided(Exec const& exec, SymmetricHeap const& heap,
                     StridedCopy<T> const& copy, char const* call) {
  exec.fence(call);
  copy_strided(heap, copy, call);
}

/// Calls copy_it(heap, copy, call) with what iput() and iget() are to copy, if
/// there is anything.
template <class T, class CopyIt>
void iput_by(T* dest, T const* source, std::size_t dest_stride,
             std::size_t source_stride, std::size_t count, Pe pe,
             CopyIt const& copy_it) {
  constexpr char const* call = "symm::iput";
  check_element<T>();
  check_strides(dest_stride, source_stride, call);
  if (count == 0) return;
  auto const& heap =
      heap_to_access(dest, bytes_of(sizeof(T), count, dest_stride), pe, call);
  check_private(source, call);
  copy_it(heap,
          StridedCopy<T>{heap.map().peer_ptr(dest, pe), source, dest_stride,
                         source_stride, count},
          call);
}
template <class T, class CopyIt>
void iget_by(T* dest, T const* source, std::size_t dest_stride,
             std::size_t source_stride, std::size_t count, Pe pe,
             CopyIt const& copy_it) {
  constexpr char const* call = "symm::iget";
  check_element<T>();
  check_strides(dest_stride, source_stride, call);
  if (count == 0) return;
  auto const& heap = heap_to_access(
      source, bytes_of(sizeof(T), count, source_stride), pe, call);
  check_private(dest, call);
  copy_it(heap,
          StridedCopy<T>{dest, heap.map().peer_ptr(source, pe), dest_stride,
                         source_stride, count},
          call);
}

/// shmem_iput: element i * source_stride of `source` to element i * dest_stride
/// of `dest`; what is between them is left alone.
/// \param dest_stride, source_stride in elements, at least 1.
/// \param count in elements.
/// \throws UsageError on this PE, also if a stride is 0.
template <class T>
void iput(T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  iput_by(dest, source, dest_stride, source_stride, count, pe,
          [](auto const& heap, auto const& copy, char const* call) {
            copy_strided(heap, copy, call);
          });
}

/// shmem_iget, as iput().
template <class T>
void iget(T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  iget_by(dest, source, dest_stride, source_stride, count, pe,
          [](auto const& heap, auto const& copy, char const* call) {
            copy_strided(heap, copy, call);
          });
}

/// As iput(), enqueued.
template <class Exec, class T>
requires Kokkos::is_execution_space_v<Exec>
void iput(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  iput_by(dest, source, dest_stride, source_stride, count, pe,
          [&](auto const& heap, auto const& copy, char const* call) {
            enqueue_strided(exec, heap, copy, call);
          });
}

template <class Exec, class T>
requires Kokkos::is_execution_space_v<Exec>
void iget(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  iget_by(dest, source, dest_stride, source_stride, count, pe,
          [&](auto const& heap, auto const& copy, char const* call) {
            enqueue_strided(exec, heap, copy, call);
          });
}

}  // namespace symm

#endif
