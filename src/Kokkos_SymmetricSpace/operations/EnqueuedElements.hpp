// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_ENQUEUEDELEMENTS_HPP
#define KOKKOS_SYMMETRICSPACE_ENQUEUEDELEMENTS_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "../../runtime/access/Access.hpp"
#include "../../runtime/base/Check.hpp"
#include "../../runtime/base/Observer.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"
#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../space/ExecutionSpaceStream.hpp"

namespace symm::Impl {

/// Calls Operation::in_kernel() in one GPU thread.
template <class Operation, bool fetches, class T>
struct ElementKernel {
  HeapMap heap;
  T* fetch;
  T* address;
  T value;
  T compare;
  Pe pe;

  KOKKOS_FUNCTION void operator()(int) const {
    if constexpr (fetches) {
      *fetch = Operation::in_kernel(heap, address, value, compare, pe);
    } else {
      Operation::in_kernel(heap, address, value, compare, pe);
    }
  }
};

/// Enqueues an operation on an element in PE `pe`'s memory.
/// \param fetch receives the element's old value; null if the operation returns
///        nothing.
template <class Operation, bool fetches, class Exec, class T>
void enqueue_element(Exec const& exec, OperationKind kind, T* fetch, T* address,
                     T const& value, T const& compare, Pe pe) {
  constexpr char const* call = Operation::name;
  if constexpr (runs_on_host_v<Exec>) {
    exec.fence(call);
    check::in_stream();
    if constexpr (fetches) {
      *fetch = Operation::on_host(address, value, compare, pe);
    } else {
      Operation::on_host(address, value, compare, pe);
    }
  } else {
    Observed const observed([=] {
      return Impl::Operation{kind, call, pe, sizeof(T), address};
    });
    check_aligned(address, alignof(T), call);
    auto const memory = resolve(address, sizeof(T), pe, call);
    Kokkos::parallel_for(
        call, Kokkos::RangePolicy<Exec>(exec, 0, 1),
        ElementKernel<Operation, fetches, T>{
            heap_map(is_of_gpu(memory.segment) ? MemoryKind::device
                                               : MemoryKind::host),
            fetch, address, value, compare, pe});
  }
}

#define SYMM_ELEMENT_OPERATION(function, arguments, kernel_arguments)        \
  struct Enqueued_##function {                                               \
    static constexpr char const* name = "symm::" #function;                  \
    template <class T>                                                       \
    KOKKOS_FUNCTION static auto in_kernel(HeapMap const& heap, T* address,   \
                                          T const& value,                    \
                                          [[maybe_unused]] T const& compare, \
                                          Pe pe) {                           \
      return symm::function kernel_arguments;                                \
    }                                                                        \
    template <class T>                                                       \
    static auto on_host(T* address, T const& value,                          \
                        [[maybe_unused]] T const& compare, Pe pe) {          \
      return symm::function arguments;                                       \
    }                                                                        \
  };

}  // namespace symm::Impl

namespace symm {

// Operations on one element in PE `pe`'s memory, enqueued on an execution space
// instance. They run in order with the kernels and copies on that instance, and
// the host does not wait. If the instance runs on the host, the call fences the
// instance and then does the same as the host form. On a GPU, each operation is
// a one-thread kernel. Unlike the host forms, atomic operations in such a
// kernel can also change GPU memory on near PEs.
//
// \throws UsageError on this PE if PE `pe` does not exist, or if `address` is
//         not aligned or is not in this PE's part of a symmetric heap. Nothing
//         is enqueued in these cases.

/// Defines p(), or an atomic operation that returns nothing.
#define SYMM_ENQUEUED(function, kind)                                       \
  namespace Impl {                                                          \
  SYMM_ELEMENT_OPERATION(function, (address, value, pe),                    \
                         (heap, address, value, pe))                        \
  }                                                                         \
  template <Impl::ExecutionSpace Exec, class T>                             \
  void function(Exec const& exec, T* address,                               \
                std::type_identity_t<T> const& value, Pe pe) {              \
    Impl::enqueue_element<Impl::Enqueued_##function, false>(                \
        exec, Impl::OperationKind::kind, static_cast<T*>(nullptr), address, \
        value, value, pe);                                                  \
  }
/// Defines an atomic operation that stores the element's old value in `*fetch`.
/// Kernels on `exec` must be able to access `*fetch`.
#define SYMM_ENQUEUED_FETCH(function)                                         \
  namespace Impl {                                                            \
  SYMM_ELEMENT_OPERATION(function, (address, value, pe),                      \
                         (heap, address, value, pe))                          \
  }                                                                           \
  template <Impl::ExecutionSpace Exec, class T>                               \
  void function(Exec const& exec, T* fetch, T* address,                       \
                std::type_identity_t<T> const& value, Pe pe) {                \
    Impl::enqueue_element<Impl::Enqueued_##function, true>(                   \
        exec, Impl::OperationKind::atomic, fetch, address, value, value, pe); \
  }

SYMM_ENQUEUED(p, put)
SYMM_ENQUEUED(atomic_set, atomic)
SYMM_ENQUEUED(atomic_add, atomic)
SYMM_ENQUEUED(atomic_min, atomic)
SYMM_ENQUEUED(atomic_max, atomic)
SYMM_ENQUEUED(atomic_and, atomic)
SYMM_ENQUEUED(atomic_or, atomic)
SYMM_ENQUEUED(atomic_xor, atomic)
SYMM_ENQUEUED_FETCH(atomic_swap)
SYMM_ENQUEUED_FETCH(atomic_fetch_add)
SYMM_ENQUEUED_FETCH(atomic_fetch_min)
SYMM_ENQUEUED_FETCH(atomic_fetch_max)
SYMM_ENQUEUED_FETCH(atomic_fetch_and)
SYMM_ENQUEUED_FETCH(atomic_fetch_or)
SYMM_ENQUEUED_FETCH(atomic_fetch_xor)

namespace Impl {
SYMM_ELEMENT_OPERATION(atomic_compare_swap, (address, compare, value, pe),
                       (heap, address, compare, value, pe))
}
template <Impl::ExecutionSpace Exec, class T>
void atomic_compare_swap(Exec const& exec, T* fetch, T* address,
                         std::type_identity_t<T> const& compare,
                         std::type_identity_t<T> const& value, Pe pe) {
  Impl::enqueue_element<Impl::Enqueued_atomic_compare_swap, true>(
      exec, Impl::OperationKind::atomic, fetch, address, value, compare, pe);
}

template <Impl::ExecutionSpace Exec, class T>
void atomic_inc(Exec const& exec, T* address, Pe pe) {
  symm::atomic_add(exec, address, T{1}, pe);
}
template <Impl::ExecutionSpace Exec, class T>
void atomic_fetch_inc(Exec const& exec, T* fetch, T* address, Pe pe) {
  symm::atomic_fetch_add(exec, fetch, address, T{1}, pe);
}

#undef SYMM_ENQUEUED_FETCH
#undef SYMM_ENQUEUED
#undef SYMM_ELEMENT_OPERATION

}  // namespace symm

#endif
