// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_OPEN_SHMEM_COLLECTIVES_HPP
#define SYMM_PERF_OPEN_SHMEM_COLLECTIVES_HPP

#include <cstddef>

/// OpenSHMEM's collective operations of all PEs, as in version 1.4, which Open
/// MPI implements. See OpenShmem.hpp.
namespace perf::openshmem {

/// The symmetric arrays that the operations use to synchronize, allocated once,
/// as programs do. Every call is collective.
class Collectives {
 public:
  /// \param max_count  the largest count of sum().
  /// \throws std::bad_alloc
  explicit Collectives(std::size_t max_count);
  ~Collectives();
  Collectives(Collectives const&)            = delete;
  Collectives& operator=(Collectives const&) = delete;

  /// shmem_broadcast64; leaves the root's `dest` unchanged.
  void broadcast(double* dest, double const* source, std::size_t count,
                 int root);
  /// shmem_fcollect64.
  void fcollect(double* dest, double const* source, std::size_t count);
  /// shmem_alltoall64.
  void alltoall(double* dest, double const* source, std::size_t count);
  /// shmem_double_sum_to_all.
  void sum(double* dest, double const* source, std::size_t count);

 private:
  /// A pSync array. It differs from that of the previous call, which some PE
  /// may still be in.
  [[nodiscard]] long* next_sync();

  double* m_work = nullptr;
  long* m_sync   = nullptr;
  bool m_is_odd  = false;
  int m_n_pes    = 0;
};

}  // namespace perf::openshmem

#endif
