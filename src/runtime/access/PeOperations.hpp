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

// The operations of the host on memory of one PE, as resolve() has found it:
// the one place that chooses between loads and stores, copies of a GPU, and
// messages. One thread carries out each; any thread may.
//
// All throw UsageError on this PE, if there is no way to the PE, and what the
// Transport throws. Then nothing of the operation is under way.

/// The queue that copies GPU memory of the heap.
/// \throws UsageError on this PE, if there is none.
CopyQueue& copy_queue(char const* call);
/// Runtime::has_gates().
[[nodiscard]] bool has_gates(char const* call);

/// Copies between GPU memory of the heap, near PEs' too, and any memory of this
/// PE; then it is done.
void copy_gpu_memory(void* to, void const* from, std::size_t bytes,
                     char const* call);

/// Completes what this PE has begun on far PEs with that context. Ends the
/// program if it cannot.
[[gnu::cold]] void complete_begun(HostCall const& call) noexcept;

/// Calls work(), which begins operations on far PEs. If it throws, those that
/// have begun are completed first: what they write and read may end then.
template <class Work>
void complete_if_throws(HostCall const& call, Work const& work) {
  try {
    work();
  } catch (...) {
    complete_begun(call);
    throw;
  }
}

// Those below take memory that loads and stores do not reach: copies of a GPU
// or messages. They are out of line: loads and stores take one compare more and
// nothing else.

void put_without_stores(PeMemory to, void const* from, std::size_t bytes,
                        Completion completion, HostCall const& call);
void get_otherwise(void* to, PeMemory from, std::size_t bytes,
                   Completion completion, HostCall const& call);
[[gnu::cold]] void put_strided_to(PeMemory to, void const* from,
                                  Strides const& strides, HostCall const& call);
[[gnu::cold]] void get_strided_from(void* to, PeMemory from,
                                    Strides const& strides,
                                    HostCall const& call);
/// Carries out a StridedCopy by one of the two.
template <class Copy>
void copy_strided_otherwise(PeMemory its, Copy const& copy,
                            HostCall const& call) {
  auto const [dest, source, to, from, bytes, count] = copy.in_bytes();
  if constexpr (Copy::direction == Direction::put) {
    put_strided_to(its, source, {bytes, count, to, from}, call);
  } else {
    get_strided_from(dest, its, {bytes, count, from, to}, call);
  }
}

// Those below take memory that messages reach.

/// \param bytes 0: the signal alone; `to` and `from` are whatever they are.
/// \param op AtomicOp::set or AtomicOp::add.
[[gnu::cold]] void put_signal_to(PeMemory to, void const* from,
                                 std::size_t bytes, PeMemory signal,
                                 std::uint64_t value, AtomicOp op,
                                 Completion completion, HostCall const& call);

// Atomic operations, on bits of words.

/// The word's old value is in `was`, of the word's size, after quiet().
[[gnu::cold]] void fetch_at(PeMemory at, AtomicOp op, WordType type,
                            std::uint64_t value, std::uint64_t compare,
                            void* was, HostCall const& call);

[[gnu::cold]] std::uint64_t atomic_at(PeMemory at, AtomicOp op, WordType type,
                                      std::uint64_t value,
                                      std::uint64_t compare,
                                      HostCall const& call);
[[gnu::cold]] void post_atomic_at(PeMemory at, AtomicOp op, WordType type,
                                  std::uint64_t value, HostCall const& call);

/// How the target interprets a word.
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

/// An operation whose result is what the word was, or void.
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

/// The same without waiting for the result, which `fetch` gets.
template <class T>
void fetch_word_at(PeMemory at, HostCall const& call, T* fetch, AtomicOp op,
                   T value, T compare = T{}) {
  fetch_at(at, op, word_type_of<T>(), std::bit_cast<BitsOfWord<T>>(value),
           std::bit_cast<BitsOfWord<T>>(compare), fetch, call);
}

/// Carries out a StridedCopy whose symmetric side has been found.
template <class Copy>
[[gnu::always_inline]] inline void copy_found(PeMemory its, Copy const& copy,
                                              HostCall const& call) {
  if (its.path == AccessPath::words) {
    run_strided(OneThread(), copy);
  } else {
    copy_strided_otherwise(its, copy, call);
  }
}

// The same by a symmetric address, which they look up once. `call` is a name or
// a HostCall. All throw UsageError on this PE, too, as heap_to_access(); those
// of words and single elements, if the address is not aligned.

/// Calls by_words(address of the copy) if loads and stores reach it, else
/// otherwise(its memory). \returns its result.
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

