// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ATOMICS_HPP
#define SYMM_ATOMICS_HPP

#include <type_traits>

#include "access/Access.hpp"
#include "access/GroupOperations.hpp"
#include "access/PeOperations.hpp"
#include "access/ProxyClient.hpp"
#include "base/Check.hpp"
#include "base/Function.hpp"
#include "base/Observer.hpp"
#include "base/Types.hpp"
#include "memory/HeapMap.hpp"
#include "memory/Words.hpp"
#include "one_sided/Aggregation.hpp"
#include "one_sided/Atomics.hpp"
#include "one_sided/Rma.hpp"
#include "symm_contexts.hpp"

// The atomic memory operations of OpenSHMEM 1.5 (9.8), plus atomic minimum and
// maximum. Each operation is atomic with respect to all threads that access the
// object with these operations, on any PE, on CPUs and on GPUs. There are three
// forms of each:
//
//   atomic_add(address, value)
//     Acts on any address that the caller can reach, such as the address of an
//     element of a global_view or peer_view, or an address from symm::ptr().
//     Callable from host and device code. In device code, the address must be
//     in global memory, not in a thread team's scratch memory.
//   atomic_add(heap, address, value, pe)
//     Acts on PE `pe`'s copy of the object at the symmetric address `address`;
//     `heap` is the result of symm::heap_map(view). Callable from host and
//     device code. With SYMM_CHECKS_IN_KERNELS, an invalid `pe` or `address`
//     aborts the program.
//   atomic_add(address, value, pe)
//     Performs the same operation on the host, without a heap map. Throws
//     UsageError on this PE if `pe` is not a valid PE number, or if the object
//     is outside this PE's part of the heap or not aligned to its size. Also
//     throws UsageError on this PE if `pe` is on this node and the object is in
//     GPU memory.
//
// The forms that take a PE also reach PEs on other nodes. There, the target's
// CPU performs the operation; if the object is in GPU memory, a kernel on the
// target's GPU performs it.
//
// Ordering: these operations are relaxed, so they do not order other accesses.
// An operation that returns a value is complete when it returns. Like a put, an
// operation that returns nothing is complete after quiet().
//
// Types: objects are 4 or 8 bytes in size and aligned to their size. Operations
// that only load, set or swap accept numbers, enumerations and pointers. (A
// pointer is meaningful only in the process that created it.) Arithmetic
// operations accept integers, float and double; bitwise operations accept
// integers. Values are converted to the object's type.
//
// Exception: over PCI Express (if CUDA's attribute HostNativeAtomicSupported is
// 0), kernel atomics on host memory are not atomic with respect to other GPUs
// or to CPUs. The GPU modifies the object in its own cache, so additions by
// another GPU or by a CPU are lost (observed between two H200s). In that case,
// use GPU memory for counters that several GPUs update.
//
// Nobody has tested any of this on AMD GPUs (docs/hip_port.md). On gfx90a, we
// expect that atomic operations on another GPU's memory are not atomic. We also
// expect that a kernel may not see a store of a running kernel on another GPU
// before that kernel's next release or its end.

