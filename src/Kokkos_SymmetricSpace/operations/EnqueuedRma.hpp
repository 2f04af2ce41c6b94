// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_ENQUEUEDRMA_HPP
#define KOKKOS_SYMMETRICSPACE_ENQUEUEDRMA_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>
#include <symm_gpu/ExecutionSpaceQueue.hpp>

#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HostCopy.hpp"
#include "../../runtime/shmem/Access.hpp"
#include "../../runtime/shmem/Far.hpp"
#include "../../runtime/shmem/Rma.hpp"
#include "../../runtime/shmem/RmaStrided.hpp"
#include "../space/ExecutionSpaceStream.hpp"

// Copies enqueued on an execution space instance. `call` is the name of the
// operation, for messages.

namespace symm::Impl {

/// Enqueues a copy between what this process reaches. With CUDA it may be of
/// any memory: the CUDA runtime looks which.
template <class Space, class Exec>
void enqueue_copy_in(Exec const& exec, void* to, void const* from,
                     std::size_t bytes) {
  using Kokkos::MemoryUnmanaged, Kokkos::View;
  Kokkos::deep_copy(
      exec, View<char*, Space, MemoryUnmanaged>(static_cast<char*>(to), bytes),
      View<char const*, Space, MemoryUnmanaged>(static_cast<char const*>(from),
                                                bytes));
}

/// What is enqueued on a GPU goes to near PEs.
/// \throws UsageError
[[noreturn]] void throw_far_on_gpu(Pe pe, char const* call);

/// \param reach of the symmetric side, which is near.
template <class Exec>
void enqueue_copy(Exec const& exec, Reach reach, void* to, void const* from,
                  std::size_t bytes, [[maybe_unused]] char const* call) {
  if constexpr (runs_on_host_v<Exec>) {
    if (reach == Reach::words && bytes <= most_bytes_by_words) {
      exec.fence(call);  // Kokkos has memcpy for them
      copy_host_memory(to, from, bytes);
      return;
    }
  }
  if (static_cast<MemoryKind>(reach) == SymmetricSpace::memory_kind) {
    enqueue_copy_in<SymmetricSpace>(exec, to, from, bytes);
  } else {
    enqueue_copy_in<SymmetricHostSpace>(exec, to, from, bytes);
  }
}

template <Way way, class Exec>
void enqueue_copy_of_pe(Exec const& exec, void* dest, void const* source,
                        std::size_t bytes, Pe pe, char const* call) {
  if (bytes == 0) return;
  constexpr bool is_put = way == Way::put;
  auto const its = copy_to_access(is_put ? dest : source, bytes, pe, call);
  check_private(is_put ? source : dest, call);
  if (its.reach != Reach::message) {
    enqueue_copy(exec, its.reach, is_put ? its.address : dest,
                 is_put ? source : its.address, bytes, call);
  } else if constexpr (!runs_on_host_v<Exec>) {
    throw_far_on_gpu(pe, call);
  } else {
    exec.fence(call);
    if constexpr (is_put) {
      put_far(far_copy(dest, pe, call), source, bytes);
    } else {
      get_far(dest, far_copy(source, pe, call), bytes);
    }
  }
}

template <Way way, class Exec, class T>
void enqueue_strided(Exec const& exec, StridedCopy<way, T> const& strided,
                     Pe pe) {
  find_and_copy(strided, pe, [&](Reach reach, auto const& copy, Pe) {
    if constexpr (runs_on_host_v<Exec>) {
      exec.fence(copy.call);
      copy_found(reach, copy, pe);
    } else {
      if (reach == Reach::message) throw_far_on_gpu(pe, copy.call);
      copy_queue(copy.call).copy_strided(copy.in_bytes(), queue_of(exec));
    }
  });
}

}  // namespace symm::Impl

#endif
