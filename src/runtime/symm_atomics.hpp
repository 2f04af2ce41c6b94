// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ATOMICS_HPP
#define SYMM_ATOMICS_HPP

#include <type_traits>

#include "base/Function.hpp"
#include "base/Observer.hpp"
#include "base/Types.hpp"
#include "memory/HeapMap.hpp"
#include "shmem/Access.hpp"
#include "shmem/Atomics.hpp"
#include "shmem/PeOperations.hpp"
#include "shmem/RingClient.hpp"
#include "shmem/Words.hpp"

// The atomic memory operations of OpenSHMEM 1.5 (9.8), and minimum and maximum.
// Each is one step for all threads of all PEs, on CPUs and GPUs, that work on
// the object by these operations. There are three forms of each:
//
//   atomic_add(address, value)
//     On any address that the caller reaches: of an element of a global_view or
//     peer_view, or what symm::ptr() returns. Callable from host and device; on
//     the device in global memory only, not on scratch memory of a team.
//   atomic_add(heap, address, value, pe)
//     On PE `pe`'s copy of the object at the symmetric address `address`, with
//     `heap` from symm::heap_map(view). Callable from host and device. Stops
//     the program if it cannot work, where SYMM_CHECKS_IN_KERNELS is on.
//   atomic_add(address, value, pe)
//     The same on the host, without the heap. Throws UsageError on this PE, if
//     there is no PE `pe`, or the object is not in this PE's part of the heap,
//     or is in GPU memory of a PE of this node.
//
// PEs of other nodes: the forms that take a PE reach them. Their processors
// carry out the same instructions, and where the object is in GPU memory, their
// GPUs, by a kernel.
//
// Ordering: none (relaxed). What returns a value has been done then; what
// returns nothing is complete after quiet(), as a put is.
//
// Types: of 4 and 8 bytes. All operations work on integers; those that compute,
// on float and double, too; those that only replace, on enumerations and
// pointers, too (a pointer makes sense only to the process that made it).
// Objects are aligned to their size. Values are converted to the object's type.
//
// Not one step for all: what kernels do to memory of the host where its link to
// the GPU is PCI Express (CUDA's attribute HostNativeAtomicSupported is 0).
// There a GPU takes it in its own cache, and additions of another GPU or of a
// CPU get lost (they were, between two H200). Use memory of GPUs for what
// several GPUs count.

