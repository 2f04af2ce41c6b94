// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Every PE gets an element of the next PE by a plan, and tells PE 0 its number.

#include <Kokkos_SymmetricContainers.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  symm::ScopeGuard guard(argc, argv);
  int const me    = symm::my_pe();
  int const n_pes = symm::n_pes();
  int const next  = (me + 1) % n_pes;

  Kokkos::View<int*, Kokkos::HostSpace> indices("indices", 1);
  Kokkos::View<int*, Kokkos::HostSpace> pes("pes", 1);
  pes(0)    = next;
  auto plan = symm::ExchangePlan::from_imports(1, indices, pes);
  Kokkos::View<int*> numbers("numbers", 1 + plan.n_ghosts());
  Kokkos::deep_copy(Kokkos::subview(numbers, 0), 10 * me);
  plan.gather(Kokkos::DefaultExecutionSpace(), numbers);
  int ghost = 0;
  Kokkos::deep_copy(ghost, Kokkos::subview(numbers, 1));

  int sum = 0;
  symm::Mailbox<int> mailbox("numbers", [&](int number) { sum += number; });
  mailbox.send(0, me);
  mailbox.finish();

  bool const is_right =
      ghost == 10 * next && sum == (me == 0 ? n_pes * (n_pes - 1) / 2 : 0);
  std::printf("PE %d: containers: %s\n", me, is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
