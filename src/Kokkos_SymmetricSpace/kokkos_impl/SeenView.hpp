// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SEEN_VIEW_HPP
#define SYMM_SEEN_VIEW_HPP

#include "SeenElement.hpp"

#ifdef SYMM_CHECK_VIEWS

#include <cstddef>
#include <type_traits>

#include "../space/SymmetricSpaceBase.hpp"
#include "AtomicView.hpp"
#include "Version.hpp"

// Replaces the elements of Views in symmetric spaces with SeenElements. Kokkos
// provides a customization point for accessors (AtomicView.hpp). This file does
// not use it because deep_copy() and constructors treat Views with a customized
// accessor differently.

namespace symm::Impl {

/// Whether the elements of a View with these traits are SeenElements. True also
/// for AnonymousSpace, because Kokkos' fills and copies use Views in that space
/// for memory of any space.
template <class Traits>
inline constexpr bool has_seen_views_v =
    (is_symmetric_space_v<typename Traits::memory_space> ||
     std::is_same_v<typename Traits::memory_space,
                    Kokkos::AnonymousSpace>)&&  //
    has_seen_elements_v<typename Traits::non_const_value_type>;

}  // namespace symm::Impl

#if SYMM_KOKKOS_MDSPAN_VIEWS

namespace symm::Impl {

/// Like Kokkos::default_accessor, except for the element type.
template <class T>
struct SeenAccessor {
  using element_type     = T;
  using reference        = Reference<T>;
  using data_handle_type = T*;
  using offset_policy    = SeenAccessor;

  template <class U>
  static constexpr bool is_of_same =
      std::is_convertible_v<U (*)[], element_type (*)[]>;

  SeenAccessor() = default;
  template <class U>
  requires is_of_same<U> KOKKOS_FUNCTION constexpr SeenAccessor(
      SeenAccessor<U>) noexcept {}
  template <class U>
  requires is_of_same<U> KOKKOS_FUNCTION constexpr SeenAccessor(
      Kokkos::default_accessor<U>) noexcept {}
  template <class U, class Scope>
  requires is_of_same<U> KOKKOS_FUNCTION constexpr explicit SeenAccessor(
      Kokkos::Impl::AtomicAccessorRelaxed<U, Scope>) noexcept {}
  template <class U>
  requires std::is_convertible_v<T (*)[], U (*)[]> KOKKOS_FUNCTION constexpr
  operator Kokkos::default_accessor<U>() const noexcept {
    return {};
  }
  template <class U, class Scope>
  requires std::is_convertible_v<T (*)[], U (*)[]> KOKKOS_FUNCTION
  operator Kokkos::Impl::AtomicAccessorRelaxed<U, Scope>() const noexcept {
    return {};
  }

  template <class U>
  requires std::is_convertible_v<T (*)[], U (*)[]> KOKKOS_FUNCTION
  operator AtomicElementAccessor<U>() const noexcept {
    return {};
  }

  template <class U, class Space, class Nested>
  requires std::is_convertible_v<T (*)[], U (*)[]> KOKKOS_FUNCTION constexpr
  operator Kokkos::Impl::ReferenceCountedAccessor<U, Space, Nested>()
      const noexcept {
    return {};
  }

  KOKKOS_FORCEINLINE_FUNCTION constexpr reference access(
      data_handle_type const& data, std::size_t i) const noexcept {
    return reference(data[i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr data_handle_type offset(
      data_handle_type const& data, std::size_t i) const noexcept {
    return data + i;
  }
};

}  // namespace symm::Impl

/// Like Kokkos' own specialization, except for the accessor. Atomic Views have
/// another specialization.
template <class Data, class... Properties, class Layout>
requires(!std::is_void_v<Layout> &&
         symm::Impl::has_seen_views_v<
             Kokkos::ViewTraits<Data, Properties...>>) struct Kokkos::Impl::
    MDSpanViewTraits<Kokkos::ViewTraits<Data, Properties...>, void, Layout> {
  using Traits       = Kokkos::ViewTraits<Data, Properties...>;
  using Element      = typename Traits::value_type;
  using Space        = typename Traits::memory_space;
  using SeenAccessor = symm::Impl::SeenAccessor<Element>;

  using index_type = std::size_t;
  using extents_type =
      typename ExtentsFromDataType<index_type,
                                   typename Traits::data_type>::type;
  using mdspan_layout_type = Layout;
  using accessor_type      = SpaceAwareAccessor<
      Space, std::conditional_t<
                 Traits::memory_traits::is_unmanaged, SeenAccessor,
                 ReferenceCountedAccessor<Element, Space, SeenAccessor>>>;
  using mdspan_type =
      mdspan<Element, extents_type, mdspan_layout_type, accessor_type>;
};

#else

namespace symm::Impl {

/// The address of a legacy View's elements, in the form that Kokkos stores.
template <class T>
class SeenElements {
 public:
  SeenElements() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit SeenElements(T* data) : m_data(data) {}

  KOKKOS_FORCEINLINE_FUNCTION operator T*() const { return m_data; }
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Reference<T> operator[](Index i) const {
    return Reference<T>(m_data[i]);
  }

 private:
  T* m_data = nullptr;
};

}  // namespace symm::Impl

/// Like Kokkos' own specialization, except for the element type. Views with
/// other memory traits have other specializations.
template <class Traits>
requires(symm::Impl::has_seen_views_v<Traits> &&
         !Traits::memory_traits::is_atomic &&
         !Traits::memory_traits::is_restrict &&
         !Traits::memory_traits::is_aligned) struct Kokkos::Impl::
    ViewDataHandle<Traits> {
  using value_type  = typename Traits::value_type;
  using handle_type = symm::Impl::SeenElements<value_type>;
  using return_type = symm::Impl::Reference<value_type>;

  KOKKOS_FORCEINLINE_FUNCTION static handle_type assign(
      value_type* data, Kokkos::Impl::SharedAllocationTracker const&) {
    return handle_type(data);
  }
  KOKKOS_FORCEINLINE_FUNCTION static handle_type assign(value_type* data,
                                                        std::size_t offset) {
    return handle_type(data + offset);
  }
};

#endif
#endif
#endif
