// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_ACCESS_HPP
#define SYMM_PERF_ACCESS_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>

namespace perf {

// A common notation for elements, whatever they are in: kernels that are
// compared are the same template, instantiated with two of these.

template <class T>
struct Plain {
  T* first;
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(std::size_t i) const {
    return first[i];
  }
};

/// Elements in a View: the PE's own, a private one, or a peer_view.
template <class View>
struct InView {
  View view;
  template <class... Indices>
  KOKKOS_FORCEINLINE_FUNCTION auto& operator()(Indices... indices) const {
    return view(indices...);
  }
};

/// Elements in PE `pe`'s copy, through a global_view.
template <class Global>
struct OnPe {
  Global view;
  int pe;
  template <class... Indices>
  KOKKOS_FORCEINLINE_FUNCTION auto& operator()(Indices... indices) const {
    return view(pe, indices...);
  }
};

template <class T, class... Properties>
[[nodiscard]] auto on_pe(Kokkos::View<T, Properties...> const& view, int pe) {
  auto const everywhere = symm::global_view(view);
  return OnPe<std::remove_const_t<decltype(everywhere)>>{everywhere, pe};
}

}  // namespace perf

#endif
