// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_VIEW_LISTS_HPP
#define SYMM_EXCHANGE_VIEW_LISTS_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "ExchangeLists.hpp"

// Lists that the program passes as rank-1 Views of integers, in any memory
// space.

namespace symm::Impl {

/// Returns the list in memory that the host can access.
template <class List>
auto list_on_host(List const& list) {
  static_assert(Kokkos::is_view_v<List> && List::rank() == 1 &&
                    std::is_integral_v<typename List::value_type>,
                "a list must be a Kokkos::View of rank 1 of integers");
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list);
}

/// \param list a result of list_on_host(); must outlive the returned object.
template <class List>
Integers integers_of(List const& list) {
  return {list.data(), list.extent(0), list.stride(0)};
}

// Like lists_of_exports() and lists_of_imports(), but for Views. These
// functions throw UsageError or OutOfMemory on this PE.

template <class Ids, class Pes>
ExchangeLists lists_of_export_views(char const* call, std::size_t n_owned,
                                    Ids const& ids, Pes const& pes, int n_pes) {
  auto const its_ids = Impl::list_on_host(ids);
  auto const its_pes = Impl::list_on_host(pes);
  return lists_of_exports(call, n_owned, Impl::integers_of(its_ids),
                          Impl::integers_of(its_pes), n_pes);
}

template <class Indices, class Pes>
ExchangeLists lists_of_import_views(char const* call, std::size_t n_owned,
                                    Indices const& indices, Pes const& pes,
                                    int n_pes) {
  auto const its_indices = Impl::list_on_host(indices);
  auto const its_pes     = Impl::list_on_host(pes);
  return lists_of_imports(call, n_owned, Impl::integers_of(its_indices),
                          Impl::integers_of(its_pes), nullptr, n_pes);
}

template <class Indices, class Pes, class Places>
ExchangeLists lists_of_import_views(char const* call, std::size_t n_owned,
                                    Indices const& indices, Pes const& pes,
                                    Places const& places, int n_pes) {
  auto const its_indices = Impl::list_on_host(indices);
  auto const its_pes     = Impl::list_on_host(pes);
  auto const its_places  = Impl::list_on_host(places);
  auto const to          = Impl::integers_of(its_places);
  return lists_of_imports(call, n_owned, Impl::integers_of(its_indices),
                          Impl::integers_of(its_pes), &to, n_pes);
}

}  // namespace symm::Impl

#endif
