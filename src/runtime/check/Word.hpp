// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_WORD_HPP
#define SYMM_CHECK_WORD_HPP

#include <atomic>

#include <symm_gpu/KernelWords.hpp>
#include "../base/Function.hpp"

namespace symm::Impl::check {

/// Like std::atomic, but for 4- and 8-byte types only, and also usable in
/// kernels. Meant for objects in host memory that processes share and that GPUs
/// can access. In kernels, every memory order except acquire and release is
/// treated as relaxed.
template <class T>
class Word {
 public:
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  using Order = std::memory_order;

  constexpr Word() = default;

  [[nodiscard]] SYMM_FUNCTION T load(Order order = Order::seq_cst) const {
    SYMM_IF_ON_HOST((return ref().load(order);))
    SYMM_IF_ON_DEVICE((return order == Order::acquire
                                  ? InKernel::load_acquire(&m_value)
                                  : InKernel::load_relaxed(&m_value);))
  }
  SYMM_FUNCTION void store(T value, Order order = Order::seq_cst) {
#ifdef SYMM_FOR_DEVICE
    if (order == Order::release) {
      InKernel::store_release(&m_value, value);
    } else {
      InKernel::store_relaxed(&m_value, value);
    }
#else
    ref().store(value, order);
#endif
  }
  SYMM_FUNCTION T exchange(T value) {
    SYMM_IF_ON_HOST((return ref().exchange(value);))
    SYMM_IF_ON_DEVICE((return InKernel::swap(&m_value, value);))
  }
  SYMM_FUNCTION T fetch_add(T value,
                            [[maybe_unused]] Order order = Order::seq_cst) {
    SYMM_IF_ON_HOST((return ref().fetch_add(value, order);))
    SYMM_IF_ON_DEVICE((return InKernel::fetch_add(&m_value, value);))
  }
  SYMM_FUNCTION T fetch_or(T value) {
    SYMM_IF_ON_HOST((return ref().fetch_or(value);))
    SYMM_IF_ON_DEVICE((return InKernel::fetch_or(&m_value, value);))
  }
  SYMM_FUNCTION T fetch_and(T value) {
    SYMM_IF_ON_HOST((return ref().fetch_and(value);))
    SYMM_IF_ON_DEVICE((return InKernel::fetch_and(&m_value, value);))
  }
  SYMM_FUNCTION bool compare_exchange_strong(
      T& expected, T value, [[maybe_unused]] Order order = Order::seq_cst) {
#ifdef SYMM_FOR_DEVICE
    T const wanted = expected;
    expected       = InKernel::compare_swap(&m_value, wanted, value);
    return expected == wanted;
#else
    return ref().compare_exchange_strong(expected, value, order);
#endif
  }
  /// Atomically raises the word to `value`, unless the word is already at least
  /// `value`.
  SYMM_FUNCTION void raise(T value) {
    T now = load(Order::relaxed);
    while (now < value &&
           !compare_exchange_strong(now, value, Order::relaxed)) {
    }
  }

 private:
  [[nodiscard]] std::atomic_ref<T> ref() const {
    return std::atomic_ref<T>(const_cast<T&>(m_value));
  }

  alignas(sizeof(T)) T m_value{};
};

}  // namespace symm::Impl::check

#endif
