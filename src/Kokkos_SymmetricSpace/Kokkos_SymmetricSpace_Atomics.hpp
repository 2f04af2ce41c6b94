// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_ATOMICS_HPP
#define KOKKOS_SYMMETRICSPACE_ATOMICS_HPP

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Ordering.hpp>

#include "../runtime/base/Types.hpp"
#include "../runtime/memory/HeapMap.hpp"
#include "../runtime/shmem/Access.hpp"

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
//     the program if it cannot work, where Kokkos checks preconditions.
//   atomic_add(address, value, pe)
//     The same on the host, without the heap. Throws UsageError on this PE, if
//     there is no PE `pe`, or the object is not in this PE's part of the heap
//     or is in GPU memory.
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

/// What processors fetch and replace in one step.
template <class T>
concept AtomicWord = (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                      std::is_pointer_v<T>)&&(sizeof(T) == 4 ||
                                              sizeof(T) == 8) &&
                     std::same_as<T, std::remove_cv_t<T>>;

/// What they also compute with.
template <class T>
concept AtomicNumber = AtomicWord<T> && std::is_arithmetic_v<T>;

/// Whose single bits they also change.
template <class T>
concept AtomicBits = AtomicWord<T> && std::integral<T>;

/// What T must be is known from the address alone.
template <class T>
using AtomicValue = std::type_identity_t<T>;

#define SYMM_EXPECT_TYPE(concept, types)                                       \
  static_assert(concept<T>,                                                    \
                "this atomic operation of symm is for non-const " types        \
                " of 4 or 8 bytes: any other would need a lock, and those of " \
                "a process do not keep other PEs out, whose updates would be " \
                "lost")
#define SYMM_EXPECT_WORD() \
  SYMM_EXPECT_TYPE(AtomicWord, "numbers, enumerations and pointers")
#define SYMM_EXPECT_NUMBER() SYMM_EXPECT_TYPE(AtomicNumber, "numbers")
#define SYMM_EXPECT_BITS() SYMM_EXPECT_TYPE(AtomicBits, "integers")

// How the operations are carried out: on the host by the standard library; on
// the device by desul, whose scope "Node" is the scope "sys" of CUDA, which is
// all GPUs and CPUs. (That of Kokkos' own atomic operations is one GPU.)

using AtomicOrder = desul::MemoryOrderRelaxed;
using AtomicScope = desul::MemoryScopeNode;

/// The integer of the size and sign of T for which desul has machine
/// instructions: for long long, for one, it has none, but a loop.
template <class T>
using DeviceInteger = std::conditional_t<
    sizeof(T) == 4,
    std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T>
using DeviceWord =
    std::conditional_t<std::is_integral_v<T>, DeviceInteger<T>, T>;

template <class T>
KOKKOS_INLINE_FUNCTION DeviceWord<T>* device_word(T* address) {
  return reinterpret_cast<DeviceWord<T>*>(address);
}

/// Changes bits on the device without asking what they were, for which desul
/// has nothing. (Waiting for the answer would cost a round trip; and on an
/// address that may be of any memory GPUs ask all the same: 10.4 instead
/// of 14.7 random updates a nanosecond and PE, between two H200.)
#define SYMM_CHANGE_BITS(operation)                                   \
  KOKKOS_IF_ON_DEVICE((                                               \
      if constexpr (sizeof(T) == 4) {                                 \
        asm volatile("red.relaxed.sys.global." operation              \
                     ".b32 [%0], %1;" ::"l"(global_address(address)), \
                     "r"(static_cast<DeviceWord<T>>(value))           \
                     : "memory");                                     \
      } else {                                                        \
        asm volatile("red.relaxed.sys.global." operation              \
                     ".b64 [%0], %1;" ::"l"(global_address(address)), \
                     "l"(static_cast<DeviceWord<T>>(value))           \
                     : "memory");                                     \
      }))

