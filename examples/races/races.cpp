// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Two porting bugs, each next to its fix. With one core per PE, the results are
// correct in most runs. See docs/races.md for how to find the bugs.
//
//     mpiexec -n PES races [fill|halo] [mended]

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

using Exec    = Kokkos::DefaultExecutionSpace;
using Numbers = Kokkos::View<double*, symm::SymmetricSpace>;
using Rows =
    Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricHostSpace>;
using Signals = Kokkos::View<symm::Signal*, symm::SymmetricHostSpace>;

// Each PE tells all others how many particles it has for them. Once a View has
// been constructed, it is zero on all PEs, and other PEs may store to it. A PE
// that then fills it with something else may be too late.
bool fill(bool is_mended) {
  Exec const exec;
  int const me    = symm::my_pe();
  int const n_pes = symm::n_pes();
  Numbers const counts("counts", static_cast<std::size_t>(n_pes));
  Kokkos::deep_copy(exec, counts, -1);
  if (is_mended) symm::barrier_all(exec);  // all PEs have filled theirs

  auto const everywhere = symm::remote_view(counts);
  Kokkos::parallel_for(
      "tell all", Kokkos::RangePolicy(exec, 0, n_pes),
      KOKKOS_LAMBDA(int pe) { everywhere(pe, me) = 10.0 * me; });
  symm::barrier_all(exec);

  int wrong = 0;
  Kokkos::parallel_reduce(
      "check counts", Kokkos::RangePolicy(exec, 0, n_pes),
      KOKKOS_LAMBDA(int pe, int& sum) {
        if (counts(pe) != 10.0 * pe) ++sum;
      },
      wrong);
  return wrong == 0;
}

// In each step, each PE puts its row into the right neighbor's ghost row. A
// neighbor that lags behind may still be reading the previous step's row.
bool halo(bool is_mended) {
  constexpr std::size_t columns = 100;
  constexpr std::uint64_t steps = 100;
  int const me                  = symm::my_pe();
  int const n_pes               = symm::n_pes();
  int const right               = (me + 1) % n_pes;
  int const left                = (me + n_pes - 1) % n_pes;

  Rows const ghosts("ghosts", 1, columns);
  Signals const has_come("has_come", 2);  // 0: a row; 1: room for the next one
  Kokkos::View<double*, Kokkos::HostSpace> const row("row", columns);
  bool is_right = true;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    Kokkos::deep_copy(row, static_cast<double>(step) + me);
    if (is_mended)  // the neighbor has read the previous step's row
      symm::wait_until(&has_come(1), symm::Compare::ge, step - 1);
    symm::put_signal(&ghosts(0, 0), row.data(), columns, &has_come(0), step,
                     symm::SignalOp::set, right);

    symm::wait_until(&has_come(0), symm::Compare::ge, step);
    double sum = 0;
    for (std::size_t i = 0; i < columns; ++i) sum += ghosts(0, i);
    is_right = is_right && sum == (static_cast<double>(step) + left) * columns;
    if (is_mended)
      symm::signal_op(&has_come(1), step, symm::SignalOp::set, left);
  }
  symm::barrier_all();
  return is_right;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  std::string_view const bug = argc > 1 ? argv[1] : "fill";
  bool const is_mended = argc > 2 && std::string_view(argv[2]) == "mended";
  bool const is_right  = bug == "halo" ? halo(is_mended) : fill(is_mended);
  std::printf("races: PE %d of %d: %s\n", symm::my_pe(), symm::n_pes(),
              is_right ? "correct" : "WRONG");
  return is_right ? 0 : 1;
}
