// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_KERNELS_HPP
#define SYMM_EXAMPLES_CG_KERNELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cg_common/matrix.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace cg {

/// One PE's entries of a vector, in the memory of its kernels.
using Vector = Kokkos::View<double*>;

/// Whether kernels run on the host.
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                               Vector::memory_space>::accessible;

/// Copies `numbers` to memory that kernels can access.
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

/// One PE's rows, in the memory of its kernels, divided into slices. A slice
/// has one row for each of the GPU threads that run together, so that these
/// threads load contiguous memory at the same time. (This format is called
/// sliced ELLPACK. On the host, each slice is a single row: compressed sparse
/// rows.)
struct SparseRows {
  static constexpr std::size_t rows_of_slice = on_host ? 1 : 32;

  /// \param rows rows with at least one entry each.
  /// \param columns indices into the vector by which the rows are multiplied.
  SparseRows(Rows const& rows, std::vector<int> const& columns) {
    auto const n      = static_cast<std::size_t>(rows.count());
    auto const length = [&](std::size_t row) {
      return rows.begin[row + 1] - rows.begin[row];
    };
    std::vector<std::size_t> begins{0};
    std::vector<int> sliced_columns;
    std::vector<double> sliced_values;
    for (std::size_t first = 0; first < n; first += rows_of_slice) {
      std::size_t const end = std::min(first + rows_of_slice, n);
      std::size_t longest   = 0;
      for (std::size_t row = first; row < end; ++row)
        longest = std::max(longest, length(row));
      std::size_t const start = begins.back();
      begins.push_back(start + longest * rows_of_slice);
      sliced_columns.resize(begins.back());
      sliced_values.resize(begins.back());
      for (std::size_t row = first; row < end; ++row) {
        for (std::size_t k = 0; k < longest; ++k) {
          // A shorter row is padded with zeros. The zeros are multiplied by
          // vector entries that the row needs anyway.
          std::size_t const from =
              rows.begin[row] + std::min(k, length(row) - 1);
          std::size_t const to = start + k * rows_of_slice + row - first;
          sliced_columns[to]   = columns[from];
          sliced_values[to]    = k < length(row) ? rows.value[from] : 0;
        }
      }
    }
    begin  = copy_to_device("slice begins", begins);
    column = copy_to_device("columns", sliced_columns);
    value  = copy_to_device("values", sliced_values);
  }

  Kokkos::View<std::size_t*> begin;  ///< where each slice begins
  Kokkos::View<int*> column;
  Kokkos::View<double*> value;
};

// The following kernels work on one PE's entries. A View in the symmetric
// space, or one with room for more entries than the PE has rows, is just an
// ordinary View here. All kernels are enqueued in the same queue. A function
// that returns a number waits for its kernel.

/// y = A p, with one thread per row.
template <class P>
void multiply(SparseRows const& a, P const& p, Vector const& y) {
  constexpr std::size_t n = SparseRows::rows_of_slice;
  Kokkos::parallel_for(
      "cg: multiply", y.extent(0), KOKKOS_LAMBDA(std::size_t row) {
        std::size_t const end = a.begin(row / n + 1);
        double sum            = 0;
        for (std::size_t e = a.begin(row / n) + row % n; e < end; e += n)
          sum += a.value(e) * p(a.column(e));
        y(row) = sum;
      });
}

/// The two dot products of an iteration, which are summed together.
struct Dots {
  double square    = 0;  ///< r . u, where r is the residual and u = D^-1 r
  double curvature = 0;  ///< u . A u

  KOKKOS_FUNCTION Dots& operator+=(Dots const& other) {
    square += other.square;
    curvature += other.curvature;
    return *this;
  }
  friend KOKKOS_FUNCTION Dots operator+(Dots a, Dots const& b) {
    return a += b;
  }
};

// Where kernels read the sums: the View that holds them, or a copy.
KOKKOS_INLINE_FUNCTION Dots const& value_of(Dots const& dots) { return dots; }
template <class View>
KOKKOS_FUNCTION Dots const& value_of(View const& dots) {
  return dots();
}

