// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_PEOPERATIONS_HPP
#define SYMM_ACCESS_PEOPERATIONS_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "../memory/PeMemory.hpp"
#include "../transport/HostCall.hpp"
#include "Access.hpp"
#include "Elements.hpp"
#include "Signal.hpp"
#include "StridedCopy.hpp"

namespace symm::Impl {

// The host's operations on one PE's memory, as located by resolve(). Only this
// file chooses between loads and stores, GPU copies, and messages. Each
// operation runs on the calling thread alone, which may be any thread.
//
// All of these operations throw UsageError on this PE if the PE cannot be
// reached, and propagate exceptions from the Transport. After an exception, no
// part of the operation is in flight.

/// Returns the queue for copies of the heap's GPU memory.
/// \throws UsageError on this PE if there is no heap in GPU memory.
CopyQueue& copy_queue(char const* call);
[[nodiscard]] bool has_gates(char const* call);

/// Copies between the heap's GPU memory, on this PE or a near PE, and any of
/// this PE's memory. The copy is complete on return.
void copy_gpu_memory(void* to, void const* from, std::size_t bytes,
                     char const* call);

/// Completes this PE's operations on far PEs in the call's context. Terminates
/// the program if that fails.
[[gnu::cold]] void complete_begun(HostCall const& call) noexcept;

/// Calls work(), which begins operations on far PEs. If work() throws,
/// completes the operations in progress before rethrowing, so the caller may
/// then free the buffers.
template <class Work>
void complete_if_throws(HostCall const& call, Work const& work) {
  try {
    work();
  } catch (...) {
    complete_begun(call);
    throw;
  }
}

// The next functions use GPU copies or messages to access memory that loads and
// stores cannot reach. They are out of line so that they add only one
// comparison to an operation that uses loads and stores.

void put_without_stores(PeMemory to, void const* from, std::size_t bytes,
                        Completion completion, HostCall const& call);
void get_otherwise(void* to, PeMemory from, std::size_t bytes,
                   Completion completion, HostCall const& call);
[[gnu::cold]] void put_strided_to(PeMemory to, void const* from,
                                  Strides const& strides, HostCall const& call);
[[gnu::cold]] void get_strided_from(void* to, PeMemory from,
                                    Strides const& strides,
                                    HostCall const& call);
template <class Copy>
void copy_strided_otherwise(PeMemory there, Copy const& copy,
                            HostCall const& call) {
  auto const [dest, source, to, from, bytes, count] = copy.in_bytes();
  if constexpr (Copy::direction == Direction::put) {
    put_strided_to(there, source, {bytes, count, to, from}, call);
  } else {
    get_strided_from(dest, there, {bytes, count, from, to}, call);
  }
}

// The next functions access memory that this PE can reach only with messages.

/// Puts a block and then changes a signal.
/// \param bytes if 0, only the signal is sent, and `to` and `from` are ignored.
/// \param op AtomicOp::set or AtomicOp::add.
[[gnu::cold]] void put_signal_to(PeMemory to, void const* from,
                                 std::size_t bytes, PeMemory signal,
                                 std::uint64_t value, AtomicOp op,
                                 Completion completion, HostCall const& call);

// Atomic operations. Values are passed as the bits of a word.

/// Begins an atomic operation that stores the old value in `*was`, which must
/// have room for one word. The value has arrived when quiet() returns.
[[gnu::cold]] void fetch_at(PeMemory at, AtomicOp op, WordType type,
                            std::uint64_t value, std::uint64_t compare,
                            void* was, HostCall const& call);

[[gnu::cold]] std::uint64_t atomic_at(PeMemory at, AtomicOp op, WordType type,
                                      std::uint64_t value,
                                      std::uint64_t compare,
                                      HostCall const& call);
[[gnu::cold]] void post_atomic_at(PeMemory at, AtomicOp op, WordType type,
                                  std::uint64_t value, HostCall const& call);

/// The WordType that tells the target how to interpret a word of type T.
template <class T>
[[nodiscard]] SYMM_FUNCTION constexpr WordType word_type_of() {
  constexpr bool is_wide = sizeof(T) == 8;
  if constexpr (std::is_floating_point_v<T>) {
    return is_wide ? WordType::f64 : WordType::f32;
  } else if constexpr (std::signed_integral<T>) {
    return is_wide ? WordType::i64 : WordType::i32;
  } else {
    return is_wide ? WordType::u64 : WordType::u32;
  }
}

template <class T>
using BitsOfWord =
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Performs an atomic operation on the word at `at`.
/// \returns the word's old value, unless Result is void.
template <class Result, class T>
Result change_at(PeMemory at, HostCall const& call, AtomicOp op, T value,
                 T compare = T{}) {
  auto const bits = std::bit_cast<BitsOfWord<T>>(value);
  if constexpr (std::is_void_v<Result>) {
    post_atomic_at(at, op, word_type_of<T>(), bits, call);
  } else {
    auto const was = atomic_at(at, op, word_type_of<T>(), bits,
                               std::bit_cast<BitsOfWord<T>>(compare), call);
    return std::bit_cast<T>(static_cast<BitsOfWord<T>>(was));
  }
}

/// Like change_at(), but does not wait for the old value, which is stored in
/// `*fetch` by the time quiet() returns.
template <class T>
void fetch_word_at(PeMemory at, HostCall const& call, T* fetch, AtomicOp op,
                   T value, T compare = T{}) {
  fetch_at(at, op, word_type_of<T>(), std::bit_cast<BitsOfWord<T>>(value),
           std::bit_cast<BitsOfWord<T>>(compare), fetch, call);
}

/// Performs a StridedCopy whose symmetric side is at `there`.
template <class Copy>
[[gnu::always_inline]] inline void copy_found(PeMemory there, Copy const& copy,
                                              HostCall const& call) {
  if (there.path == AccessPath::words) {
    run_strided(OneThread(), copy);
  } else {
    copy_strided_otherwise(there, copy, call);
  }
}

// The same operations on a symmetric address, which is looked up once. `call`
// is a name or a HostCall. All of these operations also throw UsageError on
// this PE, as heap_to_access() does. Operations on words and single elements
// also throw UsageError if the address is misaligned.

/// If loads and stores can reach the copy, calls by_words() with the copy's
/// address. If they cannot, calls otherwise() with the copy's PeMemory.
/// \returns the result of that call.
template <class T, class Call, class ByWords, class Otherwise>
[[gnu::always_inline]] inline auto at_copy_of(T* address, std::size_t bytes,
                                              Pe pe, Call const& call,
                                              ByWords const& by_words,
                                              Otherwise const& otherwise) {
  auto const found = resolve_copy(address, bytes, pe, name_of_call(call));
  if (found.words != nullptr) [[likely]] {
    return by_words(static_cast<T*>(found.words));
  }
  return otherwise(memory_of(found, address, pe));
}

/// putmem() or getmem().
/// \param bytes must be at least 1.
template <Direction direction, class Call>
[[gnu::always_inline]] inline void copy_memory(void* dest, void const* source,
                                               std::size_t bytes, Pe pe,
                                               Completion completion,
                                               Call const& call) {
  if constexpr (direction == Direction::put) {
    at_copy_of(
        dest, bytes, pe, call,
        [&](void* there) {
          check_private(source, name_of_call(call));
          copy_host_memory(there, source, bytes);
        },
        [&](PeMemory there) {
          check_private(source, name_of_call(call));
          put_without_stores(there, source, bytes, completion, call);
        });
  } else {
    at_copy_of(
        source, bytes, pe, call,
        [&](void const* there) {
          check_private(dest, name_of_call(call));
          copy_host_memory(dest, there, bytes);
        },
        [&](PeMemory there) {
          check_private(dest, name_of_call(call));
          get_otherwise(dest, there, bytes, completion, call);
        });
  }
}

/// p(): stores `value` in PE `pe`'s copy of `*to`.
template <class T, class Call>
[[gnu::always_inline]] inline void store_element(T* to, T const& value, Pe pe,
                                                 Call const& call) {
  check_aligned(to, alignof(T), name_of_call(call));
  at_copy_of(
      to, sizeof(T), pe, call, [&](T* there) { store_element(there, value); },
      [&](PeMemory there) {
        put_without_stores(there, &value, sizeof(T), Completion::local, call);
      });
}

/// g(): loads PE `pe`'s copy of `*from`.
template <class T, class Call>
[[nodiscard, gnu::always_inline]] inline T load_element(T const* from, Pe pe,
                                                        Call const& call) {
  check_aligned(from, alignof(T), name_of_call(call));
  return at_copy_of(
      from, sizeof(T), pe, call,
      [](T const* there) { return load_element(there); },
      [&](PeMemory there) {
        ElementMemory<T> memory;
        get_otherwise(&memory.element, there, sizeof(T), Completion::local,
                      call);
        return memory.element;
      });
}

/// put_signal(): puts a block and then changes the signal.
/// \param deliver_on_gpu runs a DeliverSignal in a kernel. Called only if the
///        signal is in a near PE's GPU memory.
template <class DeliverOnGpu>
[[gnu::always_inline]] inline void put_with_signal(
    SignaledPut const& put, Completion completion, HostCall const& call,
    DeliverOnGpu const& deliver_on_gpu) {
  bool const has_data = put.bytes != 0;
  auto const put_data = [&] {
    if (!has_data) return;
    copy_memory<Direction::put>(put.dest, put.source, put.bytes, put.pe,
                                completion, call);
  };
  check_aligned(put.signal, sizeof(Signal), call.name);
  at_copy_of(
      put.signal, sizeof(Signal), put.pe, call,
      [&](Signal* there) {
        put_data();
        DeliverSignal{there, put.value, put.op, has_data}();
      },
      [&](PeMemory there) {
        if (there.path == AccessPath::gpu) {
          put_data();
          deliver_on_gpu(DeliverSignal{there.address<Signal>(), put.value,
                                       put.op, has_data});
          return;
        }
        PeMemory data;
        if (has_data) {
          data = resolve(put.dest, put.bytes, put.pe, call.name);
          check_private(put.source, call.name);
        }
        put_signal_to(data, put.source, put.bytes, there, put.value,
                      atomic_op_of(put.op), completion, call);
      });
}

/// Performs an atomic operation on PE `pe`'s copy of the word at `address`.
/// \returns the word's old value, unless Result is void.
/// \param near performs the operation if loads and stores can reach the copy;
///        called with the copy's address.
template <class Result, class T, class Call, class Near>
[[gnu::always_inline]] inline Result change_word(
    T const* address, Pe pe, Call const& call, Near near, AtomicOp op,
    std::type_identity_t<T> value, std::type_identity_t<T> compare = {}) {
  check_aligned(address, sizeof(T), name_of_call(call));
  return at_copy_of(
      const_cast<T*>(address), sizeof(T), pe, call,
      [&](T* there) -> Result { return near(there); },
      [&](PeMemory there) -> Result {
        check_words(there, address, name_of_call(call));
        return change_at<Result, T>(there, call, op, value, compare);
      });
}

/// Like change_word(), but need not wait for the old value, which is in
/// `*fetch` by the time quiet() returns.
template <class T, class Near>
void fetch_word_later(T* fetch, T const* address, Pe pe, HostCall const& call,
                      Near near, AtomicOp op, std::type_identity_t<T> value,
                      std::type_identity_t<T> compare = {}) {
  check_aligned(address, sizeof(T), call.name);
  at_copy_of(
      const_cast<T*>(address), sizeof(T), pe, call,
      [&](T* there) { *fetch = near(there); },
      [&](PeMemory there) {
        check_words(there, address, call.name);
        fetch_word_at<T>(there, call, fetch, op, value, compare);
      });
}

// Functions for all far PEs. They do nothing in a one-node job.

/// Orders operations on far PEs: each target performs operations issued before
/// the call before it performs later ones.
void fence_far();
/// Completes the operations on far PEs that were issued without a context.
void quiet_far(char const* call = "symm::quiet");
/// Completes the operations on far PEs in all contexts, as a barrier requires.
void quiet_all_contexts(char const* call);
/// Performs incoming operations from other nodes. Must be called between two
/// polls of a variable.
void poll_far();

}  // namespace symm::Impl

#endif
