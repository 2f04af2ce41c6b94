// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Kernels whose machine code check_machine_code.py reads. The first ones are in
// pairs: the same work through a GlobalView and on a View of this PE.

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace.hpp>

namespace {

using Vector = Kokkos::View<double*, symm::SymmetricSpace>;
using Matrix =
    Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;

}  // namespace

extern "C" __global__ void element_global(symm::GlobalView<Vector> everywhere,
                                          int pe, double const* in) {
  int const i       = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  everywhere(pe, i) = in[i];
}

extern "C" __global__ void element_local(symm::UnmanagedView<Vector> mine,
                                         double const* in) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  mine(i)     = in[i];
}

extern "C" __global__ void row_global(symm::GlobalView<Matrix> everywhere,
                                      int pe, double const* in, int n) {
  int const i = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int j = 0; j < n; ++j) everywhere(pe, i, j) = in[j];
}

extern "C" __global__ void row_local(symm::UnmanagedView<Matrix> mine,
                                     double const* in, int n) {
  int const i = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int j = 0; j < n; ++j) mine(i, j) = in[j];
}

// Another PE for every element: here the translation is in the loop.
extern "C" __global__ void scatter_global(symm::GlobalView<Vector> everywhere,
                                          int const* pes, int const* at,
                                          double const* in, int n) {
#pragma unroll 1
  for (int j = 0; j < n; ++j) everywhere(pes[j], at[j]) = in[j];
}

extern "C" __global__ void scatter_local(symm::UnmanagedView<Vector> mine,
                                         int const* at, double const* in,
                                         int n) {
#pragma unroll 1
  for (int j = 0; j < n; ++j) mine(at[j]) = in[j];
}

// Words that other PEs, and the host, access at the same time.
extern "C" __global__ void words(unsigned long long* to,
                                 unsigned long long const* from) {
  namespace words = symm::Impl::InKernel;
  words::store_relaxed(to, words::load_relaxed(from));
  words::store_release(to + 1, words::load_acquire(from + 1));
  words::fetch_add(to + 2, 1ULL);
}

// Operations that reach PEs of other nodes, too: what they need for that must
// not slow down those on near PEs.
extern "C" __global__ void far_p(symm::HeapMap heap, double* to, int pe) {
  symm::p(heap, to + threadIdx.x, 1.0, pe);
}

extern "C" __global__ void far_add(symm::HeapMap heap, int* to, int pe) {
  symm::atomic_add(heap, to + threadIdx.x, 1, pe);
}

extern "C" __global__ void __launch_bounds__(512)
    far_put(symm::HeapMap heap, double* to, double const* from, std::size_t n,
            std::size_t stride, std::size_t room, int pe, int times) {
  std::size_t at = 0;
  for (int k = 0; k < times; ++k) {
    symm::put(symm::this_block(), heap, to + at, from + at, n, pe);
    at = at + stride < room ? at + stride : 0;
  }
}

extern "C" __global__ void __launch_bounds__(512)
    far_get(symm::HeapMap heap, double* to, double const* from, std::size_t n,
            std::size_t stride, std::size_t room, int pe, int times) {
  std::size_t at = 0;
  for (int k = 0; k < times; ++k) {
    symm::get(symm::this_block(), heap, to + at, from + at, n, pe);
    at = at + stride < room ? at + stride : 0;
  }
}

// Near PEs' part of a collective operation keeps nothing in memory, and blocks
// of 512 threads begin without __launch_bounds__.
struct GroupWork {
  symm::HeapMap heap;
  symm::PeTeam team;
  double* dest;
  double const* source;
  std::size_t count;
};
extern "C" __global__ void group_work(GroupWork work) {
  auto const block = symm::this_block();
  symm::put(block, work.heap, work.dest, work.source, work.count,
            (work.heap.my_pe + 1) % work.heap.n_pes);
  symm::barrier(block, work.team);
  symm::reduce(block, work.heap, work.team, work.dest, work.source, work.count,
               symm::Sum());
}

// Kernels of the library.
void enqueue(symm::SymmetricSpace::execution_space const& exec,
             symm::PeTeam const& team, double* dest, double const* source,
             std::size_t count) {
  symm::reduce(exec, team, dest, source, count, symm::Sum());
  symm::fcollect(exec, team, dest, source, count);
  symm::alltoall(exec, team, dest, source, count);
}
