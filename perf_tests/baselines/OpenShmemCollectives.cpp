// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/OpenShmemCollectives.hpp"

#include <shmem.h>

#include <algorithm>

#include "baselines/OpenShmem.hpp"

namespace perf::openshmem {
namespace {

constexpr std::size_t sync_size =
    std::max({SHMEM_BCAST_SYNC_SIZE, SHMEM_COLLECT_SYNC_SIZE,
              SHMEM_REDUCE_SYNC_SIZE, SHMEM_ALLTOALL_SYNC_SIZE});

}  // namespace

Collectives::Collectives(std::size_t max_count)
    : m_work(static_cast<double*>(
          allocate(sizeof(double) *
                   std::max<std::size_t>(max_count / 2 + 1,
                                         SHMEM_REDUCE_MIN_WRKDATA_SIZE)))),
      m_sync(static_cast<long*>(allocate(sizeof(long) * 2 * sync_size))),
      m_n_pes(shmem_n_pes()) {
  std::fill_n(m_sync, 2 * sync_size, SHMEM_SYNC_VALUE);
  barrier();
}

Collectives::~Collectives() {
  barrier();
  deallocate(m_sync);
  deallocate(m_work);
}

long* Collectives::next_sync() {
  m_is_odd = !m_is_odd;
  return m_is_odd ? m_sync + sync_size : m_sync;
}

void Collectives::broadcast(double* dest, double const* source,
                            std::size_t count, int root) {
  shmem_broadcast64(dest, source, count, root, 0, 0, m_n_pes, next_sync());
}

void Collectives::fcollect(double* dest, double const* source,
                           std::size_t count) {
  shmem_fcollect64(dest, source, count, 0, 0, m_n_pes, next_sync());
}

void Collectives::alltoall(double* dest, double const* source,
                           std::size_t count) {
  shmem_alltoall64(dest, source, count, 0, 0, m_n_pes, next_sync());
}

void Collectives::sum(double* dest, double const* source, std::size_t count) {
  shmem_double_sum_to_all(dest, source, static_cast<int>(count), 0, 0, m_n_pes,
                          m_work, next_sync());
}

}  // namespace perf::openshmem
