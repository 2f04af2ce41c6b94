// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Molecular dynamics of Lennard-Jones atoms in a periodic box. Compare it with
// ../molecules_mpi/molecules_mpi.cpp, which does the same with MPI messages.
// The two differ in how atoms move to other PEs, how a PE gets the positions of
// its ghosts, and how the forces on ghosts get back to the owners.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <molecules_common/solve.hpp>
#include <utility>

namespace {

using molecules::Atoms;
using molecules::Exec;
using molecules::Vector;

void sum_over_pes(std::uint64_t* words, int count) {
  for (int n = 0; n < count; ++n)
    words[n] = symm::reduce(symm::team_world(), words[n], symm::Sum{});
}

// Shifts ghosts from their owners' positions to the periodic images next to
// this PE's box.
void shift_ghosts(Exec const& exec, Atoms const& atoms,
                  Kokkos::View<Vector const*> const& shifts) {
  int const n = atoms.n_owned;
  Kokkos::parallel_for(
      "molecules: shift", Kokkos::RangePolicy<Exec>(exec, 0, atoms.n_ghosts),
      KOKKOS_LAMBDA(int k) {
        for (int axis = 0; axis < 3; ++axis)
          atoms.x(n + k, axis) += shifts(k)[axis];
      });
}

class Exchange {
 public:
  Exchange(molecules::Decomposition const&, int) {}

  void migrate(Exec const& exec, Kokkos::View<int*> const& owners,
               Atoms& atoms) {
    atoms.n_owned = static_cast<int>(
        m_migration.migrate(exec, owners, atoms.x, atoms.v, atoms.id));
  }

  void make_ghosts(Exec const& exec, molecules::Exports const& exports,
                   Atoms& atoms) {
    std::pair const all(0, exports.n);
    auto const pes = Kokkos::subview(exports.pes, all);
    m_plan         = symm::ExchangePlan::from_exports(
                static_cast<std::size_t>(atoms.n_owned),
                Kokkos::subview(exports.atoms, all), pes);
    m_shifts =
        m_plan.tell_ghosts(exec, pes, Kokkos::subview(exports.shifts, all));
    atoms.n_ghosts = static_cast<int>(m_plan.n_ghosts());
    atoms.make_room(atoms.n_all());
    gather(exec, atoms);
  }

  void gather(Exec const& exec, Atoms const& atoms) {
    m_plan.gather(exec, atoms.x);
    shift_ghosts(exec, atoms, m_shifts);
  }

  void scatter(Exec const& exec, Atoms const& atoms) {
    m_plan.scatter(exec, symm::Sum{}, atoms.kicks);
  }

 private:
  symm::Migration m_migration;
  symm::ExchangePlan m_plan;
  Kokkos::View<Vector const*> m_shifts;
};

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return molecules::run(argc, argv,
                          {symm::my_pe(), symm::n_pes(), sum_over_pes},
                          molecules::solve<Exchange>);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "molecules: %s\n", error.what());
    return 1;
  }
}
