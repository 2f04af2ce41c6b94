// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ATOMIC_VIEW_HPP
#define SYMM_ATOMIC_VIEW_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../space/SymmetricSpaceBase.hpp"
#include "Version.hpp"

// Views with Kokkos' trait Atomic: in the symmetric spaces, what the operators
// of an element do (+=, ++, &=, ...) is one step for all threads of all PEs.
// Kokkos asks by the functions below, which it finds by the memory space.

namespace symm::Impl {

/// The accessor that Kokkos' Atomic Views have, with the scope "Node", which is
/// all CPUs and GPUs. (The scope of Kokkos' own is one GPU.)
template <class T, class MemorySpace, bool is_unmanaged>
struct AtomicAccessor {
  static_assert((sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T),
                "elements of an Atomic View in a symmetric space have 4 or 8 "
                "bytes, and that alignment: any other would need a lock, and "
                "those of a process do not keep other PEs out, whose updates "
                "would be lost");
  using element =
      Kokkos::Impl::AtomicAccessorRelaxed<T, desul::MemoryScopeNode>;
  using counted =
      Kokkos::Impl::ReferenceCountedAccessor<T, MemorySpace, element>;
  using type = Kokkos::Impl::SpaceAwareAccessor<
      MemorySpace, std::conditional_t<is_unmanaged, element, counted>>;
};

template <class Device, class Traits>
inline constexpr bool is_symmetric_and_atomic_v =
    Traits::is_atomic&& is_symmetric_space_v<typename Device::memory_space>;

/// Customisation point of Kokkos.
template <class T, class Layout, class Device, class Traits>
requires is_symmetric_and_atomic_v<Device, Traits>
constexpr auto customize_view_arguments(
    Kokkos::Impl::ViewArguments<T, Layout, Device, Traits>) {
  using Accessor =
      AtomicAccessor<T, typename Device::memory_space, Traits::is_unmanaged>;
  return Kokkos::Impl::ViewCustomArguments<std::size_t,
                                           typename Accessor::type>();
}

/// Customisation point of Kokkos: where a View is customised, resize() and
/// others have an argument for the accessor. Ours takes none.
template <class MemorySpace, class Accessor, class Mapping>
requires is_symmetric_space_v<MemorySpace> KOKKOS_INLINE_FUNCTION constexpr auto
accessor_from_mapping_and_accessor_arg(
    Kokkos::Impl::AccessorTypeTag<
        Kokkos::Impl::SpaceAwareAccessor<MemorySpace, Accessor>> const&,
    Mapping const&, Kokkos::Impl::AccessorArg_t const&) {
  return Kokkos::Impl::SpaceAwareAccessor<MemorySpace, Accessor>();
}

}  // namespace symm::Impl

#endif