namespace symm {

namespace Impl {

/// If `context` aggregates operations and can defer this one, queues it and
/// returns true. Otherwise returns false, and the caller must perform the
/// operation.
template <class T, class Value>
[[gnu::always_inline]] inline bool wait_in(Context const& context,
                                           char const* call, T* address, Pe pe,
                                           AtomicOp op, Value value) {
  auto* const aggregation = context.aggregation();
  if (aggregation == nullptr) return false;
  Pe const world_pe = context.world_pe(pe, call);
  [[maybe_unused]] check::Call const its_call(call);
  check::in_context(&context);
  check::atomic(address, sizeof(T), world_pe, check::AtomicKind::waits);
  return aggregation->keep(address, world_pe, call, op, static_cast<T>(value));
}

}  // namespace Impl

/// Prevents T from being deduced from a value: only the address determines T.
template <class T>
using AtomicValue = std::type_identity_t<T>;

#define SYMM_EXPECT_TYPE(concept, types)                                       \
  static_assert(Impl::concept<T>,                                              \
                "this atomic operation of symm supports only non-const " types \
                " of 4 or 8 bytes: other sizes would need a lock, but a lock " \
                "within one process does not protect against updates by "      \
                "other PEs")
#define SYMM_EXPECT_WORD() \
  SYMM_EXPECT_TYPE(AtomicWord, "numbers, enumerations and pointers")
#define SYMM_EXPECT_NUMBER() SYMM_EXPECT_TYPE(AtomicNumber, "numbers")
#define SYMM_EXPECT_BITS() SYMM_EXPECT_TYPE(AtomicBits, "integers")

/// Expands to a lambda that takes the address of a PE's copy and passes it to
/// the form of `function` that takes no PE.
#define SYMM_ATOMIC_AT(result, function, arguments) \
  [=](auto* there) mutable -> result {              \
    address = there;                                \
    return symm::function arguments;                \
  }
/// Defines the forms of an operation that take a PE. For a PE on this node,
/// they call the form that takes no PE. For a PE on another node, they send
/// `op` and the operands.
#define SYMM_ATOMIC_OF_PE(result, function, parameters, arguments, op,   \
                          operands)                                      \
  template <class T>                                                     \
  SYMM_INLINE_FUNCTION result function(HeapMap const& heap,              \
                                       SYMM_LIST parameters, Pe pe) {    \
    return Impl::change_in_heap<result, T>(                              \
        heap, "symm::" #function, address, pe,                           \
        SYMM_ATOMIC_AT(result, function, arguments), Impl::AtomicOp::op, \
        SYMM_LIST operands);                                             \
  }                                                                      \
  template <class T>                                                     \
  result function(SYMM_LIST parameters, Pe pe) {                         \
    return Impl::change_on_host<result, T>(                              \
        "symm::" #function, address, pe,                                 \
        SYMM_ATOMIC_AT(result, function, arguments), Impl::AtomicOp::op, \
        SYMM_LIST operands);                                             \
  }                                                                      \
  template <class T>                                                     \
  result function(Context const& context, SYMM_LIST parameters, Pe pe) { \
    if constexpr (std::is_void_v<result>) {                              \
      if (Impl::wait_in(context, "symm::" #function, address, pe,        \
                        Impl::AtomicOp::op, SYMM_LIST operands))         \
        return;                                                          \
    }                                                                    \
    return Impl::change_on_host<result, T>(                              \
        context.call("symm::" #function), address,                       \
        context.world_pe(pe, "symm::" #function),                        \
        SYMM_ATOMIC_AT(result, function, arguments), Impl::AtomicOp::op, \
        SYMM_LIST operands);                                             \
  }
/// Defines the _nbi forms of a fetching operation. They may return before the
/// old value has arrived in `*fetch`; it has arrived once quiet() or a wait on
/// `request` returns.
#define SYMM_ATOMIC_NBI(function, parameters, arguments, op, operands)        \
  template <class T>                                                          \
  void function##_nbi(T* fetch, SYMM_LIST parameters, Pe pe,                  \
                      Request* request = nullptr) {                           \
    Impl::fetch_on_host<T>(                                                   \
        Impl::call_of("symm::" #function "_nbi", nullptr, request), fetch,    \
        address, pe, SYMM_ATOMIC_AT(T, function, arguments),                  \
        Impl::AtomicOp::op, SYMM_LIST operands);                              \
  }                                                                           \
  template <class T>                                                          \
  void function##_nbi(Context const& context, T* fetch, SYMM_LIST parameters, \
                      Pe pe, Request* request = nullptr) {                    \
    Impl::fetch_on_host<T>(context.call("symm::" #function "_nbi", request),  \
                           fetch, address,                                    \
                           context.world_pe(pe, "symm::" #function "_nbi"),   \
                           SYMM_ATOMIC_AT(T, function, arguments),            \
                           Impl::AtomicOp::op, SYMM_LIST operands);           \
  }
#define SYMM_LIST(...) __VA_ARGS__

// Operations on numbers, enumerations and pointers.

/// Returns the object's value, read with a single load (9.8,
/// SHMEM_ATOMIC_FETCH).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch(T const* address) {
  SYMM_EXPECT_WORD();
  return Impl::fetch_word(address);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch, (T const* address), (address), fetch, (T{}))
SYMM_ATOMIC_NBI(atomic_fetch, (T const* address), (address), fetch, (T{}))

/// Sets the object to `value` with a single store (9.8, SHMEM_ATOMIC_SET).
template <class T>
SYMM_INLINE_FUNCTION void atomic_set(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  Impl::set_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_set, (T * address, AtomicValue<T> value),
                  (address, value), set, (value))

/// Atomically sets the object to `value` and returns the old value (9.8,
/// SHMEM_ATOMIC_SWAP).
template <class T>
SYMM_INLINE_FUNCTION T atomic_swap(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  return Impl::swap_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_swap, (T * address, AtomicValue<T> value),
                  (address, value), swap, (value))
SYMM_ATOMIC_NBI(atomic_swap, (T * address, AtomicValue<T> value),
                (address, value), swap, (value))

/// Atomically sets the object to `value` if the object equals `compare`.
/// Returns the old value in either case (9.8, SHMEM_ATOMIC_COMPARE_SWAP). The
/// comparison is bitwise: 0.0 differs from -0.0, and a NaN equals the same NaN.
template <class T>
SYMM_INLINE_FUNCTION T atomic_compare_swap(T* address, AtomicValue<T> compare,
                                           AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  return Impl::compare_swap_word(address, compare, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_compare_swap,
                  (T * address, AtomicValue<T> compare, AtomicValue<T> value),
                  (address, compare, value), compare_swap, (value, compare))
SYMM_ATOMIC_NBI(atomic_compare_swap,
                (T * address, AtomicValue<T> compare, AtomicValue<T> value),
                (address, compare, value), compare_swap, (value, compare))

// Operations on numbers. Integer sums wrap around.

/// Atomically adds `value` to the object and returns the old value (9.8,
/// SHMEM_ATOMIC_FETCH_ADD).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_add(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  return Impl::fetch_add_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_add, (T * address, AtomicValue<T> value),
                  (address, value), add, (value))
SYMM_ATOMIC_NBI(atomic_fetch_add, (T * address, AtomicValue<T> value),
                (address, value), add, (value))

/// Atomically adds `value` to the object (9.8, SHMEM_ATOMIC_ADD).
template <class T>
SYMM_INLINE_FUNCTION void atomic_add(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  Impl::add_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_add, (T * address, AtomicValue<T> value),
                  (address, value), add, (value))

/// Atomically adds 1 to the object and returns the old value (9.8,
/// SHMEM_ATOMIC_FETCH_INC).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_inc(T* address) {
  return symm::atomic_fetch_add(address, T{1});
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_inc, (T * address), (address), add, (T{1}))
SYMM_ATOMIC_NBI(atomic_fetch_inc, (T * address), (address), add, (T{1}))

/// Atomically adds 1 to the object (9.8, SHMEM_ATOMIC_INC).
template <class T>
SYMM_INLINE_FUNCTION void atomic_inc(T* address) {
  symm::atomic_add(address, T{1});
}
SYMM_ATOMIC_OF_PE(void, atomic_inc, (T * address), (address), add, (T{1}))

/// Atomically sets the object to `value` if `value` is less than the object's
/// value. Returns the old value in either case. If `value` or the object is a
/// NaN, the object does not change. Not part of OpenSHMEM.
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_min(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  return Impl::fetch_min_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_min, (T * address, AtomicValue<T> value),
                  (address, value), min, (value))
SYMM_ATOMIC_NBI(atomic_fetch_min, (T * address, AtomicValue<T> value),
                (address, value), min, (value))

/// Atomically sets the object to `value` if `value` is less than the object's
/// value. If `value` or the object is a NaN, the object does not change. Not
/// part of OpenSHMEM.
template <class T>
SYMM_INLINE_FUNCTION void atomic_min(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  Impl::min_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_min, (T * address, AtomicValue<T> value),
                  (address, value), min, (value))

/// Atomically sets the object to `value` if `value` is greater than the
/// object's value. Returns the old value in either case. If `value` or the
/// object is a NaN, the object does not change. Not part of OpenSHMEM.
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_max(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  return Impl::fetch_max_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_max, (T * address, AtomicValue<T> value),
                  (address, value), max, (value))
SYMM_ATOMIC_NBI(atomic_fetch_max, (T * address, AtomicValue<T> value),
                (address, value), max, (value))

/// Atomically sets the object to `value` if `value` is greater than the
/// object's value. If `value` or the object is a NaN, the object does not
/// change. Not part of OpenSHMEM.
template <class T>
SYMM_INLINE_FUNCTION void atomic_max(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  Impl::max_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_max, (T * address, AtomicValue<T> value),
                  (address, value), max, (value))

// Bitwise operations on integers.

/// Atomically clears the bits of the object that are 0 in `value` (bitwise
/// AND), and returns the old value (9.8, SHMEM_ATOMIC_FETCH_AND).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_and(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  return Impl::fetch_and_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_and, (T * address, AtomicValue<T> value),
                  (address, value), bit_and, (value))
