// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_RMASTRIDED_HPP
#define SYMM_ONE_SIDED_RMASTRIDED_HPP

#include <cstddef>

#include "../access/Access.hpp"
#include "../access/Elements.hpp"
#include "../access/GroupOperations.hpp"
#include "../access/Operations.hpp"
#include "../access/PeOperations.hpp"
#include "../access/StridedCopy.hpp"
#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/HeapMap.hpp"
#include "../symm_contexts.hpp"
#include "../transport/HostCall.hpp"

namespace symm::Impl {

// Implementations of iput, iget, ibput and ibget, which copy strided elements
// or blocks of elements.

// On the host.

/// Reports strides that are 0, negative, shorter than a block, or so long that
/// elements would lie outside the address space.
/// \throws UsageError on this PE.
[[noreturn, gnu::cold]] void throw_strides(std::size_t dest_stride,
                                           std::size_t source_stride,
                                           std::size_t block, char const* call);

/// Checks a copy and looks up its symmetric side. Then calls copy_it(there,
/// copy), unless there is nothing to copy. `there` is PE `pe`'s memory. If `pe`
/// is near, `copy` contains the address of that PE's copy of the object instead
/// of the symmetric address.
template <class Copy, class CopyIt>
[[gnu::always_inline]] inline void find_and_copy(Copy copy, Pe pe,
                                                 CopyIt const& copy_it) {
  check_element<typename Copy::Element>();
  auto const check = [&](bool is_right) {
    if (is_right) [[likely]] {
      return;
    }
    throw_strides(copy.dest_stride, copy.source_stride, copy.block(),
                  copy.call);
  };
  check(copy.are_strides_long_enough());
  if (copy.is_empty()) return;
  check(copy.is_private_side_possible());
  auto& symmetric  = copy.symmetric();
  auto const there = resolve(symmetric, copy.symmetric_bytes(), pe, copy.call);
  check_private(copy.private_side(), copy.call);
  symmetric = there.address_or(symmetric);
  copy_it(there, copy);
}

/// A strided copy on the host.
template <class Copy>
[[gnu::always_inline]] inline void copy_strided(
    Copy const& copy, Pe pe, HostCall const& call = Copy::call) {
  run_operation(StridedOperation<Copy>{copy, pe}, [=, &call] {
    find_and_copy(copy, pe, [&](PeMemory there, Copy const& found) {
      copy_found(there, found, call);
    });
  });
}

/// A strided copy on the host, in a context.
/// \param pe a PE number in the context.
template <class Copy>
void copy_strided(Context const& context, Copy const& copy, Pe pe) {
  copy_strided(copy, context.world_pe(pe, copy.call), context.call(copy.call));
}

/// A strided copy by a group of threads, on the host or in a kernel.
template <ThreadGroup Threads, class Copy>
SYMM_INLINE_FUNCTION void copy_strided(Threads const& threads,
                                       HeapMap const& heap, Copy copy, Pe pe) {
  check_element<typename Copy::Element>();
  auto const group = group_of(threads);
  expect(copy.are_strides_long_enough(), copy.call,
         "strides must be at least 1, and at least the size of a block");
  if (!copy.is_empty()) {
    expect(copy.is_private_side_possible(), copy.call,
           "strides must not be negative or lead beyond the address space");
    GroupOperation const operation(group, heap,
                                   StridedOperation<Copy>{copy, pe});
    copy_blocks(group, heap, copy, pe, copy.call);
  }
  group.barrier();
}

}  // namespace symm::Impl

#endif
