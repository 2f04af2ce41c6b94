// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_RUNTIME_CALL_HPP
#define SYMM_PES_RUNTIME_CALL_HPP

#include <array>
#include <cstdint>

#include "../base/Observer.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

/// Identifies a call that all PEs must make in the same order: a collective
/// call, or a call to a stream-ordered pool (CallTrail). The records in a
/// Rendezvous contain this number.
enum class RuntimeCall : std::uint16_t {
  none,
  barrier_all,
  malloc,
  align,
  calloc,
  realloc,
  free,
  allocate_view,
  finish_view,
  free_view,
  heap_trim,
  register_symmetric,
  register_view,
  unregister_symmetric,
  share_buffer,
  close_shared_buffer,
  object,  // an ObjectCall
  finalize,
  pool_create,
  pool_destroy,
  pool_current,
  pool_attribute,
  pool_grow,
  pool_trim,
  malloc_async,
  free_async,
  order_after,
  stream_barrier,
  pool_failure,
  // Inner steps of the calls above:
  agree,
  compare_trails,
};

using RuntimeCallArguments = std::array<std::uint64_t, 3>;

/// The call's name without arguments, such as "symm::malloc".
char const* name_of(RuntimeCall operation);

/// Calls that only wait for all PEs are classified as barriers, all others as
/// allocations.
OperationKind kind_of(RuntimeCall operation);

/// Advice for resolving a mismatch in this call, worded as the end of a
/// sentence; empty for most calls.
char const* advice_for(RuntimeCall operation);

/// The call as a user would write it: `symm::malloc(bytes = 1024)`. Adds
/// `label` unless it is empty, and the kind of memory if it is GPU memory. For
/// an ObjectCall, returns only `label` unless that is empty.
Text to_string(RuntimeCall operation, RuntimeCallArguments const& arguments,
               char const* label = "", MemoryKind memory = MemoryKind::host);

}  // namespace symm::Impl

#endif