/// Computes my part of the dot products into `result`, a View of rank 0. (This
/// is a separate kernel because Kokkos launches reductions with fewer threads,
/// with which a product of 2 million rows takes 1.2 times as long.)
template <class U, class Result>
void dot(Vector const& r, U const& u, Vector const& a_u, Result const& result) {
  Kokkos::parallel_reduce(
      "cg: dot", r.extent(0),
      KOKKOS_LAMBDA(std::size_t row, Dots & sum) {
        sum.square += r(row) * u(row);
        sum.curvature += a_u(row) * u(row);
      },
      result);
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

/// The state of the iteration: numbers that stay where the kernels run.
struct State {
  double square    = Kokkos::Experimental::infinity_v<double>;  ///< |r|^2
  double curvature = 0;   ///< p . A p, where p is the last search direction
  double goal      = 0;   ///< `square` at which the iteration is over
  int iterations   = -1;  ///< iterations done; -1 before the first dot product
  bool is_over     = false;

  /// The state after a product. The dot products in `dots` determine whether
  /// there is another step.
  KOKKOS_FUNCTION State next(Dots const& dots, double tolerance,
                             int max_iterations) const {
    if (is_over) return *this;
    State now = *this;
    if (iterations < 0) now.goal = tolerance * tolerance * dots.square;
    now.iterations = iterations + 1;
    now.square     = dots.square;
    now.curvature =
        dots.curvature - now.beta(*this) * now.beta(*this) * curvature;
    now.is_over = now.square <= now.goal || !(now.curvature > 0) ||
                  now.iterations == max_iterations;
    return now;
  }
  /// The weight of the last search direction in the next one.
  KOKKOS_FUNCTION double beta(State const& last) const {
    return square / last.square;
  }
  /// The length of the step along the search direction.
  KOKKOS_FUNCTION double alpha() const { return square / curvature; }
};

/// My entries of the vectors of an iteration.
struct Vectors {
  Vector inverse_diagonal;
  Vector x;
  Vector r;  ///< b - A x
  Vector p;  ///< the search direction
  Vector a_p;
  Vector a_u;  ///< A u, where u = D^-1 r
};

/// Makes a step unless the iteration is over: p = u + beta p, x += alpha p, r
/// -= alpha A p, u = D^-1 r. The state that follows `last` is stored to `now`.
/// These must be different Views of rank 0, since some threads may still read
/// `last` when others have already written `now`.
template <class U, class Sums, class StateView>
void step(Vectors const& v, U const& u, Sums const& dots, double tolerance,
          int max_iterations, StateView const& last, StateView const& now) {
  using Policy                       = Kokkos::TeamPolicy<>;
  constexpr std::size_t rows_of_team = 1024;
  std::size_t const n_rows           = v.x.extent(0);
  // Even a PE without rows has a state.
  auto const n_teams = 1 + n_rows / rows_of_team;
  Kokkos::parallel_for(
      "cg: step", Policy(static_cast<int>(n_teams), on_host ? 1 : 256),
      KOKKOS_LAMBDA(Policy::member_type const& team) {
        State const before = last();
        State const state =
            before.next(value_of(dots), tolerance, max_iterations);
        if (team.league_rank() == 0)
          Kokkos::single(Kokkos::PerTeam(team), [&] { now() = state; });
        if (state.is_over) return;
        double const alpha = state.alpha();
        double const beta  = state.beta(before);
        auto const first =
            rows_of_team * static_cast<std::size_t>(team.league_rank());
        auto const end = Kokkos::min(first + rows_of_team, n_rows);
        // There are two loops with few vectors each. Compilers for CPUs check
        // at run time whether the vectors overlap; with more vectors in a loop,
        // they do not vectorize it at all. (In both loops, the same thread
        // handles a given row.)
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, end),
                             [&](std::size_t row) {
                               v.p(row) = u(row) + beta * v.p(row);
                               v.x(row) += alpha * v.p(row);
                             });
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, end),
                             [&](std::size_t row) {
                               v.a_p(row) = v.a_u(row) + beta * v.a_p(row);
                               v.r(row) -= alpha * v.a_p(row);
                               u(row) = v.inverse_diagonal(row) * v.r(row);
                             });
      });
}

/// The initial values of an iteration: x = p = A p = 0, r = b, u = D^-1 r.
template <class U>
void begin(Vector const& b, Vectors const& v, U const& u) {
  Kokkos::parallel_for(
      "cg: begin", b.extent(0), KOKKOS_LAMBDA(std::size_t row) {
        v.x(row) = v.p(row) = v.a_p(row) = 0;
        v.r(row)                         = b(row);
        u(row)                           = v.inverse_diagonal(row) * v.r(row);
      });
}

/// Sets the first entries of u to those of x.
template <class U>
void copy_entries(Vector const& x, U const& u) {
  Kokkos::parallel_for(
      "cg: copy", x.extent(0),
      KOKKOS_LAMBDA(std::size_t row) { u(row) = x(row); });
}

/// r = b - A x, given A x.
inline void subtract(Vector const& b, Vector const& a_x, Vector const& r) {
  Kokkos::parallel_for(
      "cg: residual", r.extent(0),
      KOKKOS_LAMBDA(std::size_t row) { r(row) = b(row) - a_x(row); });
}

}  // namespace cg

#endif