/// putmem() or getmem(). \param bytes not 0.
template <Direction direction, class Call>
[[gnu::always_inline]] inline void copy_memory(void* dest, void const* source,
                                               std::size_t bytes, Pe pe,
                                               Completion completion,
                                               Call const& call) {
  if constexpr (direction == Direction::put) {
    at_copy_of(
        dest, bytes, pe, call,
        [&](void* its) {
          check_private(source, name_of_call(call));
          copy_host_memory(its, source, bytes);
        },
        [&](PeMemory its) {
          check_private(source, name_of_call(call));
          put_without_stores(its, source, bytes, completion, call);
        });
  } else {
    at_copy_of(
        source, bytes, pe, call,
        [&](void const* its) {
          check_private(dest, name_of_call(call));
          copy_host_memory(dest, its, bytes);
        },
        [&](PeMemory its) {
          check_private(dest, name_of_call(call));
          get_otherwise(dest, its, bytes, completion, call);
        });
  }
}

/// p().
template <class T, class Call>
[[gnu::always_inline]] inline void store_element(T* to, T const& value, Pe pe,
                                                 Call const& call) {
  check_aligned(to, alignof(T), name_of_call(call));
  at_copy_of(
      to, sizeof(T), pe, call, [&](T* its) { store_element(its, value); },
      [&](PeMemory its) {
        put_without_stores(its, &value, sizeof(T), Completion::local, call);
      });
}

/// g().
template <class T, class Call>
[[nodiscard, gnu::always_inline]] inline T load_element(T const* from, Pe pe,
                                                        Call const& call) {
  check_aligned(from, alignof(T), name_of_call(call));
  return at_copy_of(
      from, sizeof(T), pe, call, [](T const* its) { return load_element(its); },
      [&](PeMemory its) {
        ElementMemory<T> memory;
        get_otherwise(&memory.element, its, sizeof(T), Completion::local, call);
        return memory.element;
      });
}

/// put_signal().
/// \param deliver_on_gpu takes a DeliverSignal, and runs it in a kernel.
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
      [&](Signal* its) {
        put_data();
        DeliverSignal{its, put.value, put.op, has_data}();
      },
      [&](PeMemory its) {
        if (its.path == AccessPath::gpu) {
          put_data();
          deliver_on_gpu(DeliverSignal{its.address<Signal>(), put.value, put.op,
                                       has_data});
          return;
        }
        PeMemory data;
        if (has_data) {
          data = resolve(put.dest, put.bytes, put.pe, call.name);
          check_private(put.source, call.name);
        }
        put_signal_to(data, put.source, put.bytes, its, put.value,
                      atomic_op_of(put.op), completion, call);
      });
}

/// An atomic operation, whose result is what the word was, or void.
/// \param near does it at the address of a near PE's copy.
template <class Result, class T, class Call, class Near>
[[gnu::always_inline]] inline Result change_word(
    T const* address, Pe pe, Call const& call, Near near, AtomicOp op,
    std::type_identity_t<T> value, std::type_identity_t<T> compare = {}) {
  check_aligned(address, sizeof(T), name_of_call(call));
  return at_copy_of(
      const_cast<T*>(address), sizeof(T), pe, call,
      [&](T* its) -> Result { return near(its); },
      [&](PeMemory its) -> Result {
        check_words(its, address, name_of_call(call));
        return change_at<Result, T>(its, call, op, value, compare);
      });
}

/// The same without waiting for the result, which `fetch` gets.
template <class T, class Near>
void fetch_word_later(T* fetch, T const* address, Pe pe, HostCall const& call,
                      Near near, AtomicOp op, std::type_identity_t<T> value,
                      std::type_identity_t<T> compare = {}) {
  check_aligned(address, sizeof(T), call.name);
  at_copy_of(
      const_cast<T*>(address), sizeof(T), pe, call,
      [&](T* its) { *fetch = near(its); },
      [&](PeMemory its) {
        check_words(its, address, call.name);
        fetch_word_at<T>(its, call, fetch, op, value, compare);
      });
}

// About all far PEs; in jobs of one node they do nothing.

/// Orders: what went to a PE before is done there before what goes there
/// afterwards.
void fence_far();
/// Completes what went to other nodes without a context.
void quiet_far(char const* call = "symm::quiet");
/// Completes all that went to other nodes, as barriers do.
void quiet_all_contexts(char const* call);
/// Carries out what has come from other nodes. A caller that looks at a
/// variable again and again calls it in between.
void poll_far();

}  // namespace symm::Impl

#endif
