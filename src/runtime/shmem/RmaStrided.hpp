// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_RMASTRIDED_HPP
#define SYMM_SHMEM_RMASTRIDED_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "Access.hpp"
#include "GroupCopy.hpp"
#include "PeOperations.hpp"
#include "RingClient.hpp"
#include "Rma.hpp"

namespace symm::Impl {

// The common parts of the forms of iput and iget in symm_rma.hpp: elements with
// strides.

/// Copies element i * source_stride of `source` to element i * dest_stride of
/// `dest`, for all i below `count`.
template <Direction direction, class T>
struct StridedCopy {
  T* dest;
  T const* source;
  std::size_t dest_stride;
  std::size_t source_stride;
  std::size_t count;

  static constexpr char const* call =
      direction == Direction::put ? "symm::iput" : "symm::iget";

  SYMM_FUNCTION T const& from(std::size_t i) const {
    return source[i * source_stride];
  }
  SYMM_FUNCTION T& to(std::size_t i) const { return dest[i * dest_stride]; }

  /// The symmetric side, and the bytes that it takes.
  SYMM_FUNCTION auto& symmetric() {
    if constexpr (direction == Direction::put) {
      return dest;
    } else {
      return source;
    }
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t symmetric_bytes() const {
    return bytes_of(sizeof(T), count,
                    direction == Direction::put ? dest_stride : source_stride);
  }
  /// Bytes that move.
  [[nodiscard]] std::size_t moved_bytes() const {
    return bytes_of(sizeof(T), count);
  }
  [[nodiscard]] Operation operation(Pe pe) const {
    constexpr bool is_put = direction == Direction::put;
    return {is_put ? OperationKind::put : OperationKind::get,
            call,
            pe,
            moved_bytes(),
            is_put ? dest : source,
            private_side()};
  }
  [[nodiscard]] SYMM_FUNCTION void const* private_side() const {
    return direction == Direction::put ? source : dest;
  }
  [[nodiscard]] CopyQueue::Strided in_bytes() const {
    return {reinterpret_cast<char*>(dest),
            reinterpret_cast<char const*>(source),
            dest_stride * sizeof(T),
            source_stride * sizeof(T),
            sizeof(T),
            count};
  }
};

/// Carries out a copy by loads and stores of all threads of a group; no
/// barrier.
template <Group Threads, Direction direction, class T>
SYMM_INLINE_FUNCTION void run_strided(Threads const& threads,
                                      StridedCopy<direction, T> const& copy) {
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

/// Copies between GPU memory of the heap and any memory of this PE, after all
/// that this PE's GPU has begun. Returns when it is done.
void copy_gpu_memory(CopyQueue::Strided const& copy, char const* call);

/// Carries out a copy to or from a far PE.
template <Direction direction, class T>
void copy_strided_by_messages(PeMemory its,
                              StridedCopy<direction, T> const& copy,
                              HostCall const& call) {
  std::size_t const to   = copy.dest_stride * sizeof(T);
  std::size_t const from = copy.source_stride * sizeof(T);
  if constexpr (direction == Direction::put) {
    put_strided_to(its, copy.source, {sizeof(T), copy.count, to, from}, call);
  } else {
    get_strided_from(copy.dest, its, {sizeof(T), copy.count, from, to}, call);
  }
}

/// Carries out a copy after its symmetric side has been found.
template <Direction direction, class T>
[[gnu::always_inline]] inline void copy_found(
    PeMemory its, StridedCopy<direction, T> const& copy, HostCall const& call) {
  if (its.reach == Reach::words) {
    run_strided(OneThread(), copy);
  } else if (its.reach == Reach::gpu) {
    copy_gpu_memory(copy.in_bytes(), copy.call);
  } else {
    copy_strided_by_messages(its, copy, call);
  }
}

/// Calls copy_it(its, copy) with what iput() or iget() is to copy, if there is
/// anything. `its` is the PE's side, which a near PE's copy begins with.
template <Direction direction, class T, class CopyIt>
[[gnu::always_inline]] inline void find_and_copy(StridedCopy<direction, T> copy,
                                                 Pe pe, CopyIt const& copy_it) {
  check_element<T>();
  check_strides(copy.dest_stride, copy.source_stride, copy.call);
  if (copy.count == 0) return;
  auto& symmetric = copy.symmetric();
  auto const its  = resolve(symmetric, copy.symmetric_bytes(), pe, copy.call);
  check_private(copy.private_side(), copy.call);
  if (its.reach != Reach::messages) {
    symmetric = static_cast<std::remove_reference_t<decltype(symmetric)>>(
        its.address());
  }
  copy_it(its, copy);
}

/// iput() and iget() on the host, without observers.
template <Direction direction, class T>
[[gnu::always_inline]] inline void copy_strided_unobserved(
    StridedCopy<direction, T> const& copy, Pe pe, HostCall const& call) {
  find_and_copy(copy, pe,
                [&](PeMemory its, StridedCopy<direction, T> const& found) {
                  copy_found(its, found, call);
                });
}

/// The same, with observers.
template <Direction direction, class T>
[[gnu::cold, gnu::noinline]] void copy_strided_observed(
    StridedCopy<direction, T> copy, Pe pe, HostCall call) {
  Observed const observed([=] { return copy.operation(pe); });
  copy_strided_unobserved(copy, pe, call);
}

/// iput() and iget() on the host.
template <Direction direction, class T>
[[gnu::always_inline]] inline void copy_strided(
    StridedCopy<direction, T> const& copy, Pe pe,
    HostCall const& call = StridedCopy<direction, T>::call) {
  if (is_observed()) [[unlikely]] {
    copy_strided_observed(copy, pe, call);
    return;
  }
  copy_strided_unobserved(copy, pe, call);
}

/// To or from a far PE by a group of threads, without a barrier.
template <Group Threads, Direction direction, class T>
SYMM_FUNCTION void copy_strided_far(Threads const& group, HeapMap const& heap,
                                    StridedCopy<direction, T> copy, Pe pe) {
  SYMM_IF_ON_HOST((if (group.rank() == 0) {
    copy_strided_by_messages(resolve_far(heap, copy.symmetric(), pe), copy,
                             copy.call);
  }))
  SYMM_IF_ON_DEVICE(
      (static_cast<void>(heap);
       constexpr bool is_put  = direction == Direction::put;
       std::size_t const to   = copy.dest_stride * sizeof(T);
       std::size_t const from = copy.source_stride * sizeof(T);
       InKernel::copy_strided_far(group, is_put, copy.symmetric(),
                                  const_cast<void*>(copy.private_side()),
                                  sizeof(T), copy.count, is_put ? to : from,
                                  is_put ? from : to, pe);))
}

/// By a group of threads, on the host as well as in kernels.
template <ThreadGroup Threads, Direction direction, class T>
SYMM_INLINE_FUNCTION void copy_strided(Threads const& threads,
                                       HeapMap const& heap,
                                       StridedCopy<direction, T> copy, Pe pe) {
  check_element<T>();
  auto const group = group_of(threads);
  expect(copy.dest_stride != 0 && copy.source_stride != 0, copy.call,
         "strides are at least 1");
  if (copy.count != 0) {
    auto& symmetric = copy.symmetric();
    expect_access(heap, symmetric, copy.symmetric_bytes(), pe, copy.call);
    if (heap.is_near(pe)) [[likely]] {
      symmetric = heap.peer_ptr(symmetric, pe);
      run_strided(group, copy);
    } else {
      copy_strided_far(group, heap, copy, pe);
    }
  }
  group.barrier();
}

}  // namespace symm::Impl

#endif
