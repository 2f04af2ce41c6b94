// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The 7-point stencil of a heat solver, written with global_view(pe, i, j, k)
// against the same kernel written with an ordinary local View. Both read and
// write the same kind of memory; the ratio is what the fourth index costs.
//
// Two shapes: one element per call of the functor (MDRangePolicy), and loops
// over j and k inside the functor, which the compiler can vectorise and where
// bad address arithmetic would show most. All PEs compute at the same time.

#include <Kokkos_SymmetricSpace.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/Session.hpp"

namespace perf::stencil_benchmark {
namespace {

using Field = Kokkos::View<double***, symm::SymmetricSpace>;
using Index = int;
using Box   = Kokkos::MDRangePolicy<Field::execution_space, Kokkos::Rank<3>,
                                  Kokkos::IndexType<Index>>;
using Interval =
    Kokkos::RangePolicy<Field::execution_space, Kokkos::IndexType<Index>>;

/// Element access without and with a PE.
template <class View>
struct Local {
  View view;
  KOKKOS_FUNCTION double& operator()(Index i, Index j, Index k) const {
    return view(i, j, k);
  }
};

template <class Global>
struct OnPe {
  Global view;
  int pe;
  KOKKOS_FUNCTION double& operator()(Index i, Index j, Index k) const {
    return view(pe, i, j, k);
  }
};

template <class In, class Out>
struct Stencil {
  In in;
  Out out;
  Index edge;  ///< of the interior; the ghost layer is around it

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    constexpr double rate = 0.1;
    out(i, j, k)          = in(i, j, k) +
                   rate * (in(i - 1, j, k) + in(i + 1, j, k) + in(i, j - 1, k) +
                           in(i, j + 1, k) + in(i, j, k - 1) + in(i, j, k + 1) -
                           6 * in(i, j, k));
  }

  KOKKOS_FUNCTION void operator()(Index i) const {
    for (Index j = 1; j <= edge; ++j)
      for (Index k = 1; k <= edge; ++k) (*this)(i, j, k);
  }
};

template <class In, class Out>
std::function<void(std::int64_t)> element_by_element(In in, Out out,
                                                     Index edge) {
  return [=](std::int64_t iterations) {
    for (std::int64_t n = 0; n < iterations; ++n)
      Kokkos::parallel_for("stencil",
                           Box({1, 1, 1}, {edge + 1, edge + 1, edge + 1}),
                           Stencil<In, Out>{in, out, edge});
    Kokkos::fence();
  };
}

template <class In, class Out>
std::function<void(std::int64_t)> plane_by_plane(In in, Out out, Index edge) {
  return [=](std::int64_t iterations) {
    for (std::int64_t n = 0; n < iterations; ++n)
      Kokkos::parallel_for("stencil", Interval(1, edge + 1),
                           Stencil<In, Out>{in, out, edge});
    Kokkos::fence();
  };
}

std::int64_t count_differences(Field const& a, Field const& b) {
  Kokkos::HostSpace const host;
  auto const a_here      = Kokkos::create_mirror_view_and_copy(host, a);
  auto const b_here      = Kokkos::create_mirror_view_and_copy(host, b);
  std::int64_t different = 0;
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j)
      for (std::size_t k = 0; k < a.extent(2); ++k)
        different += a_here(i, j, k) != b_here(i, j, k) ? 1 : 0;
  // Nothing has been computed at all?
  return different + (a_here(1, 1, 1) == 0.0 ? 1 : 0);
}

void measure_edge(Session& session, Index edge) {
  auto const extent = static_cast<std::size_t>(edge) + 2;
  Field const in("in", extent, extent, extent);
  Field const local_out("local out", extent, extent, extent);
  Field const global_out("global out", extent, extent, extent);
  auto const in_here = Kokkos::create_mirror_view(Kokkos::HostSpace{}, in);
  for (std::size_t i = 0; i < in.size(); ++i)
    in_here.data()[i] = std::sin(static_cast<double>(i) + session.my_pe());
  Kokkos::deep_copy(in, in_here);

  int const me = session.my_pe();
  Local<Field> const local_source{in};
  Local<Field> const local_target{local_out};
  auto const global_in       = symm::global_view(in);
  auto const global_out_view = symm::global_view(global_out);
  using Global               = std::remove_cv_t<decltype(global_in)>;
  OnPe<Global> const source{global_in, me};
  OnPe<Global> const target{global_out_view, me};

  std::vector<Contestant> contestants{
      {"MDRange, local View", "",
       element_by_element(local_source, local_target, edge)},
      {"MDRange, global_view", "MDRange, local View",
       element_by_element(source, target, edge)}};
  if (session.gpus().count == 0) {  // one thread per plane is not for GPUs
    contestants.push_back({"inner loops, local View", "",
                           plane_by_plane(local_source, local_target, edge)});
    contestants.push_back({"inner loops, global_view",
                           "inner loops, local View",
                           plane_by_plane(source, target, edge)});
  }
  session.compare({{{"edge", edge}}}, contestants);
  session.verify("stencil results, edge " + std::to_string(edge),
                 count_differences(local_out, global_out));
}

void measure(Session& session) {
  std::vector<Index> edges{16, 32, 64, 128};
  if (session.gpus().count > 0) edges = {64, 128, 256};
  if (session.quick()) edges = {32};
  for (Index const edge : edges) measure_edge(session, edge);
}

Registered const registered{"stencil", measure};

}  // namespace
}  // namespace perf::stencil_benchmark
