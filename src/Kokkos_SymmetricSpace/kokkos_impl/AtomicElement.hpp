// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ATOMIC_ELEMENT_HPP
#define SYMM_ATOMIC_ELEMENT_HPP

#include <Kokkos_Core.hpp>

namespace symm::Impl {

/// An element of a View in a symmetric space with Kokkos' Atomic trait. Its
/// operators (+=, ++, &=, ...) are atomic with respect to all CPUs and GPUs on
/// the node. (Kokkos' own atomic elements are atomic only with respect to the
/// threads of one GPU.)
template <class T>
class AtomicElement : public desul::AtomicRef<T, desul::MemoryOrderRelaxed,
                                              desul::MemoryScopeNode> {
  using Ref =
      desul::AtomicRef<T, desul::MemoryOrderRelaxed, desul::MemoryScopeNode>;

  static_assert(
      (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T),
      "elements of an Atomic View in a symmetric space must have 4 or 8 bytes "
      "and be aligned to their size: others would need a lock, but a lock "
      "within one process does not protect against updates by other PEs");

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit AtomicElement(T& element)
      : Ref(element) {}
  AtomicElement(AtomicElement const&) = default;

  KOKKOS_FORCEINLINE_FUNCTION T operator=(T value) const noexcept {
    Ref::store(value);
    return value;
  }
  /// Assigns the value of `other` in two steps, a load and a store.
  /// (AtomicRef's assignment would change the proxy instead of the element.)
  KOKKOS_FORCEINLINE_FUNCTION T
  operator=(AtomicElement const& other) const noexcept {
    return *this = other.load();
  }
};

}  // namespace symm::Impl

#endif