SYMM_ATOMIC_NBI(atomic_fetch_and, (T * address, AtomicValue<T> value),
                (address, value), bit_and, (value))

/// Atomically clears the bits of the object that are 0 in `value` (bitwise AND;
/// 9.8, SHMEM_ATOMIC_AND).
template <class T>
SYMM_INLINE_FUNCTION void atomic_and(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  Impl::and_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_and, (T * address, AtomicValue<T> value),
                  (address, value), bit_and, (value))

/// Atomically sets the bits of the object that are 1 in `value` (bitwise OR),
/// and returns the old value (9.8, SHMEM_ATOMIC_FETCH_OR).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_or(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  return Impl::fetch_or_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_or, (T * address, AtomicValue<T> value),
                  (address, value), bit_or, (value))
SYMM_ATOMIC_NBI(atomic_fetch_or, (T * address, AtomicValue<T> value),
                (address, value), bit_or, (value))

/// Atomically sets the bits of the object that are 1 in `value` (bitwise OR;
/// 9.8, SHMEM_ATOMIC_OR).
template <class T>
SYMM_INLINE_FUNCTION void atomic_or(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  Impl::or_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_or, (T * address, AtomicValue<T> value),
                  (address, value), bit_or, (value))

/// Atomically flips the bits of the object that are 1 in `value` (bitwise XOR),
/// and returns the old value (9.8, SHMEM_ATOMIC_FETCH_XOR).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_xor(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  return Impl::fetch_xor_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_xor, (T * address, AtomicValue<T> value),
                  (address, value), bit_xor, (value))
