// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_RUN_KERNEL_HPP
#define SYMM_BASE_RUN_KERNEL_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>

namespace symm::Impl {

template <class Exec>
auto range(Exec const& exec, std::size_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, n);
}

/// Calls work(i) for all i < n; in ascending order if `exec` runs kernels on a
/// single host thread.
template <class Exec, class Work>
void run(Exec const& exec, char const* call, std::size_t n, Work const& work) {
  if constexpr (runs_on_host_v<Exec>) {
    // Starting a Kokkos kernel takes longer than a small exchange.
    if (exec.concurrency() == 1) {
      for (std::size_t i = 0; i < n; ++i) work(i);
      return;
    }
  }
  if (n > 0) Kokkos::parallel_for(call, range(exec, n), work);
}

/// Like run(), but with shorter gaps between successive kernels on a GPU.
template <class Exec, class Work>
void run_in_chain(Exec const& exec, char const* call, std::size_t n,
                  Work const& work) {
  if constexpr (runs_on_host_v<Exec>) {
    Impl::run(exec, call, n, work);
  } else {
    enqueue_for_each(exec, call, n, work);
  }
}

}  // namespace symm::Impl

#endif
