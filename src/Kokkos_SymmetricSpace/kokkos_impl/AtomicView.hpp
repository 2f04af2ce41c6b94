// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ATOMIC_VIEW_HPP
#define SYMM_ATOMIC_VIEW_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../space/SymmetricSpaceBase.hpp"
#include "AtomicElement.hpp"
#include "Version.hpp"

// In symmetric spaces, the elements of Views with Kokkos' Atomic trait are
// AtomicElements. Kokkos selects the classes below by memory space.

#if SYMM_KOKKOS_MDSPAN_VIEWS

namespace symm::Impl {

/// Like the accessor of Kokkos' Atomic Views, except for the element type.
template <class T>
struct AtomicElementAccessor
    : Kokkos::Impl::AtomicAccessorRelaxed<T, desul::MemoryScopeNode> {
  using Base = Kokkos::Impl::AtomicAccessorRelaxed<T, desul::MemoryScopeNode>;

  using reference = AtomicElement<T>;
  static_assert(sizeof(reference) > 0);  // instantiates AtomicElement's assert
  using offset_policy = AtomicElementAccessor;

  using Base::Base;

  KOKKOS_FORCEINLINE_FUNCTION reference
  access(typename Base::data_handle_type const& data,
         std::size_t i) const noexcept {
    return reference(data[i]);
  }
};

template <class T, class MemorySpace, bool is_unmanaged>
struct AtomicAccessor {
  using element = AtomicElementAccessor<T>;
  using counted =
      Kokkos::Impl::ReferenceCountedAccessor<T, MemorySpace, element>;
  using type = Kokkos::Impl::SpaceAwareAccessor<
      MemorySpace, std::conditional_t<is_unmanaged, element, counted>>;
};

template <class Device, class Traits>
inline constexpr bool is_symmetric_and_atomic_v =
    Traits::is_atomic&& is_symmetric_space_v<typename Device::memory_space>;

/// A Kokkos customization point.
template <class T, class Layout, class Device, class Traits>
requires is_symmetric_and_atomic_v<Device, Traits>
constexpr auto customize_view_arguments(
    Kokkos::Impl::ViewArguments<T, Layout, Device, Traits>) {
  using Accessor =
      AtomicAccessor<T, typename Device::memory_space, Traits::is_unmanaged>;
  return Kokkos::Impl::ViewCustomArguments<std::size_t,
                                           typename Accessor::type>();
}

/// A Kokkos customization point. For customized Views, functions such as
/// resize() pass an argument for the accessor, which is not needed here.
template <class MemorySpace, class Accessor, class Mapping>
requires is_symmetric_space_v<MemorySpace> KOKKOS_INLINE_FUNCTION constexpr auto
accessor_from_mapping_and_accessor_arg(
    Kokkos::Impl::AccessorTypeTag<
        Kokkos::Impl::SpaceAwareAccessor<MemorySpace, Accessor>> const&,
    Mapping const&, Kokkos::Impl::AccessorArg_t const&) {
  return Kokkos::Impl::SpaceAwareAccessor<MemorySpace, Accessor>();
}

}  // namespace symm::Impl

#else

/// The element type of legacy Views. Kokkos selects this class by the View's
/// traits.
template <class Traits>
requires symm::is_symmetric_space_v<typename Traits::memory_space>
class Kokkos::Impl::AtomicDataElement<Traits>
    : public symm::Impl::AtomicElement<typename Traits::value_type> {
  using Element = symm::Impl::AtomicElement<typename Traits::value_type>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION
  AtomicDataElement(typename Traits::value_type* element, AtomicViewConstTag)
      : Element(*element) {}
  AtomicDataElement(AtomicDataElement const&) = default;

  using Element::operator=;
  KOKKOS_FORCEINLINE_FUNCTION auto operator=(
      AtomicDataElement const& other) const noexcept {
    return Element::operator=(other);
  }
};

/// Replaces Kokkos' own handle, which would load const elements non-atomically.
template <class Traits>
requires(symm::is_symmetric_space_v<typename Traits::memory_space>&&
             Traits::memory_traits::is_atomic&&
                 std::is_const_v<typename Traits::value_type>) struct Kokkos::
    Impl::ViewDataHandle<Traits> {
  using value_type  = typename Traits::value_type;
  using handle_type = AtomicViewDataHandle<Traits>;
  using return_type = AtomicDataElement<Traits>;

  KOKKOS_FORCEINLINE_FUNCTION static handle_type assign(
      value_type* data, Kokkos::Impl::SharedAllocationTracker const&) {
    return handle_type(data);
  }
  template <class Handle>
  KOKKOS_FORCEINLINE_FUNCTION static handle_type assign(Handle const& handle,
                                                        std::size_t offset) {
    return handle_type(handle + offset);
  }
};

#endif

#endif
