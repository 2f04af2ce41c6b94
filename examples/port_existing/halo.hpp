// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PORT_EXISTING_HALO_HPP
#define SYMM_EXAMPLES_PORT_EXISTING_HALO_HPP

// See docs/porting_an_application.md: in this program, only this header uses
// the library. Without APP_WITH_SYMM, the program uses just Kokkos and MPI.

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <vector>
#ifdef APP_WITH_SYMM
#include <Kokkos_SymmetricContainers.hpp>
#else
#include <mpi.h>
#endif

namespace app {

using Exec = Kokkos::DefaultExecutionSpace;
// Columns are contiguous. Columns 1 to `own` are this rank's; columns 0 and own
// + 1 are copies of its neighbors' columns.
using Field = Kokkos::View<double**, Kokkos::LayoutLeft>;

#ifdef APP_WITH_SYMM

using Guard = symm::ScopeGuard;  // also initializes Kokkos

class Halo {
 public:
  Halo(std::size_t rows, std::size_t own) {
    symm::BoxDecomposition box;
    box.owned   = {rows - 2, own};  // the first and last rows are boundary
    box.pe_grid = {1, symm::n_pes(), 1};
    m_plan =
        std::make_shared<symm::ExchangePlan>(symm::ExchangePlan::from_box(box));
  }
  void exchange(Exec const& exec, std::vector<Field> const& fields) const {
    m_plan->gather(exec, fields);
  }

 private:
  std::shared_ptr<symm::ExchangePlan> m_plan;  // shared by all copies of a Halo
};

#else

using Guard = Kokkos::ScopeGuard;

class Halo {
 public:
  Halo(std::size_t rows, std::size_t own) : m_rows(rows), m_own(own) {
    int me = 0, n = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    m_left  = me > 0 ? me - 1 : MPI_PROC_NULL;
    m_right = me + 1 < n ? me + 1 : MPI_PROC_NULL;
  }
  void exchange(Exec const& exec, std::vector<Field> const& fields) const {
    exec.fence();
    for (Field const& u : fields) {
      swap(u, 1, m_left, m_own + 1, m_right);
      swap(u, m_own, m_right, 0, m_left);
    }
  }

 private:
  // On GPUs, MPI must be GPU-aware.
  void swap(Field const& u, std::size_t sent, int to, std::size_t filled,
            int from) const {
    int const count = static_cast<int>(m_rows);
    MPI_Sendrecv(u.data() + sent * m_rows, count, MPI_DOUBLE, to, 0,
                 u.data() + filled * m_rows, count, MPI_DOUBLE, from, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  std::size_t m_rows, m_own;
  int m_left, m_right;
};

#endif

}  // namespace app

#endif
