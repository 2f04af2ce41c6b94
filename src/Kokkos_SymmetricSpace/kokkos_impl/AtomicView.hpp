// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ATOMIC_VIEW_HPP
#define SYMM_ATOMIC_VIEW_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../space/SymmetricSpaceBase.hpp"
#include "Version.hpp"

// Views with Kokkos' trait Atomic: in the symmetric spaces, the operators of an
// element (+=, ++, &=, ...) are atomic to all threads of all PEs. Kokkos finds
// the functions below by the memory space.

namespace symm::Impl {

/// The accessor of Kokkos' Atomic Views, but with the scope "Node": all CPUs
/// and GPUs. (Kokkos' own has the scope of one GPU.)
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

/// Customisation point of Kokkos: for customised Views, resize() and others
/// pass an argument for the accessor. Ours ignores it.
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
