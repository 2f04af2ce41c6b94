// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_RMASTRIDED_HPP
#define SYMM_ONE_SIDED_RMASTRIDED_HPP

#include <cstddef>

#include "../access/Access.hpp"
#include "../access/PeOperations.hpp"
#include "../access/RingClient.hpp"
#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../groups/GroupCopy.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "Rma.hpp"

namespace symm::Impl {

// The common parts of the forms of iput, iget, ibput and ibget: elements, or
// blocks of elements, with strides.

/// Copies block i, at element i * source_stride of `source`, to element i *
/// dest_stride of `dest`, for all i below `count`. A block of iput() and iget()
/// is one element.
template <Direction its_direction, class T, bool has_blocks = false>
struct StridedCopy {
  using Element                        = T;
  static constexpr Direction direction = its_direction;
  static constexpr char const* call =
      direction == Direction::put ? (has_blocks ? "symm::ibput" : "symm::iput")
                                  : (has_blocks ? "symm::ibget" : "symm::iget");

  T* dest;
  T const* source;
  std::size_t dest_stride;
  std::size_t source_stride;
  std::size_t count;
  std::size_t its_block = 1;

  /// Elements of a block.
  [[nodiscard]] SYMM_FUNCTION constexpr std::size_t block() const {
    return has_blocks ? its_block : 1;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr std::size_t block_bytes() const {
    return block() * sizeof(T);
  }
  /// Whether there is nothing to copy.
  [[nodiscard]] SYMM_FUNCTION bool is_empty() const {
    return count == 0 || block() == 0;
  }
  [[nodiscard]] SYMM_FUNCTION bool are_strides_long_enough() const {
    auto const least = block() == 0 ? 1 : block();
    return dest_stride >= least && source_stride >= least;
  }

  /// The place at which block i begins.
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
    auto const stride =
        direction == Direction::put ? dest_stride : source_stride;
    auto const starts = bytes_of(sizeof(T), count, stride);
    auto const rest   = bytes_of(sizeof(T), block()) - sizeof(T);
    return starts > ~rest ? ~std::size_t{0} : starts + rest;
  }
  /// Bytes that move.
  [[nodiscard]] std::size_t moved_bytes() const {
    return count * block_bytes();
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
            block_bytes(),
            count};
  }
};

/// Carries out a copy by loads and stores of all threads of a group; no
/// barrier.
template <Group Threads, Direction direction, class T, bool has_blocks>
SYMM_INLINE_FUNCTION void run_strided(
    Threads const& threads, StridedCopy<direction, T, has_blocks> const& copy) {
  SYMM_IF_ON_HOST((threads.for_each(copy.count, [&](std::size_t i) {
    copy_host_memory<alignof(T)>(&copy.to(i), &copy.from(i),
                                 copy.block_bytes());
  });))
  SYMM_IF_ON_DEVICE((
      if constexpr (has_blocks) {
        std::size_t const block = copy.its_block;
        copy_each_with_loads_in_flight(
            threads, copy.count * block,
            [=](std::size_t k) { return (&copy.from(k / block))[k % block]; },
            [=](std::size_t k, T const& value) {
              (&copy.to(k / block))[k % block] = value;
            });
      } else {
        copy_each_with_loads_in_flight(
            threads, copy.count, [=](std::size_t i) { return copy.from(i); },
            [=](std::size_t i, T const& value) { copy.to(i) = value; });
      }))
}

// On the host.

/// \throws UsageError on this PE: a stride is 0, or less than a block.
[[noreturn, gnu::cold]] void throw_strides(std::size_t dest_stride,
                                           std::size_t source_stride,
                                           std::size_t block, char const* call);

/// Copies between GPU memory of the heap and any memory of this PE, after all
/// that this PE's GPU has begun. Returns when it is done.
void copy_gpu_memory(CopyQueue::Strided const& copy, char const* call);

