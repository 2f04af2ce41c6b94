// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_CONJUGATE_GRADIENTS_HPP
#define SYMM_EXAMPLES_CG_CONJUGATE_GRADIENTS_HPP

#include <Kokkos_Core.hpp>
#include <cg_common/kernels.hpp>
#include <cg_common/problem.hpp>
#include <cmath>
#include <cstddef>
#include <string>

namespace cg {

/// Conjugate gradients with a Jacobi preconditioner: D is the diagonal of A.
/// The norm of residuals is sqrt(r . D^-1 r), which the iteration has anyway.
///
/// \param p         View that holds my entries of the search direction, the
///                  only vector of which a PE needs entries of other PEs; 0.
/// \param multiply  multiply(y) enqueues y = A p, for my rows.
///
/// Between two changes of p, after multiply(), is a sum over all PEs to which
/// this PE gives a number that it has computed from y. So nobody changes p
/// before all PEs have finished their multiply().
template <class P, class Multiply>
Solution conjugate_gradients(Problem const& problem, P const& p,
                             Multiply const& multiply) {
  auto const& [options, pes, blocks, rows] = problem;

  Vector const d = copy_to_device("1 / diagonal", inverse_diagonal(rows));
  Vector const b = copy_to_device("b", right_hand_side(rows));
  Vector const r = copy_to_device("r", right_hand_side(rows));
  Vector const x("x", b.extent(0));
  Vector const a_p("A p", b.extent(0));

  double const square_of_b = pes.sum(preconditioned_dot(d, r));
  double const goal = options.tolerance * options.tolerance * square_of_b;
  double square     = square_of_b;  // of the residual's norm
  double beta       = 0;

  Solution solution;
  auto progress = problem.progress();
  Kokkos::Timer timer;
  while (square > goal && solution.iterations < options.max_iterations) {
    turn(beta, d, r, p);
    multiply(a_p);
    double const curvature = pes.sum(dot(p, a_p));
    if (!(curvature > 0)) {
      solution.failure = "the matrix is not positive definite: p . A p = " +
                         std::to_string(curvature);
      break;
    }
    step(square / curvature, p, a_p, x, r);
    double const last_square = square;
    square                   = pes.sum(preconditioned_dot(d, r));
    beta                     = square / last_square;
    ++solution.iterations;
    progress.iteration_done(solution.iterations,
                            std::sqrt(square / square_of_b));
  }
  solution.seconds   = timer.seconds();
  solution.converged = square <= goal;

  // The r of the iteration may have drifted away from b - A x.
  copy_entries(x, p);
  multiply(a_p);
  subtract(b, a_p, r);
  solution.residual =
      std::sqrt(pes.sum(preconditioned_dot(d, r)) / square_of_b);

  auto const host_x =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
  solution.x.assign(host_x.data(), host_x.data() + host_x.size());
  return solution;
}

}  // namespace cg

#endif
