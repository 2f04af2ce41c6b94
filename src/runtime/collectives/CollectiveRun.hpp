// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_COLLECTIVERUN_HPP
#define SYMM_COLLECTIVES_COLLECTIVERUN_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include <symm_gpu/CollectiveKernels.hpp>

#include "../access/Access.hpp"
#include "../base/Check.hpp"
#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/NameHash.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/HeapMap.hpp"
#include "../teams/PeTeam.hpp"
#include "../teams/TeamSync.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveOfGroup.hpp"

// Runs a collective operation on the host, in kernels that the host enqueues,
// or in a user kernel.
//
//   CollectiveCall      a call's arguments, and checks on them
//   CollectiveWork      each PE's work between the barriers: a function object
//   (and ReduceWork)    with a `team`. Its call() returns the CollectiveCall;
//                       its operator() performs the work. Both run on the host
//                       and in kernels.
//   CollectiveOfGroup   runs a barrier, the work and another barrier in one
//                       group of threads
//   CollectiveKernels   does the same in kernels that the host enqueues
//                       (symm_gpu/)

namespace symm::Impl {

/// Runs a collective operation on the host.
/// \param call the result of work.call().
/// \param problem the error message if the caller has already found an error;
///        otherwise "".
template <class Work>
void run_on_host(Work const& work, CollectiveCall const& call,
                 std::string const& problem = {}) {
  Observed const observed([&] {
    return Operation{OperationKind::collective, call.name, -1,
                     call.source_bytes};
  });
  constexpr std::uint64_t type = hash_of_type<Work>();
  auto const entered = enter_collective(work.team, call, type, problem);
  check::use_blocks(call.dest, call.count == 0 ? 0 : call.dest_bytes,
                    call.source, call.count == 0 ? 0 : call.source_bytes);
  if constexpr (requires { work.run_on_shares(*entered.passed); }) {
    if (entered.are_shares) {
      work.run_on_shares(*entered.passed);
      return;
    }
  }
  if constexpr (requires { work.run_on_passed(*entered.passed); }) {
    if (entered.passed) {
      work.run_on_passed(*entered.passed);
      return;
    }
  }
  auto const& heap = entered.heap;
  if (heap.memory == MemoryKind::device) {
    [[maybe_unused]] check::Meeting const meeting(check::key_of(work.team));
    run_on_gpu(call, heap.map, work);
    return;
  }
  work(OneThread{}, heap.map, 0, 1);
  barrier_of(OneThread{}, work.team, call.name);
}

template <class Work>
void run_on_host(Work const& work, std::string const& problem = {}) {
  run_on_host(work, work.call(), problem);
}

/// Runs a collective operation in a kernel. On every PE, all threads of one
/// thread group must call this function.
template <class Threads, class Work>
SYMM_INLINE_FUNCTION void run_in_kernel(Threads const& threads,
                                        HeapMap const& heap, Work const& work) {
  auto const call = work.call();
  expect(0 <= call.root && call.root < work.team.n_pes(), call.name,
         "the root must be from 0 to n_pes() - 1 of the team");
  if (call.are_counts_equal() && call.count != 0) {
    expect_access(heap, call.dest, call.dest_bytes, heap.my_pe, call.name);
  }
  if (call.count != 0) {
    expect_access(heap, call.source, call.source_bytes, heap.my_pe, call.name);
  }
  check::meet_in_kernel(group_of(threads), work.team, [&](auto const& group) {
    run_by_group(group, heap, work, call);
  });
}

}  // namespace symm::Impl

#endif
