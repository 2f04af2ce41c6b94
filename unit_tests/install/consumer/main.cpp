// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Every PE writes its number into the View of the next PE, and adds to a sum on
// PE 0.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  symm::ScopeGuard guard(argc, argv);
  int const me    = symm::my_pe();
  int const n_pes = symm::n_pes();

  Kokkos::View<int*, symm::SymmetricSpace> numbers("numbers", 10);
  auto next = symm::peer_view(numbers, (me + 1) % n_pes);
  symm::barrier_all();
  Kokkos::deep_copy(next, me);
  Kokkos::fence();
  symm::barrier_all();

  int const previous = (me + n_pes - 1) % n_pes;
  int wrong          = 0;
  Kokkos::parallel_reduce(
      numbers.extent_int(0),
      KOKKOS_LAMBDA(int i, int& count) { count += numbers(i) != previous; },
      wrong);
  if (wrong != 0) std::printf("PE %d: %d wrong values\n", me, wrong);

  // The elements of an Atomic View are the library's, of each kind of Views
  // that Kokkos can be built with.
  constexpr int n_times = 100'000;
  using Plain           = Kokkos::View<int*, symm::SymmetricSpace>;
  using Sums            = Kokkos::View<int*, symm::SymmetricSpace,
                            Kokkos::MemoryTraits<Kokkos::Atomic>>;
  Sums sums("sums", 2);
  auto of_first = symm::peer_view(sums, 0);
  symm::barrier_all();
  Kokkos::parallel_for(
      n_times, KOKKOS_LAMBDA(int) { of_first(0) += 1; });
  Kokkos::fence();
  symm::barrier_all();
  Kokkos::parallel_for(
      1, KOKKOS_LAMBDA(int) { sums(1) = sums(0); });
  auto const copy =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Plain(sums));
  int const expected = me == 0 ? n_pes * n_times : 0;
  bool const is_sum  = copy(0) == expected && copy(1) == expected;
  if (!is_sum) std::printf("PE %d: sums %d, %d\n", me, copy(0), copy(1));
  return wrong == 0 && is_sum ? 0 : 1;
}
