// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Which GPU a PE takes. A process starts Kokkos once: run one test per process.
// What can only be told where there are two GPUs is in two_gpus.cpp.

#include <gtest/gtest.h>
#include <mpi.h>
#include <symm_mpi.hpp>

#include <Kokkos_Core.hpp>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/mpi_main.hpp>

#include "gpus.hpp"
#include "view_helpers.hpp"

symm_test::Start symm_test::what_to_start() { return Start::nothing; }

namespace {

using namespace symm_test;

TEST(StartGpu, PEs_of_a_node_take_its_GPUs_in_turn) {
  auto const count = n_gpus();
  symm::ScopeGuard const guard({});
  EXPECT_EQ(Kokkos::num_devices(), count);
  expect_all_is_on(symm::my_pe() % count);
}

TEST(StartGpu, PEs_take_GPUs_in_turn_with_arguments_which_stay_as_they_are) {
  auto const count = n_gpus();
  ArgumentsWith arguments("--kokkos-num-threads=1");
  symm::ScopeGuard const guard(arguments.count, arguments.values);
  EXPECT_EQ(arguments.count, 2) << "the option of Kokkos is left, or ours is";
  EXPECT_STREQ(arguments.values[1], "--own");
  expect_all_is_on(symm::my_pe() % count);
}

TEST(StartGpu, PEs_of_a_communicator_take_GPUs_in_its_order) {
  auto const count = n_gpus();
  MPI_Init(nullptr, nullptr);
  {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    symm::ScopeGuard const guard(Kokkos::InitializationSettings(),
                                 symm::communicator(reversed));
    MPI_Comm_free(&reversed);
    EXPECT_EQ(Kokkos::device_id(), symm::my_pe() % count);
    Kokkos::View<int*, SymmetricGpuSpace> const view("v", 10);
    EXPECT_EQ(gpu_of(view.data()), symm::my_pe() % count);
  }
  MPI_Finalize();
}

TEST(StartGpu, a_Kokkos_that_runs_decides) {
  auto const last = n_gpus() - 1;
  Kokkos::initialize(Kokkos::InitializationSettings().set_device_id(last));
  {
    symm::ScopeGuard const guard({});
    expect_all_is_on(last);
  }
  Kokkos::finalize();
}

}  // namespace