SYMM_ATOMIC_NBI(atomic_fetch_xor, (T * address, AtomicValue<T> value),
                (address, value), bit_xor, (value))

/// Atomically flips the bits of the object that are 1 in `value` (bitwise XOR;
/// 9.8, SHMEM_ATOMIC_XOR).
template <class T>
SYMM_INLINE_FUNCTION void atomic_xor(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  Impl::xor_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_xor, (T * address, AtomicValue<T> value),
                  (address, value), bit_xor, (value))

#undef SYMM_LIST
#undef SYMM_ATOMIC_NBI
#undef SYMM_ATOMIC_AT
#undef SYMM_ATOMIC_OF_PE
#undef SYMM_EXPECT_BITS
#undef SYMM_EXPECT_NUMBER
#undef SYMM_EXPECT_WORD
#undef SYMM_EXPECT_TYPE

// Memory ordering (OpenSHMEM 1.5). These functions control the order in which
// other PEs see this PE's stores and operations. Use the loads and stores below
// to build other orderings.

/// Orders the stores, puts, atomics and signals issued by this thread: a PE
/// that sees an operation issued after the call also sees all operations issued
/// before the call (OpenSHMEM 1.5, shmem_fence). On this node, the order holds
/// across all PEs and all memory, and covers plain stores through peer_view()
/// and global_view(). The call is local: fence() waits neither for PEs on this
/// node nor for kernels. (Kokkos::fence() waits for kernels.)
///
/// Across nodes, fence() orders only operations on the same PE, as OpenSHMEM
/// requires, and may wait for PEs on other nodes. To order operations on
/// several PEs when at least one of them is on another node, call quiet().
///
/// fence() is callable from the host and from kernels. In a kernel, it orders
/// the calling thread's own stores, and the stores that other threads of its
/// thread team made before a team_barrier().
SYMM_INLINE_FUNCTION void fence() {
  Impl::fence_words();
  Impl::check::fence();
  SYMM_IF_ON_HOST((Impl::fence_far();))
  SYMM_IF_ON_DEVICE((Impl::InKernel::fence_far();))
}

/// Completes the stores, puts, atomics and signals issued by this thread: all
/// PEs see them when quiet() returns (OpenSHMEM 1.5, shmem_quiet). Loads that
/// this thread issues after the call are ordered after these operations. On the
/// host, quiet() also completes every operation on another node that any thread
/// of this PE issued without a context. In all other respects, quiet() behaves
/// like fence().
SYMM_INLINE_FUNCTION void quiet() {
  Impl::fence_words();
  Impl::check::quiet();
  SYMM_IF_ON_HOST((Impl::quiet_far();))
  SYMM_IF_ON_DEVICE((Impl::InKernel::quiet_far();))
}

// Each of the following loads and stores is a single instruction and is atomic
// with respect to all PEs. The signatures are T load_...(T const* from) and
// store_...(T* to, value). T must be trivially copyable and 4 or 8 bytes in
// size, and the address must be aligned to that size. These functions are
// callable from the host and from kernels, on any memory that the caller can
// reach. In kernels, that excludes scratch memory and a thread's own variables.

/// A relaxed load and a relaxed store, which impose no ordering.
using Impl::load_relaxed;
using Impl::store_relaxed;

/// Orders this load before the thread's later loads and stores. The thread then
/// sees everything that the writer ordered before it stored the loaded value,
/// with store_release() or fence().
using Impl::load_acquire;

/// Orders the thread's earlier loads and stores before this store. A GPU waits
/// for those earlier accesses, which takes longer than the store itself. (The
/// wait and the store together take 1.39 us, one way, between two H200s.)
using Impl::store_release;

}  // namespace symm

#endif