/// The forms of an operation that take a PE, made of the one that does not.
#define SYMM_ATOMIC_OF_PE(result, name, parameters, arguments)               \
  template <class T>                                                         \
  KOKKOS_INLINE_FUNCTION result name(HeapMap const& heap,                    \
                                     SYMM_LIST parameters, Pe pe) {          \
    expect_access(heap, address, sizeof(T), pe, "symm::" #name);             \
    address = heap.peer_ptr(address, pe);                                    \
    return symm::name arguments;                                             \
  }                                                                          \
  template <class T>                                                         \
  result name(SYMM_LIST parameters, Pe pe) {                                 \
    auto const& map = map_to_access(address, sizeof(T), pe, "symm::" #name); \
    address         = map.peer_ptr(address, pe);                             \
    return symm::name arguments;                                             \
  }
#define SYMM_LIST(...) __VA_ARGS__

// Operations on any word.

/// Returns the object's value (9.8, SHMEM_ATOMIC_FETCH). One load.
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch(T const* address) {
  SYMM_EXPECT_WORD();
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(*const_cast<T*>(address))
                         .load(std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((return *static_cast<T const volatile*>(address);))
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch, (T const* address), (address))

/// Sets the object to `value` (9.8, SHMEM_ATOMIC_SET). One store.
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_set(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  KOKKOS_IF_ON_HOST(
      (std::atomic_ref<T>(*address).store(value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((*static_cast<T volatile*>(address) = value;))
}
SYMM_ATOMIC_OF_PE(void, atomic_set, (T * address, AtomicValue<T> value),
                  (address, value))

/// Sets the object to `value` and returns what it was (9.8,
/// SHMEM_ATOMIC_SWAP).
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_swap(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(*address).exchange(
      value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE(
      (return desul::atomic_exchange(address, value, AtomicOrder(),
                                     AtomicScope());))
}
SYMM_ATOMIC_OF_PE(T, atomic_swap, (T * address, AtomicValue<T> value),
                  (address, value))

/// Sets the object to `value` if it is `compare`, and returns what it was in
/// either case (9.8, SHMEM_ATOMIC_COMPARE_SWAP). Compares bits: for numbers
/// with a fraction, 0.0 is not -0.0, and a NaN is itself.
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_compare_swap(T* address, AtomicValue<T> compare,
                                             AtomicValue<T> value) {
  SYMM_EXPECT_WORD();
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(*address).compare_exchange_strong(
      compare, value, std::memory_order_relaxed);
                     return compare;))
  KOKKOS_IF_ON_DEVICE(
      (return desul::atomic_compare_exchange(address, compare, value,
                                             AtomicOrder(), AtomicScope());))
}
SYMM_ATOMIC_OF_PE(T, atomic_compare_swap,
                  (T * address, AtomicValue<T> compare, AtomicValue<T> value),
                  (address, compare, value))

// Operations on numbers. Sums of integers wrap around.

/// Adds `value` and returns what the object was (9.8, SHMEM_ATOMIC_FETCH_ADD).
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch_add(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(*address).fetch_add(
      value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((return static_cast<T>(desul::atomic_fetch_add(
      device_word(address), static_cast<DeviceWord<T>>(value), AtomicOrder(),
      AtomicScope()));))
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_add, (T * address, AtomicValue<T> value),
                  (address, value))

/// Adds `value` (9.8, SHMEM_ATOMIC_ADD).
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_add(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  KOKKOS_IF_ON_HOST((symm::atomic_fetch_add(address, value);))
  KOKKOS_IF_ON_DEVICE((desul::atomic_add(device_word(address),
                                         static_cast<DeviceWord<T>>(value),
                                         AtomicOrder(), AtomicScope());))
}
SYMM_ATOMIC_OF_PE(void, atomic_add, (T * address, AtomicValue<T> value),
                  (address, value))

/// Adds 1 and returns what the object was (9.8, SHMEM_ATOMIC_FETCH_INC).
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch_inc(T* address) {
  return symm::atomic_fetch_add(address, T{1});
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_inc, (T * address), (address))

/// Adds 1 (9.8, SHMEM_ATOMIC_INC).
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_inc(T* address) {
  symm::atomic_add(address, T{1});
}
SYMM_ATOMIC_OF_PE(void, atomic_inc, (T * address), (address))

/// Sets the object to `value` if it is `seen`, and tells whether it was; `seen`
/// is what it was in either case.
template <class T>
KOKKOS_INLINE_FUNCTION bool replace_if_seen(T* address, T& seen, T value) {
  T const before = symm::atomic_compare_swap(address, seen, value);
  using Bits     = std::make_unsigned_t<DeviceInteger<T>>;
  bool const was_seen =
      Kokkos::bit_cast<Bits>(before) == Kokkos::bit_cast<Bits>(seen);
  seen = before;
  return was_seen;
}

/// Sets the object to `value` if that is less, and returns what it was.
/// Not in OpenSHMEM. A NaN, here or there, changes nothing.
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch_min(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  KOKKOS_IF_ON_DEVICE((if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(desul::atomic_fetch_min(
        device_word(address), static_cast<DeviceWord<T>>(value), AtomicOrder(),
        AtomicScope()));
  }))
  T seen = symm::atomic_fetch(address);
  while (value < seen && !replace_if_seen(address, seen, value)) {
  }
  return seen;
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_min, (T * address, AtomicValue<T> value),
                  (address, value))

/// Sets the object to `value` if that is less. Not in OpenSHMEM. A NaN, here
/// or there, changes nothing.
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_min(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  KOKKOS_IF_ON_DEVICE((if constexpr (std::is_integral_v<T>) {
    desul::atomic_min(device_word(address), static_cast<DeviceWord<T>>(value),
                      AtomicOrder(), AtomicScope());
    return;
  }))
  symm::atomic_fetch_min(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_min, (T * address, AtomicValue<T> value),
                  (address, value))

/// Sets the object to `value` if that is greater, and returns what it was.
/// Not in OpenSHMEM. A NaN, here or there, changes nothing.
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch_max(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  KOKKOS_IF_ON_DEVICE((if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(desul::atomic_fetch_max(
        device_word(address), static_cast<DeviceWord<T>>(value), AtomicOrder(),
        AtomicScope()));
  }))
  T seen = symm::atomic_fetch(address);
  while (value > seen && !replace_if_seen(address, seen, value)) {
  }
  return seen;
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_max, (T * address, AtomicValue<T> value),
                  (address, value))

/// Sets the object to `value` if that is greater. Not in OpenSHMEM. A NaN, here
/// or there, changes nothing.
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_max(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_NUMBER();
  KOKKOS_IF_ON_DEVICE((if constexpr (std::is_integral_v<T>) {
    desul::atomic_max(device_word(address), static_cast<DeviceWord<T>>(value),
                      AtomicOrder(), AtomicScope());
    return;
  }))
  symm::atomic_fetch_max(address, value);
}
SYMM_ATOMIC_OF_PE(void, atomic_max, (T * address, AtomicValue<T> value),
                  (address, value))

// Operations on bits.

/// Keeps only the bits of `value` and returns what the object was (9.8,
/// SHMEM_ATOMIC_FETCH_AND).
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch_and(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(*address).fetch_and(
      value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE(
      (return desul::atomic_fetch_and(address, value, AtomicOrder(),
                                      AtomicScope());))
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_and, (T * address, AtomicValue<T> value),
                  (address, value))

/// Keeps only the bits of `value` (9.8, SHMEM_ATOMIC_AND).
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_and(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  KOKKOS_IF_ON_HOST((symm::atomic_fetch_and(address, value);))
  SYMM_CHANGE_BITS("and")
}
SYMM_ATOMIC_OF_PE(void, atomic_and, (T * address, AtomicValue<T> value),
                  (address, value))

/// Adds the bits of `value` and returns what the object was (9.8,
/// SHMEM_ATOMIC_FETCH_OR).
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch_or(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(*address).fetch_or(
      value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE(
      (return desul::atomic_fetch_or(address, value, AtomicOrder(),
                                     AtomicScope());))
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_or, (T * address, AtomicValue<T> value),
                  (address, value))

/// Adds the bits of `value` (9.8, SHMEM_ATOMIC_OR).
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_or(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  KOKKOS_IF_ON_HOST((symm::atomic_fetch_or(address, value);))
  SYMM_CHANGE_BITS("or")
}
SYMM_ATOMIC_OF_PE(void, atomic_or, (T * address, AtomicValue<T> value),
                  (address, value))

/// Turns over the bits of `value` and returns what the object was (9.8,
/// SHMEM_ATOMIC_FETCH_XOR).
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch_xor(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(*address).fetch_xor(
      value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE(
      (return desul::atomic_fetch_xor(address, value, AtomicOrder(),
                                      AtomicScope());))
}
SYMM_ATOMIC_OF_PE(T, atomic_fetch_xor, (T * address, AtomicValue<T> value),
                  (address, value))

/// Turns over the bits of `value` (9.8, SHMEM_ATOMIC_XOR).
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_xor(T* address, AtomicValue<T> value) {
  SYMM_EXPECT_BITS();
  KOKKOS_IF_ON_HOST((symm::atomic_fetch_xor(address, value);))
  SYMM_CHANGE_BITS("xor")
}
SYMM_ATOMIC_OF_PE(void, atomic_xor, (T * address, AtomicValue<T> value),
                  (address, value))

#undef SYMM_LIST
#undef SYMM_ATOMIC_OF_PE
#undef SYMM_CHANGE_BITS
#undef SYMM_EXPECT_BITS
#undef SYMM_EXPECT_NUMBER
#undef SYMM_EXPECT_WORD
#undef SYMM_EXPECT_TYPE

}  // namespace symm

#endif
