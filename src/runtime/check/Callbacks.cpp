// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Compilers emit calls to these functions for each load and store in code that
// is compiled with -fsanitize=thread. The functions replace ThreadSanitizer's
// library.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "Checker.hpp"
#include "Sites.hpp"

using symm::Impl::check::s_checker;
using symm::Impl::check::s_thread;
using symm::Impl::check::Tells;
using symm::Impl::check::ThreadState;

namespace {

[[gnu::always_inline]] inline void look(void const* address, std::size_t bytes,
                                        bool is_write) {
  s_checker.access(address, bytes, is_write, false,
                   __builtin_return_address(0));
}

void const* in_heap(void const volatile* address) {
  return s_checker.in_heap(const_cast<void const*>(address));
}

/// Whether the program itself performs this atomic operation and its target is
/// symmetric memory.
bool is_seen(void const volatile* address) {
  return s_checker.is_in_heap(in_heap(address)) && s_thread.n_calls == 0 &&
         s_checker.n_hiding.load(std::memory_order_relaxed) == 0;
}

bool acquires(int order) {
  return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ||
         order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}

void before_atomic(void const volatile* address, std::size_t bytes,
                   bool is_write, int order, void const* place) {
  auto const* const variable = in_heap(address);
  s_checker.access(variable, bytes, is_write, true, place);
  if (!is_write) return;
  s_checker.clocks.tell(s_checker.told_by(s_checker.where(variable), true),
                        releases(order) ? Tells::stores : Tells::fenced);
}

void after_atomic(void const volatile* address, int order) {
  auto const* const told =
      s_checker.told_by(s_checker.where(in_heap(address)), false);
  if (told != nullptr) s_checker.clocks.learn(told, !acquires(order));
}

}  // namespace

// The compilers prescribe these names.
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wreserved-identifier"
#pragma clang diagnostic ignored "-Watomic-alignment"
#endif

extern "C" {

// The C library's functions. Programs are linked with --wrap.
void* __real_memcpy(void* to, void const* from, std::size_t bytes);
void* __real_memmove(void* to, void const* from, std::size_t bytes);
void* __real_memset(void* to, int value, std::size_t bytes);
int __real_memcmp(void const* a, void const* b, std::size_t bytes);

void __tsan_init() {}
void __tsan_func_entry(void* return_address) {
  auto& thread = s_thread;
  if (thread.n_frames < ThreadState::max_frames) {
    thread.frames[thread.n_frames] = return_address;
  }
  ++thread.n_frames;
}
void __tsan_func_exit() {
  auto& thread = s_thread;
  if (thread.n_frames > 0) --thread.n_frames;
}

#define SYMM_CALLBACKS(bytes)                                             \
  void __tsan_read##bytes(void* at) { look(at, bytes, false); }           \
  void __tsan_write##bytes(void* at) { look(at, bytes, true); }           \
  void __tsan_unaligned_read##bytes(void* at) { look(at, bytes, false); } \
  void __tsan_unaligned_write##bytes(void* at) { look(at, bytes, true); } \
  void __tsan_volatile_read##bytes(void* at) { look(at, bytes, false); }  \
  void __tsan_volatile_write##bytes(void* at) { look(at, bytes, true); }  \
  void __tsan_unaligned_volatile_read##bytes(void* at) {                  \
    look(at, bytes, false);                                               \
  }                                                                       \
  void __tsan_unaligned_volatile_write##bytes(void* at) {                 \
    look(at, bytes, true);                                                \
  }                                                                       \
  void __tsan_read_write##bytes(void* at) { look(at, bytes, true); }      \
  void __tsan_unaligned_read_write##bytes(void* at) { look(at, bytes, true); }

SYMM_CALLBACKS(1)
SYMM_CALLBACKS(2)
SYMM_CALLBACKS(4)
SYMM_CALLBACKS(8)
SYMM_CALLBACKS(16)

void __tsan_read_range(void* at, unsigned long bytes) {
  look(at, bytes, false);
}
void __tsan_write_range(void* at, unsigned long bytes) {
  look(at, bytes, true);
}
void __tsan_vptr_read(void** at) { look(at, sizeof *at, false); }
void __tsan_vptr_update(void** at, void*) { look(at, sizeof *at, true); }

void* __tsan_memcpy(void* to, void const* from, std::size_t bytes) {
  look(from, bytes, false);
  look(to, bytes, true);
  return __real_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, void const* from, std::size_t bytes) {
  look(from, bytes, false);
  look(to, bytes, true);
  return __real_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  look(to, bytes, true);
  return __real_memset(to, value, bytes);
}

