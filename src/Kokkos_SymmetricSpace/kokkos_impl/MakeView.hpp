// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAKE_VIEW_HPP
#define SYMM_MAKE_VIEW_HPP

#include <Kokkos_Core.hpp>

#include "Version.hpp"

namespace symm::Impl {

/// A View of the memory at `data`, whose allocation record is in `tracker`.
/// \param shape a View with the extents and layout of the result.
template <class View, class Shape>
View view_of_record(Kokkos::Impl::SharedAllocationTracker const& tracker,
                    typename View::pointer_type data, Shape const& shape) {
#if SYMM_KOKKOS_MDSPAN_VIEWS
  return View(typename View::data_handle_type(tracker, data),
              typename View::mapping_type(shape.mapping()));
#else
  using Traits = typename View::traits;
  Kokkos::Impl::ViewMapping<Traits, typename Traits::specialize> mapping;
  mapping.m_impl_offset =
      decltype(mapping.m_impl_offset)(shape.impl_map().m_impl_offset);
  mapping.m_impl_handle = decltype(mapping.m_impl_handle)(data);
  return View(tracker, mapping);
#endif
}

/// A View of the same elements as `view`, but without the Atomic trait.
template <class Plain, class View>
KOKKOS_FUNCTION Plain plain_view_of(View const& view) {
#if SYMM_KOKKOS_MDSPAN_VIEWS
  if constexpr (View::memory_traits::is_atomic) {
    return Plain(view.data(), view.mapping());
  } else {
    return Plain(view);
  }
#else
  return Plain(view);
#endif
}

}  // namespace symm::Impl

#endif
