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

// On the host.

/// \throws UsageError on this PE: a stride is 0, or less than a block.
[[noreturn, gnu::cold]] void throw_strides(std::size_t dest_stride,
                                           std::size_t source_stride,
                                           std::size_t block, char const* call);

/// Copies between GPU memory of the heap and any memory of this PE, after all
/// that this PE's GPU has begun. Returns when it is done.
void copy_gpu_memory(CopyQueue::Strided const& copy, char const* call);

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

/// By a group of threads, on the host as well as in kernels.
template <ThreadGroup Threads, class Copy>
SYMM_INLINE_FUNCTION void copy_strided(Threads const& threads,
                                       HeapMap const& heap, Copy copy, Pe pe) {
  check_element<typename Copy::Element>();
  auto const group = group_of(threads);
  expect(copy.are_strides_long_enough(), copy.call,
         "strides are at least 1, and a block");
  if (!copy.is_empty()) {
    expect_access(heap, copy.symmetric(), copy.symmetric_bytes(), pe,
                  copy.call);
    copy_blocks(group, heap, copy, pe, copy.call);
  }
  group.barrier();
}

}  // namespace symm::Impl

#endif