/// Carries out a copy to or from a far PE.
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

/// Carries out a copy after its symmetric side has been found.
template <class Copy>
[[gnu::always_inline]] inline void copy_found(PeMemory its, Copy const& copy,
                                              HostCall const& call) {
  if (its.reach == Reach::words) {
    run_strided(OneThread(), copy);
  } else if (its.reach == Reach::gpu) {
    copy_gpu_memory(copy.in_bytes(), copy.call);
  } else {
    copy_strided_by_messages(its, copy, call);
  }
}

/// Calls copy_it(its, copy) with what there is to copy, if there is anything.
/// `its` is the PE's side, which a near PE's copy begins with.
template <class Copy, class CopyIt>
[[gnu::always_inline]] inline void find_and_copy(Copy copy, Pe pe,
                                                 CopyIt const& copy_it) {
  check_element<typename Copy::Element>();
  if (!copy.are_strides_long_enough()) [[unlikely]] {
    throw_strides(copy.dest_stride, copy.source_stride, copy.block(),
                  copy.call);
  }
  if (copy.is_empty()) return;
  auto& symmetric = copy.symmetric();
  auto const its  = resolve(symmetric, copy.symmetric_bytes(), pe, copy.call);
  check_private(copy.private_side(), copy.call);
  if (its.reach != Reach::messages) {
    symmetric = static_cast<std::remove_reference_t<decltype(symmetric)>>(
        its.address());
  }
  copy_it(its, copy);
}

/// A copy of the host, without observers.
template <class Copy>
[[gnu::always_inline]] inline void copy_strided_unobserved(
    Copy const& copy, Pe pe, HostCall const& call) {
  find_and_copy(copy, pe, [&](PeMemory its, Copy const& found) {
    copy_found(its, found, call);
  });
}

/// The same, with observers.
template <class Copy>
[[gnu::cold, gnu::noinline]] void copy_strided_observed(Copy copy, Pe pe,
                                                        HostCall call) {
  Observed const observed([=] { return copy.operation(pe); });
  copy_strided_unobserved(copy, pe, call);
}

/// A copy of the host.
template <class Copy>
[[gnu::always_inline]] inline void copy_strided(
    Copy const& copy, Pe pe, HostCall const& call = Copy::call) {
  if (is_observed()) [[unlikely]] {
    copy_strided_observed(copy, pe, call);
    return;
  }
  copy_strided_unobserved(copy, pe, call);
}

/// To or from a far PE by a group of threads, without a barrier.
template <Group Threads, class Copy>
SYMM_FUNCTION void copy_strided_far(Threads const& group, HeapMap const& heap,
                                    Copy copy, Pe pe) {
  SYMM_IF_ON_HOST((if (group.rank() == 0) {
    copy_strided_by_messages(resolve_far(heap, copy.symmetric(), pe), copy,
                             copy.call);
  }))
  SYMM_IF_ON_DEVICE(
      (static_cast<void>(heap);
       constexpr bool is_put      = Copy::direction == Direction::put;
       constexpr std::size_t size = sizeof(typename Copy::Element);
       std::size_t const to       = copy.dest_stride * size;
       std::size_t const from     = copy.source_stride * size;
       InKernel::copy_strided_far(group, is_put, copy.symmetric(),
                                  const_cast<void*>(copy.private_side()),
                                  copy.block_bytes(), copy.count,
                                  is_put ? to : from, is_put ? from : to, pe);))
}

/// By a group of threads, on the host as well as in kernels.
template <ThreadGroup Threads, class Copy>
SYMM_INLINE_FUNCTION void copy_strided(Threads const& threads,
                                       HeapMap const& heap, Copy copy, Pe pe) {
  check_element<typename Copy::Element>();
  auto const group = group_of(threads);
  expect(copy.are_strides_long_enough(), copy.call,
         "strides are at least 1, and a block");
  if (!copy.is_empty()) {
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
