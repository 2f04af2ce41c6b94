// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The PEs form a ring. Each PE writes to the View of its right neighbor, both
// element by element in a kernel and with a single deep_copy, and checks what
// its left neighbor wrote to its own View. If the neighbor is on another node,
// the same lines of code send messages.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>

namespace {

using Exec  = Kokkos::DefaultExecutionSpace;
using Inbox = Kokkos::View<double*, symm::SymmetricSpace>;

// The value differs for every sender and element.
KOKKOS_INLINE_FUNCTION double value(int from, int i) {
  return 1000.0 * from + i;
}

int count_wrong(Inbox const& inbox, int from) {
  int wrong = 0;
  Kokkos::parallel_reduce(
      "check", Kokkos::RangePolicy<Exec>(0, inbox.extent_int(0)),
      KOKKOS_LAMBDA(int i, int& sum) {
        if (inbox(i) != value(from, i)) ++sum;
      },
      wrong);
  return wrong;
}

// Returns the number of wrong elements.
int run() {
  constexpr int count = 1000;
  Exec const exec;
  int const me    = symm::my_pe();
  int const n_pes = symm::n_pes();
  int const right = (me + 1) % n_pes;
  int const left  = (me + n_pes - 1) % n_pes;

  Inbox by_element("by_element", count);
  Inbox by_copy("by_copy", count);

  auto const everywhere = symm::remote_view(by_element);
  Kokkos::parallel_for(
      "put", Kokkos::RangePolicy(exec, 0, count),
      KOKKOS_LAMBDA(int i) { everywhere(right, i) = value(me, i); });

  Kokkos::View<double*> outbox("outbox", count);
  Kokkos::parallel_for(
      "fill outbox", Kokkos::RangePolicy(exec, 0, count),
      KOKKOS_LAMBDA(int i) { outbox(i) = value(me, i); });
  Kokkos::deep_copy(exec, symm::remote_view(by_copy).peer(right), outbox);

  symm::barrier_all(exec);  // all PEs' values have arrived

  int const wrong = count_wrong(by_element, left) + count_wrong(by_copy, left);
  std::printf("PE %d of %d: %d values from PE %d, %d wrong\n", me, n_pes,
              2 * count, left, wrong);
  return wrong;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  return run() == 0 ? 0 : 1;
}
