// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_WAIT_HELPERS_HPP
#define SYMM_TEST_WAIT_HELPERS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/gpu.hpp>
#include <support/kernels.hpp>
#include <support/peer_memory.hpp>
#include <support/pes.hpp>

/// Tests of PEs that wait for each other. Their bodies are functors that run as
/// one thread, on the host or in a kernel.
namespace symm_test {

using SpaceExec = Space::execution_space;

using Execs = ExecsThatReach<Space>;

template <class Exec>
inline constexpr bool is_host_exec =
    std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;

/// Whether threads of `Exec` on several processors can add to one number in
/// this memory. (GPUs cannot in the host's, through PCI Express.)
template <class Exec>
bool are_adds_atomic() {
#ifdef SYMM_TEST_GPU
  if constexpr (is_on_host<Space> && !is_host_exec<Exec>) {
#ifdef KOKKOS_ENABLE_CUDA
    int is_native = 0;
    EXPECT_EQ(
        cudaDeviceGetAttribute(&is_native, cudaDevAttrHostNativeAtomicSupported,
                               Exec().cuda_device()),
        cudaSuccess);
    return is_native != 0;
#else
    return false;  // HIP does not tell
#endif
  }
#endif
  return true;
}

/// Turns of PEs: each takes milliseconds if they take turns on a GPU, and some
/// ten microseconds between nodes. SYMM_TEST_TURNS is another number of them,
/// for a longer run.
template <class Exec>
int turns(int on_host) {
  if (auto const* const its = std::getenv("SYMM_TEST_TURNS")) {
    return std::stoi(its);
  }
  if (!is_host_exec<Exec> && symm::team_world().has_gates())
    return std::min(on_host, 8);
  return are_all_near() ? on_host : std::max(on_host / 20, 4);
}

/// Rounds of steps of the host, fewer between nodes, too.
inline int rounds_of_all(int on_host) {
  int const n = rounds(on_host);
  return are_all_near() ? n : std::max(n / 20, 4);
}

template <class T>
using Array = Kokkos::View<T*, Space>;

/// What a body finds wrong.
using Errors = Kokkos::View<int, Space>;

/// Runs `body`, whose member `errors` counts; the count.
template <class Exec, class Body>
int count_errors(Body const& body) {
  run<Exec>(body);
  return get(body.errors);
}

}  // namespace symm_test

#endif
