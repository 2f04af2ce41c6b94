// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_KERNELS_HPP
#define SYMM_EXAMPLES_CG_KERNELS_HPP

#include <Kokkos_Core.hpp>
#include <cg_common/matrix.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace cg {

/// A vector's entries of one PE, where its kernels run.
using Vector = Kokkos::View<double*>;

/// A copy of `numbers` where kernels reach it.
template <class T>
Kokkos::View<T*> copy_to_device(std::string const& label,
                                std::vector<T> const& numbers) {
  Kokkos::View<T*> const copy(
      Kokkos::view_alloc(label, Kokkos::WithoutInitializing), numbers.size());
  Kokkos::deep_copy(
      copy, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                numbers.data(), numbers.size()));
  return copy;
}

/// One PE's rows where its kernels run.
struct SparseRows {
  /// \param columns  indices to the vector that the rows are multiplied with.
  SparseRows(Rows const& rows, std::vector<int> const& columns)
      : begin(copy_to_device("row begins", rows.begin)),
        column(copy_to_device("columns", columns)),
        value(copy_to_device("values", rows.value)) {}

  Kokkos::View<std::size_t*> begin;
  Kokkos::View<int*> column;
  Kokkos::View<double*> value;
};

// The kernels work on the entries of one PE: a View in the symmetric space, or
// one with room for more entries than the PE has rows, is an ordinary View
// here. They are enqueued, all in the same queue; those that return a number
// wait for it.

/// y = A p. On a GPU eight lanes share a row, so that they load its entries
/// together.
template <class P>
void multiply(SparseRows const& a, P const& p, Vector const& y) {
  using Policy = Kokkos::TeamPolicy<>;
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                 Vector::memory_space>::accessible;
  constexpr std::size_t rows_of_team = 32;
  std::size_t const n_rows           = y.extent(0);
  Kokkos::parallel_for(
      "cg: multiply",
      Policy(static_cast<int>((n_rows + rows_of_team - 1) / rows_of_team),
             on_host ? 1 : static_cast<int>(rows_of_team), on_host ? 1 : 8),
      KOKKOS_LAMBDA(Policy::member_type const& team) {
        auto const first =
            rows_of_team * static_cast<std::size_t>(team.league_rank());
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, first,
                                    Kokkos::min(first + rows_of_team, n_rows)),
            [&](std::size_t row) {
              double sum = 0;
              Kokkos::parallel_reduce(
                  Kokkos::ThreadVectorRange(team, a.begin(row),
                                            a.begin(row + 1)),
                  [&](std::size_t e, double& s) {
                    s += a.value(e) * p(a.column(e));
                  },
                  sum);
              Kokkos::single(Kokkos::PerThread(team), [&] { y(row) = sum; });
            });
      });
}

/// My part of the dot product x . y.
template <class X>
double dot(X const& x, Vector const& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "cg: dot", y.extent(0),
      KOKKOS_LAMBDA(std::size_t row, double& s) { s += x(row) * y(row); }, sum);
  return sum;
}

/// My part of the dot product r . z, where z = D^-1 r is the preconditioned
/// residual.
inline double preconditioned_dot(Vector const& inverse_diagonal,
                                 Vector const& r) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "cg: preconditioned dot", r.extent(0),
      KOKKOS_LAMBDA(std::size_t row, double& s) {
        s += r(row) * inverse_diagonal(row) * r(row);
      },
      sum);
  return sum;
}

/// A step along the search direction: x += alpha p, r -= alpha A p.
template <class P>
void step(double alpha, P const& p, Vector const& a_p, Vector const& x,
          Vector const& r) {
  Kokkos::parallel_for(
      "cg: step", x.extent(0), KOKKOS_LAMBDA(std::size_t row) {
        x(row) += alpha * p(row);
        r(row) -= alpha * a_p(row);
      });
}

/// The next search direction: p = D^-1 r + beta p; with beta = 0, the first.
template <class P>
void turn(double beta, Vector const& inverse_diagonal, Vector const& r,
          P const& p) {
  Kokkos::parallel_for(
      "cg: turn", r.extent(0), KOKKOS_LAMBDA(std::size_t row) {
        p(row) = inverse_diagonal(row) * r(row) + beta * p(row);
      });
}

/// The first entries of p become those of x.
template <class P>
void copy_entries(Vector const& x, P const& p) {
  Kokkos::parallel_for(
      "cg: copy", x.extent(0),
      KOKKOS_LAMBDA(std::size_t row) { p(row) = x(row); });
}

/// r = b - A x, given A x.
inline void subtract(Vector const& b, Vector const& a_x, Vector const& r) {
  Kokkos::parallel_for(
      "cg: residual", r.extent(0),
      KOKKOS_LAMBDA(std::size_t row) { r(row) = b(row) - a_x(row); });
}

}  // namespace cg

#endif
