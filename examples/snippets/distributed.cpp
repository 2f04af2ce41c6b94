// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The snippets in docs/ about symm::DistributedView.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstdio>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

// Each PE has two columns of a field, except PE 0, which has three. Returns the
// number of wrong values on PE 0, which gets all of them.
int write_field() {
  Exec const exec;
  int const me = symm::my_pe(), rows = 5, n_y = 2 * symm::n_pes() + 1;
  int const columns = me == 0 ? 3 : 2, y_0 = me == 0 ? 0 : 2 * me + 1;
  int const x_0 = 0, n_x = rows;
  Kokkos::View<double**, Kokkos::LayoutRight> const h("h", rows, columns);
  Kokkos::deep_copy(h, me);
  // [field_on_one
  // h(i, j) on this PE is element (x_0 + i, y_0 + j) of an n_x * n_y field.
  using Whole =
      Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;
  symm::DistributedView<Whole> const g("whole", n_x, n_y);  // once; collective
  Kokkos::parallel_for(
      "to the whole",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0},
                                                   {rows, columns}),
      KOKKOS_LAMBDA(int i, int j) { g(x_0 + i, y_0 + j) = h(i, j); });
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const on_one(
      "whole", me == 0 ? n_x : 0, n_y);
  symm::gather(on_one, g, 0);
  // field_on_one]
  int wrong = 0;
  for (int i = 0; i < on_one.extent_int(0); ++i)
    for (int j = 0; j < n_y; ++j)
      wrong += on_one(i, j) == (j == 0 ? 0 : (j - 1) / 2) ? 0 : 1;
  return wrong;
}

int solve() {
  Exec const exec;
  int const n = 1000;
  // [distributed
  // n elements over all PEs, in blocks.
  symm::DistributedView<Kokkos::View<double*, symm::SymmetricSpace>> const g(
      "g", n);

  auto const mine = g.local();  // this PE's elements, an ordinary View
  Kokkos::parallel_for(
      "set", Kokkos::RangePolicy<Exec>(exec, 0, mine.extent_int(0)),
      KOKKOS_LAMBDA(int k) {
        mine(k) = static_cast<double>(g.global_index(k));
      });
  symm::barrier(exec, symm::team_world());

  double sum = 0;  // any elements, by global index
  Kokkos::parallel_reduce(
      "look", Kokkos::RangePolicy<Exec>(exec, 0, 10),
      KOKKOS_LAMBDA(int i, double& x) { x += g(i * 7919 % n); }, sum);
  // distributed]
  double expected = 0;
  for (int i = 0; i < 10; ++i) expected += i * 7919 % n;
  int failures = sum == expected ? 0 : 1;

  // [distributed_copies
  bool const is_root = symm::my_pe() == 0;
  Kokkos::View<double*, Kokkos::HostSpace> const on_root("whole",
                                                         is_root ? n : 0);
  symm::gather(on_root, g, 0);   // PE 0 gets all elements,
  symm::scatter(g, on_root, 0);  // and distributes them again

  Kokkos::View<double*, Kokkos::HostSpace> const whole("whole", n);
  Kokkos::deep_copy(whole, g);  // every PE gets all
  // distributed_copies]
  for (int i = 0; i < n; ++i) failures += whole(i) == i ? 0 : 1;

  // [distributions
  using Rows =
      Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;
  symm::DistributedView<Rows> const a("a", n, 3);                // blocks
  symm::DistributedView<Rows, symm::Cyclic> const b("b", n, 3);  // round-robin
  symm::DistributedView<Rows, symm::BlockCyclic> const c(
      "c", symm::BlockCyclic(64), n, 3);  // blocks of 64 rows, round-robin
  // distributions]
  failures += b.owner(1) == 1 % symm::n_pes() ? 0 : 1;
  failures += c.owner(64) == 1 % symm::n_pes() ? 0 : 1;
  failures += a.first() == 0 || symm::my_pe() > 0 ? 0 : 1;
  failures += write_field();
  int const all = symm::reduce(symm::team_world(), failures, symm::Sum{});
  if (symm::my_pe() == 0)
    std::printf("distributed: %s\n", all == 0 ? "correct" : "WRONG");
  return all == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  return solve();
}