namespace symm {

/// What T must be is known from the address alone.
template <class T>
using AtomicValue = std::type_identity_t<T>;

#define SYMM_EXPECT_TYPE(concept, types)                                       \
  static_assert(Impl::concept<T>,                                              \
                "this atomic operation of symm is for non-const " types        \
                " of 4 or 8 bytes: any other would need a lock, and those of " \
                "a process do not keep other PEs out, whose updates would be " \
                "lost")
#define SYMM_EXPECT_WORD() \
  SYMM_EXPECT_TYPE(AtomicWord, "numbers, enumerations and pointers")
#define SYMM_EXPECT_NUMBER() SYMM_EXPECT_TYPE(AtomicNumber, "numbers")
#define SYMM_EXPECT_BITS() SYMM_EXPECT_TYPE(AtomicBits, "integers")

/// The forms of an operation that take a PE, made of the one that does not; for
/// a PE of another node of its AtomicOp and operands.
#define SYMM_ATOMIC_OF_PE(result, name, parameters, arguments, op, operands)  \
  template <class T>                                                          \
  SYMM_INLINE_FUNCTION result name(HeapMap const& heap, SYMM_LIST parameters, \
                                   Pe pe) {                                   \
    Impl::expect_access(heap, address, sizeof(T), pe, "symm::" #name);        \
    if (!heap.is_near(pe)) [[unlikely]] {                                     \
      return Impl::change_far<result, T>(heap, address, pe, "symm::" #name,   \
                                         Impl::AtomicOp::op,                  \
                                         SYMM_LIST operands);                 \
    }                                                                         \
    address = heap.peer_ptr(address, pe);                                     \
    return symm::name arguments;                                              \
  }                                                                           \
  template <class T>                                                          \
  result name(SYMM_LIST parameters, Pe pe) {                                  \
    return Impl::observe(                                                     \
        [=] {                                                                 \
          return Impl::Operation{Impl::OperationKind::atomic, "symm::" #name, \
                                 pe, sizeof(T), address};                     \
        },                                                                    \
        [=]() mutable -> result {                                             \
          auto const its =                                                    \
              Impl::resolve_words(address, sizeof(T), pe, "symm::" #name);    \
          if (its.reach == Impl::Reach::messages) [[unlikely]] {              \
            return Impl::change_at<result, T>(                                \
                its, "symm::" #name, Impl::AtomicOp::op, SYMM_LIST operands); \
          }                                                                   \
          address = static_cast<decltype(address)>(its.address());            \
          return symm::name arguments;                                        \
        });                                                                   \
  }
#define SYMM_LIST(...) __VA_ARGS__

// Operations on any word.

/// Returns the object's value (9.8, SHMEM_ATOMIC_FETCH). One load.
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch(T const* address) {
  SYMM_EXPECT_WORD();
  return Impl::fetch_word(address);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch, (T const* address), (address), fetch, (T{}))

/// Sets the object to `value` (9.8, SHMEM_ATOMIC_SET). One store.
template <class T>
SYMM_INLINE_FUNCTION void atomic_set(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  Impl::set_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_set, (T * address, AtomicValue<T> value),
                  (address, value), set, (value))

/// Sets the object to `value` and returns what it was (9.8,
/// SHMEM_ATOMIC_SWAP).
template <class T>
SYMM_INLINE_FUNCTION T atomic_swap(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  return Impl::swap_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_swap, (T * address, AtomicValue<T> value),
                  (address, value), swap, (value))

/// Sets the object to `value` if it is `compare`, and returns what it was in
/// either case (9.8, SHMEM_ATOMIC_COMPARE_SWAP). Compares bits: for numbers
/// with a fraction, 0.0 is not -0.0, and a NaN is itself.
template <class T>
SYMM_INLINE_FUNCTION T atomic_compare_swap(T* address, AtomicValue<T> compare,
                                           AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  return Impl::compare_swap_word(address, compare, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_compare_swap,
                  (T * address, AtomicValue<T> compare, AtomicValue<T> value),
                  (address, compare, value), compare_swap, (value, compare))

// Operations on numbers. Sums of integers wrap around.

/// Adds `value` and returns what the object was (9.8, SHMEM_ATOMIC_FETCH_ADD).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_add(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  return Impl::fetch_add_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_add, (T * address, AtomicValue<T> value),
                  (address, value), add, (value))

/// Adds `value` (9.8, SHMEM_ATOMIC_ADD).
template <class T>
SYMM_INLINE_FUNCTION void atomic_add(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  Impl::add_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_add, (T * address, AtomicValue<T> value),
                  (address, value), add, (value))

/// Adds 1 and returns what the object was (9.8, SHMEM_ATOMIC_FETCH_INC).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_inc(T* address) {
  return symm::atomic_fetch_add(address, T{1});
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_inc, (T * address), (address), add, (T{1}))

/// Adds 1 (9.8, SHMEM_ATOMIC_INC).
template <class T>
SYMM_INLINE_FUNCTION void atomic_inc(T* address) {
  symm::atomic_add(address, T{1});
}
SYMM_ATOMIC_OF_PE(void, atomic_inc, (T * address), (address), add, (T{1}))

/// Sets the object to `value` if that is less, and returns what it was.
/// Not in OpenSHMEM. A NaN, here or there, changes nothing.
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_min(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  return Impl::fetch_min_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_min, (T * address, AtomicValue<T> value),
                  (address, value), min, (value))

/// Sets the object to `value` if that is less. Not in OpenSHMEM. A NaN, here
/// or there, changes nothing.
template <class T>
SYMM_INLINE_FUNCTION void atomic_min(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  Impl::fetch_min_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_min, (T * address, AtomicValue<T> value),
                  (address, value), min, (value))

/// Sets the object to `value` if that is greater, and returns what it was.
/// Not in OpenSHMEM. A NaN, here or there, changes nothing.
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_max(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  return Impl::fetch_max_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_max, (T * address, AtomicValue<T> value),
                  (address, value), max, (value))

/// Sets the object to `value` if that is greater. Not in OpenSHMEM. A NaN, here
/// or there, changes nothing.
template <class T>
SYMM_INLINE_FUNCTION void atomic_max(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  Impl::fetch_max_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_max, (T * address, AtomicValue<T> value),
                  (address, value), max, (value))

// Operations on bits.

/// Keeps only the bits of `value` and returns what the object was (9.8,
/// SHMEM_ATOMIC_FETCH_AND).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_and(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  return Impl::fetch_and_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_and, (T * address, AtomicValue<T> value),
                  (address, value), bit_and, (value))

/// Keeps only the bits of `value` (9.8, SHMEM_ATOMIC_AND).
template <class T>
SYMM_INLINE_FUNCTION void atomic_and(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  Impl::and_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_and, (T * address, AtomicValue<T> value),
                  (address, value), bit_and, (value))

/// Adds the bits of `value` and returns what the object was (9.8,
/// SHMEM_ATOMIC_FETCH_OR).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_or(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  return Impl::fetch_or_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_or, (T * address, AtomicValue<T> value),
                  (address, value), bit_or, (value))

/// Adds the bits of `value` (9.8, SHMEM_ATOMIC_OR).
template <class T>
SYMM_INLINE_FUNCTION void atomic_or(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  Impl::or_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_or, (T * address, AtomicValue<T> value),
                  (address, value), bit_or, (value))

/// Turns over the bits of `value` and returns what the object was (9.8,
/// SHMEM_ATOMIC_FETCH_XOR).
template <class T>
SYMM_INLINE_FUNCTION T atomic_fetch_xor(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  return Impl::fetch_xor_word(address, value);
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_xor, (T * address, AtomicValue<T> value),
                  (address, value), bit_xor, (value))

/// Turns over the bits of `value` (9.8, SHMEM_ATOMIC_XOR).
template <class T>
SYMM_INLINE_FUNCTION void atomic_xor(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  Impl::xor_word(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_xor, (T * address, AtomicValue<T> value),
                  (address, value), bit_xor, (value))

#undef SYMM_LIST
#undef SYMM_ATOMIC_OF_PE
#undef SYMM_EXPECT_BITS
#undef SYMM_EXPECT_NUMBER
#undef SYMM_EXPECT_WORD
#undef SYMM_EXPECT_TYPE

// In which order other PEs see what this PE does, and the loads and stores that
// such an order is made of (OpenSHMEM 1.5, memory
// ordering).

/// Orders the stores, puts, atomics and signals of this thread: any PE that
/// sees one issued after the call sees all issued before it (OpenSHMEM 1.5,
/// shmem_fence). To all PEs of this node and all memory alike; also orders
/// plain stores through peer_view() and global_view(). Local: neither waits for
/// other PEs nor for kernels (Kokkos::fence() does that).
///
/// To each PE of another node what goes there (OpenSHMEM asks for no more); for
/// an order between what goes to several PEs, of which one is on another node,
/// take quiet(). It may wait for those PEs.
///
/// Callable from host and kernels. In a kernel it is about the calling thread
/// and what that thread knows to be done, such as the stores of its team before
/// a team_barrier().
SYMM_INLINE_FUNCTION void fence() {
  Impl::fence_words();
  SYMM_IF_ON_HOST((Impl::fence_far();))
  SYMM_IF_ON_DEVICE((if (Impl::InKernel::has_far_pes())
                         [[unlikely]] { Impl::InKernel::far_pes().fence(); }))
}

/// Completes the stores, puts, atomics and signals of this thread: all PEs see
/// them when it returns (OpenSHMEM 1.5, shmem_quiet). What the thread loads
/// afterwards is loaded after that. On the host it waits for PEs of other nodes
/// to which anything is on its way, whichever thread of this PE has sent it.
/// Otherwise like fence().
SYMM_INLINE_FUNCTION void quiet() {
  Impl::fence_words();
  SYMM_IF_ON_HOST((Impl::quiet_far();))
  SYMM_IF_ON_DEVICE((if (Impl::InKernel::has_far_pes())
                         [[unlikely]] { Impl::InKernel::far_pes().quiet(); }))
}

// Plain loads and stores of one instruction, atomic for all PEs, of trivially
// copyable objects of 4 or 8 bytes: T load_...(T const* from) and
// store_...(T* to, value). Any address that this process reaches, aligned to
// the size of T. Callable from host and kernels, where the memory is reached;
// in kernels not on scratch memory nor on a thread's own variables.

/// No order.
using Impl::load_relaxed;
using Impl::store_relaxed;

/// What is loaded or stored afterwards is so after this load. What a release
/// or fence() on the other side has ordered before the value is there.
using Impl::load_acquire;

/// What was loaded or stored before is so before this store. A GPU waits for
/// that, which takes longer than the store itself (1.39 us for both, one way,
/// between two H200).
using Impl::store_release;

}  // namespace symm

#endif
