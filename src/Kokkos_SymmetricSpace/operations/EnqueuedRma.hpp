// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_ENQUEUEDRMA_HPP
#define KOKKOS_SYMMETRICSPACE_ENQUEUEDRMA_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>
#include <symm_gpu/ExecutionSpaceQueue.hpp>

#include "../../runtime/access/Access.hpp"
#include "../../runtime/access/Operations.hpp"
#include "../../runtime/access/PeOperations.hpp"
#include "../../runtime/access/ProxyClient.hpp"
#include "../../runtime/base/Observer.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HostCopy.hpp"
#include "../../runtime/one_sided/Rma.hpp"
#include "../../runtime/one_sided/RmaStrided.hpp"
#include "../space/ExecutionSpaceStream.hpp"

// Copies that are enqueued on an execution space instance. Parameter `call` is
// the operation's name, for error messages.

namespace symm::Impl {

/// Enqueues a copy between addresses that this process can access. In a CUDA
/// build, the addresses may be in any kind of memory: the CUDA runtime detects
/// the kind.
template <class Space, class Exec>
void enqueue_copy_in(Exec const& exec, void* to, void const* from,
                     std::size_t bytes) {
  using Kokkos::MemoryUnmanaged, Kokkos::View;
  Kokkos::deep_copy(
      exec, View<char*, Space, MemoryUnmanaged>(static_cast<char*>(to), bytes),
      View<char const*, Space, MemoryUnmanaged>(static_cast<char const*>(from),
                                                bytes));
}

/// Copies to or from a far PE, using one GPU thread. The thread waits until the
/// program may reuse `local`.
struct FarCopyKernel {
  bool is_put;
  void const* there;  // symmetric address
  void const* local;
  std::size_t bytes;
  Pe pe;

  KOKKOS_FUNCTION void operator()(int) const {
#ifdef SYMM_FOR_DEVICE
    auto const far_pes = InKernel::far_pes();
    if (is_put) {
      far_pes.put({there, pe}, local, bytes, true);
    } else {
      far_pes.get(const_cast<void*>(local), {there, pe}, bytes, true);
    }
#endif
  }
};

struct FarStridedKernel {
  bool is_put;
  void const* there;  // symmetric address
  void const* local;
  std::size_t element_bytes;
  std::size_t count;
  std::size_t there_stride;
  std::size_t local_stride;
  Pe pe;

  KOKKOS_FUNCTION void operator()(int) const {
#ifdef SYMM_FOR_DEVICE
    InKernel::far_pes().copy_strided(is_put, {there, pe}, local, element_bytes,
                                     count, there_stride, local_stride);
#endif
  }
};

/// Enqueues a one-thread kernel on a GPU execution space instance.
template <class Exec, class Kernel>
void enqueue_far(Exec const& exec, char const* call, Kernel const& kernel) {
  Kokkos::parallel_for(call, Kokkos::RangePolicy<Exec>(exec, 0, 1), kernel);
}

/// Performs an operation on a PE's memory, in order with the other work on
/// `exec`. Calls near() if this process can access the memory directly.
/// Otherwise, the operation uses messages: on a GPU instance, the call enqueues
/// `kernel`; on a host instance, it fences `exec` and calls by_host().
/// \param by_host may be omitted if Exec never runs on the host.
template <class Exec, class Near, class Kernel, class... ByHost>
void enqueue_at(Exec const& exec, PeMemory memory, char const* call,
                Near const& near, Kernel const& kernel,
                ByHost const&... by_host) {
  if (memory.path != AccessPath::messages) {
    near();
  } else if constexpr (runs_on_host_v<Exec>) {
    exec.fence(call);
    (by_host(), ...);
  } else {
    enqueue_far(exec, call, kernel);
  }
}

/// \param segment the segment that contains the symmetric address; this process
///        must be able to access that segment.
template <class Exec>
void enqueue_copy(Exec const& exec, Segment segment, void* to, void const* from,
                  std::size_t bytes, [[maybe_unused]] char const* call) {
  if constexpr (runs_on_host_v<Exec>) {
    if (!is_of_gpu(segment) && bytes <= max_bytes_by_words) {
      exec.fence(call);  // Kokkos' memcpy() may split words
      copy_host_memory(to, from, bytes);
      return;
    }
  }
  constexpr bool has_gpus = SymmetricSpace::memory_kind == MemoryKind::device;
  if (is_of_gpu(segment) == has_gpus) {
    enqueue_copy_in<SymmetricSpace>(exec, to, from, bytes);
  } else {
    enqueue_copy_in<SymmetricHostSpace>(exec, to, from, bytes);
  }
}

/// Reports an operation to the race detector as ordered after all earlier work
/// on `exec`.
template <class Exec, class It>
void report_enqueued(Exec const& exec, It const& operation) {
  finish_for_check(exec, operation.call);
  check::in_stream();
  operation.report();
}

template <Direction direction, class Exec>
void enqueue_copy_of_pe(Exec const& exec, void* dest, void const* source,
                        std::size_t bytes, Pe pe, char const* call) {
  if (bytes == 0) return;
  constexpr bool is_put   = direction == Direction::put;
  void const* const there = is_put ? dest : source;
  void const* const local = is_put ? source : dest;
  CopyOperation<direction> const operation{call, dest, source, bytes, pe};
  Observed const observed([=] { return operation.operation(); });
  auto const memory = resolve(there, bytes, pe, call);
  check_private(local, call);
  report_enqueued(exec, operation);
  enqueue_at(
      exec, memory, call,
      [&] {
        enqueue_copy(exec, memory.segment, is_put ? memory.address() : dest,
                     is_put ? source : memory.address(), bytes, call);
      },
      FarCopyKernel{is_put, there, local, bytes, pe},
      [&] {
        if constexpr (is_put) {
          put_without_stores(memory, source, bytes, Completion::local, call);
        } else {
          get_otherwise(dest, memory, bytes, Completion::local, call);
        }
      });
}

template <class Copy>
FarStridedKernel far_kernel_of(Copy const& copy, Pe pe) {
  auto const [dest, source, to, from, bytes, count] = copy.in_bytes();
  if constexpr (Copy::direction == Direction::put) {
    return {true, dest, source, bytes, count, to, from, pe};
  } else {
    return {false, source, dest, bytes, count, from, to, pe};
  }
}

template <class Exec, class Copy>
void enqueue_strided(Exec const& exec, Copy const& strided, Pe pe) {
  StridedOperation<Copy> const operation{strided, pe};
  Observed const observed([=] { return operation.operation(); });
  report_enqueued(exec, operation);
  find_and_copy(strided, pe, [&](PeMemory memory, auto const& copy) {
    if constexpr (runs_on_host_v<Exec>) {
      exec.fence(copy.call);
      copy_found(memory, copy, copy.call);
    } else {
      enqueue_at(
          exec, memory, copy.call,
          [&] {
            copy_queue(copy.call).copy_strided(copy.in_bytes(), queue_of(exec));
          },
          far_kernel_of(copy, memory.pe));
    }
  });
}

}  // namespace symm::Impl

#endif
