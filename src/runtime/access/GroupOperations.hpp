// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_GROUP_OPERATIONS_HPP
#define SYMM_ACCESS_GROUP_OPERATIONS_HPP

#include <cstddef>
#include <type_traits>

#include "../base/BitCast.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../groups/GroupCopy.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/PeMemory.hpp"
#include "Access.hpp"
#include "Elements.hpp"
#include "PeOperations.hpp"
#include "ProxyClient.hpp"
#include "Signal.hpp"
#include "StridedCopy.hpp"

namespace symm::Impl {

// One-sided operations on PE `pe`'s copy of the object at a symmetric address,
// for kernels, and for the host if the heap is in host memory. (The operations
// for the host only are in PeOperations.hpp.) Callers need not distinguish near
// and far PEs.
//
// - `group`: all threads of the group must make the call, with the same
//   arguments. Do not rely on a barrier at the start or end of the call: the
//   source must be complete before the call. On the host, one thread sends to
//   far PEs.
// - Preconditions are those of expect_access(), which these functions do not
//   call.
// - `call`: the call's name, for error messages on the host.
// - `completion`: when operations on far PEs return. After Completion::none,
//   quiet_far() on the host or quiet() in a kernel completes them.

/// Calls near() if loads and stores can reach PE `pe`'s memory, and far()
/// otherwise.
/// \returns the result of that call.
SYMM_CALLS_ANYTHING
template <class Near, class Far>
SYMM_FORCEINLINE_FUNCTION auto at_pe(HeapMap const& heap, Pe pe,
                                     Near const& near, Far const& far) {
  if (heap.is_near(pe)) [[likely]] {
    return near();
  }
  return far();
}

/// Like at_pe(), but passes the copy's address to near().
SYMM_CALLS_ANYTHING
template <class T, class Near, class Far>
SYMM_FORCEINLINE_FUNCTION auto at_copy_of(HeapMap const& heap, T* address,
                                          Pe pe, Near const& near,
                                          Far const& far) {
  return at_pe(
      heap, pe, [&] { return near(heap.peer_ptr(address, pe)); }, far);
}

// Operations on far PEs.

/// Copies `bytes` bytes between this PE and a far PE.
/// \param symmetric the symmetric address of the data on `pe`.
/// \param local the address of the data on this PE.
template <Direction direction, Group Threads>
SYMM_FUNCTION void copy_far(Threads const& group, HeapMap const& heap,
                            void const* symmetric, void const* local,
                            std::size_t bytes, Pe pe,
                            [[maybe_unused]] char const* call,
                            Completion completion) {
#ifdef SYMM_FOR_DEVICE
  static_cast<void>(heap);
  bool const waits = completion == Completion::local;
  if constexpr (direction == Direction::put) {
    InKernel::put_far(group, symmetric, local, bytes, pe, waits);
  } else {
    InKernel::get_far(group, const_cast<void*>(local), symmetric, bytes, pe,
                      waits);
  }
#else
  static_cast<void>(group);
  if (group.rank() != 0) return;
  auto const there = resolve_far(heap, symmetric, pe);
  if constexpr (direction == Direction::put) {
    put_without_stores(there, local, bytes, completion, call);
  } else {
    get_otherwise(const_cast<void*>(local), there, bytes, completion, call);
  }
#endif
}

template <Group Threads, class Copy>
SYMM_FUNCTION void copy_strided_far(Threads const& group, HeapMap const& heap,
                                    Copy copy, Pe pe,
                                    [[maybe_unused]] char const* call) {
#ifdef SYMM_FOR_DEVICE
  static_cast<void>(heap);
  constexpr bool is_put      = Copy::direction == Direction::put;
  constexpr std::size_t size = sizeof(typename Copy::Element);
  std::size_t const to       = copy.dest_stride * size;
  std::size_t const from     = copy.source_stride * size;
  InKernel::copy_strided_far(group, is_put, copy.symmetric(),
                             const_cast<void*>(copy.private_side()),
                             copy.block_bytes(), copy.count, is_put ? to : from,
                             is_put ? from : to, pe);
#else
  if (group.rank() == 0) {
    copy_strided_otherwise(resolve_far(heap, copy.symmetric(), pe), copy, call);
  }
#endif
}

template <class T>
SYMM_FUNCTION void store_far_element(HeapMap const& heap, T* to, T const& value,
                                     Pe pe, [[maybe_unused]] char const* call) {
#ifdef SYMM_FOR_DEVICE
  static_cast<void>(heap);
  InKernel::store_far(to, value, pe);
#else
  copy_far<Direction::put>(OneThread(), heap, to, &value, sizeof(T), pe, call,
                           Completion::local);
#endif
}

template <class T>
[[nodiscard]] SYMM_FUNCTION T
load_far_element(HeapMap const& heap, T const* from, Pe pe,
                 [[maybe_unused]] char const* call) {
#ifdef SYMM_FOR_DEVICE
  static_cast<void>(heap);
  return InKernel::load_far(from, pe);
#else
  ElementMemory<T> memory;
  copy_far<Direction::get>(OneThread(), heap, from, &memory.element, sizeof(T),
                           pe, call, Completion::local);
  return memory.element;
#endif
}

template <Group Threads>
SYMM_FUNCTION void put_signal_far(Threads const& group, HeapMap const& heap,
                                  void const* dest, void const* source,
                                  std::size_t bytes,
                                  Signal const* signal_address, Signal signal,
                                  AtomicOp op, Pe pe,
                                  [[maybe_unused]] char const* call,
                                  Completion completion) {
#ifdef SYMM_FOR_DEVICE
  static_cast<void>(heap);
  InKernel::put_signal_far(group, dest, source, bytes, signal_address, signal,
                           op, pe, completion == Completion::local);
#else
  if (group.rank() == 0) {
    check_aligned(signal_address, sizeof(Signal), call);
    put_signal_to(resolve_far(heap, dest, pe), source, bytes,
                  resolve_far(heap, signal_address, pe), signal, op, completion,
                  call);
  }
#endif
}

template <class Result, class T>
SYMM_FUNCTION Result change_far(HeapMap const& heap, T const* address, Pe pe,
                                [[maybe_unused]] char const* call, AtomicOp op,
                                T value, T compare) {
#ifdef SYMM_FOR_DEVICE
  static_cast<void>(heap);
  constexpr auto type = word_type_of<T>();
  auto const bits     = bit_cast<BitsOfWord<T>>(value);
  if constexpr (std::is_void_v<Result>) {
    static_cast<void>(compare);
    InKernel::far_pes().post_atomic({address, pe}, op, type, bits);
  } else {
    auto const was = InKernel::far_pes().atomic(
        {address, pe}, op, type, bits, bit_cast<BitsOfWord<T>>(compare));
    return bit_cast<T>(static_cast<BitsOfWord<T>>(was));
  }
#else
  check_aligned(address, sizeof(T), call);
  return change_at<Result>(resolve_far(heap, address, pe), call, op, value,
                           compare);
#endif
}

// Operations on near and far PEs.

/// put() or get(). The symmetric side is `dest` in a put and `source` in a get.
/// \param count number of elements; if 0, nothing is copied.
template <Direction direction, Group Threads, class T>
SYMM_INLINE_FUNCTION void copy_elements(
    Threads const& group, HeapMap const& heap, T* dest, T const* source,
    std::size_t count, Pe pe, char const* call,
    Completion completion = Completion::local) {
  std::size_t const bytes = bytes_of(sizeof(T), count);
  if (has_no_part<alignof(T)>(group, bytes)) return;
  if constexpr (direction == Direction::put) {
    at_copy_of(
        heap, dest, pe,
        [&](T* there) { copy_bytes<alignof(T)>(group, there, source, bytes); },
        [&] {
          copy_far<direction>(group, heap, dest, source, bytes, pe, call,
                              completion);
        });
  } else {
    at_copy_of(
        heap, source, pe,
        [&](T const* there) {
          copy_bytes<alignof(T)>(group, dest, there, bytes);
        },
        [&] {
          copy_far<direction>(group, heap, source, dest, bytes, pe, call,
                              completion);
        });
  }
}

/// iput(), iget(), ibput() or ibget(). Precondition: the StridedCopy is not
/// empty.
template <Group Threads, class Copy>
SYMM_INLINE_FUNCTION void copy_blocks(Threads const& group, HeapMap const& heap,
                                      Copy copy, Pe pe, char const* call) {
  auto& symmetric = copy.symmetric();
  at_copy_of(
      heap, symmetric, pe,
      [&](auto* there) {
        symmetric = there;
        run_strided(group, copy);
      },
      [&] { copy_strided_far(group, heap, copy, pe, call); });
}

/// p(), called by one thread. An element that is a word is stored with a single
/// access.
template <class T>
SYMM_INLINE_FUNCTION void store_element(HeapMap const& heap, T* to,
                                        std::type_identity_t<T> const& value,
                                        Pe pe, char const* call) {
  at_copy_of(
      heap, to, pe, [&](T* there) { store_element(there, value); },
      [&] { store_far_element(heap, to, value, pe, call); });
}

/// g(), called by one thread. An element that is a word is loaded with a single
/// access that bypasses non-coherent caches.
template <class T>
[[nodiscard]] SYMM_INLINE_FUNCTION T load_element(HeapMap const& heap,
                                                  T const* from, Pe pe,
                                                  char const* call) {
  return at_copy_of(
      heap, from, pe, [](T const* there) { return load_element(there); },
      [&] { return load_far_element(heap, from, pe, call); });
}

/// put_signal(): copies the elements as copy_elements() does, then updates the
/// signal once. Contains a group barrier. If `pe` is near, thread 0 updates the
/// signal after that barrier.
template <Group Threads, class T>
SYMM_INLINE_FUNCTION void put_with_signal(
    Threads const& group, HeapMap const& heap, T* dest, T const* source,
    std::size_t count, Signal* signal_address, Signal signal, SignalOp op,
    Pe pe, char const* call, Completion completion = Completion::local) {
  at_copy_of(
      heap, signal_address, pe,
      [&](Signal* its_signal) {
        // The single fence in DeliverSignal suffices for all threads. The
        // barrier (bar.sync, or bar.warp.sync for the lanes of a warp) orders
        // each thread's stores before thread 0's subsequent operations. Fences
        // are cumulative in PTX's causality order, so thread 0's fence with sys
        // scope also covers the other threads' stores before the barrier.
        copy_elements<Direction::put>(group, heap, dest, source, count, pe,
                                      call);
        group.barrier();
        if (group.rank() != 0) return;
        DeliverSignal{its_signal, signal, op, count != 0}();
      },
      [&] {
        put_signal_far(group, heap, dest, source, bytes_of(sizeof(T), count),
                       signal_address, signal, atomic_op_of(op), pe, call,
                       completion);
        group.barrier();
      });
}

/// Performs an atomic operation on PE `pe`'s copy of the word at `address`.
/// Called by one thread.
/// \returns the word's old value, unless Result is void.
/// \param near performs the operation if `pe` is near; called with the address
///        of PE `pe`'s copy.
template <class Result, class T, class Near>
SYMM_INLINE_FUNCTION Result change_word(HeapMap const& heap,
                                        std::type_identity_t<T> const* address,
                                        Pe pe, char const* call, Near near,
                                        AtomicOp op,
                                        std::type_identity_t<T> value,
                                        std::type_identity_t<T> compare = {}) {
  return at_copy_of(
      heap, const_cast<T*>(address), pe,
      [&](T* there) -> Result { return near(there); },
      [&]() -> Result {
        return change_far<Result, T>(heap, address, pe, call, op, value,
                                     compare);
      });
}

}  // namespace symm::Impl

#endif
