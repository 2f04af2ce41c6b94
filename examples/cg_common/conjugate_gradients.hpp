// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_CONJUGATE_GRADIENTS_HPP
#define SYMM_EXAMPLES_CG_CONJUGATE_GRADIENTS_HPP

#include <Kokkos_Core.hpp>
#include <cg_common/kernels.hpp>
#include <cg_common/problem.hpp>
#include <cmath>
#include <common/recording.hpp>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace cg {

/// The number of iterations between two checks of the residual by the host. If
/// kernels run on the host, a check costs nothing. A GPU, however, is idle for
/// some ten microseconds during a check. Also, it computes up to look_every - 1
/// unneeded products after the last iteration. With 40 to 80 iterations of 50
/// us each, values of 4 to 6 cost least. (The state no longer changes once the
/// iteration is over, so the number of iterations and x are exact.)
inline constexpr int look_every = on_host ? 1 : 4;

#ifdef KOKKOS_ENABLE_CUDA
/// Iterations as CUDA graphs. The GPU iterates on its own until the iteration
/// is over, and the host only waits. If CUDA does not support such loops
/// (before 12.4), or does not support this work in a loop, the host launches
/// several iterations at a time.
class RecordedIterations {
 public:
  /// \param two_iterations enqueues two iterations. Their kernels must already
  ///        be loaded.
  template <class TwoIterations>
  RecordedIterations(Kokkos::Cuda const& exec,
                     TwoIterations const& two_iterations, bool const* is_over)
      : m_graph(record(exec, two_iterations, is_over)) {}

  /// Enqueues all remaining iterations, or several of them.
  void launch() const { m_graph.launch(); }

 private:
  template <class TwoIterations>
  static examples::Recording record(Kokkos::Cuda const& exec,
                                    TwoIterations const& two_iterations,
                                    bool const* is_over) {
    try {
      return examples::Recording::of_loop(exec, two_iterations, is_over);
    } catch (std::exception const&) {
      return examples::Recording::of(exec, [&] {
        for (int n = 0; n < look_every; ++n) two_iterations();
      });
    }
  }

  examples::Recording m_graph;
};
#endif

/// Conjugate gradients with a Jacobi preconditioner (D is the diagonal of A) in
/// the form of Chronopoulos and Gear (1989): both dot products of an iteration
/// are available after a single matrix-vector product, so one reduction adds
/// both up over the PEs. The norm of a residual is sqrt(r . D^-1 r), which the
/// iteration computes anyway. All work is enqueued; scalars stay where the
/// kernels run.
///
/// \param u a View with my entries of D^-1 r. This is the only vector of which
///        a PE needs other PEs' entries.
/// \param dots a View of rank 0 that kernels write.
/// \param a         my rows.
/// \param exchange exchange() enqueues the exchange that copies entries from
///        other PEs to u.
/// \param add_up add_up(dots) adds up over all PEs and returns the sums: `dots`
///        itself if kernels find them there, otherwise a copy. In the first
///        case, exchange() and add_up() must only enqueue, so that iterations
///        can be recorded on a GPU.
///
/// Between two changes of u, there is an add_up(). Each PE contributes numbers
/// that it has computed from A u. So no PE changes u before all PEs have
/// multiplied.
template <class U, class DotsView, class Exchange, class AddUp>
Solution conjugate_gradients(Problem const& problem, SparseRows const& a,
                             U const& u, DotsView const& dots,
                             Exchange const& exchange, AddUp const& add_up) {
  auto const& options = problem.options;
  auto const& rows    = problem.rows;

  Vector const b    = copy_to_device("b", right_hand_side(rows));
  auto const vector = [&](char const* name) {
    return Vector(std::string(name), b.extent(0));
  };
  Vectors const v{copy_to_device("1 / diagonal", inverse_diagonal(rows)),
                  vector("x"),
                  vector("r"),
                  vector("p"),
                  vector("A p"),
                  vector("A u")};

  using StateView = Kokkos::View<State>;
  StateView last("state before");
  StateView now("state");
  auto const seen = Kokkos::create_mirror_view(now);

  auto const iterate = [&] {
    exchange();
    multiply(a, u, v.a_u);
    dot(v.r, u, v.a_u, dots);
    std::swap(last, now);
    step(v, u, add_up(dots), options.tolerance, options.max_iterations, last,
         now);
  };
// The race detector waits for each kernel, but kernels that are being recorded
// do not run.
#if defined(KOKKOS_ENABLE_CUDA) && !defined(SYMM_CHECK)
  constexpr bool is_recorded = std::is_same_v<decltype(add_up(dots)), DotsView>;
  std::optional<RecordedIterations> recorded;
#endif

  Solution solution;
  State state;
  // Only the last solve is timed: during the first one, GPUs load kernels, and
  // PEs make contact for the first time.
  for (int solve = 0; solve < options.solves; ++solve) {
    begin(b, v, u);
    Kokkos::deep_copy(now, State());
    Kokkos::fence("cg: begin");
    state           = State();
    auto progress   = problem.progress();
    auto const look = [&] {
      Kokkos::deep_copy(seen, now);
      state = seen();
      progress.iteration_done(
          state.iterations,
          options.tolerance * std::sqrt(state.square / state.goal));
    };
    Kokkos::Timer timer;
#if defined(KOKKOS_ENABLE_CUDA) && !defined(SYMM_CHECK)
    if constexpr (is_recorded) {
      auto const two_iterations = [&] {
        iterate();
        iterate();
      };
      if (!recorded) {
        two_iterations();
        recorded.emplace(Kokkos::Cuda(), two_iterations, &now.data()->is_over);
      }
      do {
        recorded->launch();
        look();
      } while (!state.is_over);
    }
#endif
    for (int n = 1; !state.is_over; ++n) {
      iterate();
      if (n % look_every == 0) look();
    }
    solution.seconds = timer.seconds();
  }
  solution.iterations = state.iterations;
  solution.converged  = state.square <= state.goal;
  if (!solution.converged && !(state.curvature > 0))
    solution.failure = "the matrix is not positive definite: p . A p = " +
                       std::to_string(state.curvature);

  // The iteration's r may have drifted away from b - A x.
  copy_entries(v.x, u);
  exchange();
  multiply(a, u, v.a_u);
  subtract(b, v.a_u, v.r);
  double const square_of_b =
      state.goal / (options.tolerance * options.tolerance);
  solution.residual =
      std::sqrt(problem.pes.sum(preconditioned_dot(v.inverse_diagonal, v.r)) /
                square_of_b);

  auto const host_x =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, v.x);
  solution.x.assign(host_x.data(), host_x.data() + host_x.size());
  return solution;
}

}  // namespace cg

#endif
