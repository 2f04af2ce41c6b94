// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_KERNELS_HPP
#define SYMM_TEST_KERNELS_HPP

#include <Kokkos_Core.hpp>
#include <atomic>
#include <thread>

#include <Kokkos_SymmetricSpace.hpp>

/// Small kernels, and operations that are atomic between PEs. (Kokkos' own are
/// atomic only between the threads of one GPU.)
namespace symm_test {

/// The execution space whose kernels can access memory from symm::malloc().
using HeapExec = symm::SymmetricSpace::execution_space;

template <class Body>
struct Once {
  Body body;
  KOKKOS_FUNCTION void operator()(int) const { body(); }
};

/// Starts a one-thread kernel that calls body(), and does not wait for it. (If
/// kernels run on the host, it has already run on return.)
template <class Exec = HeapExec, class Body>
void launch(Body const& body) {
  Kokkos::parallel_for("launch", Kokkos::RangePolicy<Exec>(Exec(), 0, 1),
                       Once<Body>{body});
}

/// The same, but waits for the kernel.
template <class Exec = HeapExec, class Body>
void run(Body const& body) {
  launch<Exec>(body);
  Exec().fence("symm_test::run");
}

/// Lets another process have this core.
KOKKOS_INLINE_FUNCTION void pause_in_loop() {
  KOKKOS_IF_ON_HOST((std::this_thread::yield();))
}

template <class T>
KOKKOS_INLINE_FUNCTION T load_acquire(T* at) {
  KOKKOS_IF_ON_HOST(
      (return std::atomic_ref<T>(*at).load(std::memory_order_acquire);))
  KOKKOS_IF_ON_DEVICE(
      (return desul::atomic_load(at, desul::MemoryOrderAcquire(),
                                 desul::MemoryScopeNode());))
}

template <class T>
KOKKOS_INLINE_FUNCTION void store_release(T* at, T value) {
  KOKKOS_IF_ON_HOST(
      (std::atomic_ref<T>(*at).store(value, std::memory_order_release);))
  KOKKOS_IF_ON_DEVICE(
      (desul::atomic_store(at, value, desul::MemoryOrderRelease(),
                           desul::MemoryScopeNode());))
}

template <class T>
KOKKOS_INLINE_FUNCTION void add(T* at, T value) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(*at).fetch_add(value);))
  KOKKOS_IF_ON_DEVICE((desul::atomic_add(at, value, desul::MemoryOrderRelaxed(),
                                         desul::MemoryScopeNode());))
}

/// Changes 0 to 1 with acquire semantics; returns whether the value was 0.
template <class T>
KOKKOS_INLINE_FUNCTION bool try_lock(T* at) {
  KOKKOS_IF_ON_HOST(
      (T expected = 0; return std::atomic_ref<T>(*at).compare_exchange_strong(
          expected, T{1}, std::memory_order_acquire);))
  KOKKOS_IF_ON_DEVICE((return desul::atomic_compare_exchange(
                                  at, T{0}, T{1}, desul::MemoryOrderAcquire(),
                                  desul::MemoryScopeNode()) == 0;))
}

}  // namespace symm_test

#endif