// These functions intercept calls in a program that is linked with --wrap.
void* __wrap_memcpy(void* to, void const* from, std::size_t bytes) {
  look(from, bytes, false);
  look(to, bytes, true);
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, void const* from, std::size_t bytes) {
  look(from, bytes, false);
  look(to, bytes, true);
  return __real_memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int value, std::size_t bytes) {
  look(to, bytes, true);
  return __real_memset(to, value, bytes);
}
int __wrap_memcmp(void const* a, void const* b, std::size_t bytes) {
  look(a, bytes, false);
  look(b, bytes, false);
  return __real_memcmp(a, b, bytes);
}

// Atomic operations use the strongest memory order, regardless of the order
// that the program requests.
#define SYMM_ORDER __ATOMIC_SEQ_CST
#define SYMM_CHANGE(bits, type, name, operation)                               \
  type __tsan_atomic##bits##_##name(type volatile* at, type value,             \
                                    int order) {                               \
    if (!is_seen(at)) [[likely]]                                               \
      return operation(at, value, SYMM_ORDER);                                 \
    before_atomic(at, sizeof(type), true, order, __builtin_return_address(0)); \
    auto const was = operation(at, value, SYMM_ORDER);                         \
    after_atomic(at, order);                                                   \
    return was;                                                                \
  }
#define SYMM_COMPARE_EXCHANGE(bits, type, strength, is_weak)           \
  int __tsan_atomic##bits##_compare_exchange_##strength(               \
      type volatile* at, type* expected, type value, int order, int) { \
    bool const seen = is_seen(at);                                     \
    if (seen) {                                                        \
      before_atomic(at, sizeof(type), true, order,                     \
                    __builtin_return_address(0));                      \
    }                                                                  \
    bool const is_done = __atomic_compare_exchange_n(                  \
        at, expected, value, is_weak, SYMM_ORDER, SYMM_ORDER);         \
    if (seen) after_atomic(at, order);                                 \
    return is_done ? 1 : 0;                                            \
  }
#define SYMM_ATOMICS(bits, type)                                               \
  type __tsan_atomic##bits##_load(type const volatile* at, int order) {        \
    bool const seen = is_seen(at);                                             \
    if (seen) {                                                                \
      before_atomic(at, sizeof(type), false, order,                            \
                    __builtin_return_address(0));                              \
    }                                                                          \
    auto const value = __atomic_load_n(at, SYMM_ORDER);                        \
    if (seen) after_atomic(at, order);                                         \
    return value;                                                              \
  }                                                                            \
  void __tsan_atomic##bits##_store(type volatile* at, type value, int order) { \
    if (is_seen(at)) {                                                         \
      before_atomic(at, sizeof(type), true, order,                             \
                    __builtin_return_address(0));                              \
    }                                                                          \
    __atomic_store_n(at, value, SYMM_ORDER);                                   \
  }                                                                            \
  SYMM_CHANGE(bits, type, exchange, __atomic_exchange_n)                       \
  SYMM_CHANGE(bits, type, fetch_add, __atomic_fetch_add)                       \
  SYMM_CHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                       \
  SYMM_CHANGE(bits, type, fetch_and, __atomic_fetch_and)                       \
  SYMM_CHANGE(bits, type, fetch_or, __atomic_fetch_or)                         \
  SYMM_CHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                       \
  SYMM_CHANGE(bits, type, fetch_nand, __atomic_fetch_nand)                     \
  SYMM_COMPARE_EXCHANGE(bits, type, strong, false)                             \
  SYMM_COMPARE_EXCHANGE(bits, type, weak, true)                                \
  type __tsan_atomic##bits##_compare_exchange_val(                             \
      type volatile* at, type expected, type value, int order, int other) {    \
    __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, \
                                                  other);                      \
    return expected;                                                           \
  }

SYMM_ATOMICS(8, std::uint8_t)
SYMM_ATOMICS(16, std::uint16_t)
SYMM_ATOMICS(32, std::uint32_t)
SYMM_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  static_cast<void>(order);
  // Kokkos executes such fences at the end of kernels. They publish nothing to
  // other PEs.
  if (s_checker.is_on() && s_thread.n_calls == 0) {
    s_checker.clocks.learn_later();
  }
}
void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

}  // extern "C"
