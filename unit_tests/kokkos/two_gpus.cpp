// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// PEs on different GPUs. A process starts Kokkos once: run one test per
// process.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/mpi_main.hpp>

#include "gpus.hpp"
#include "view_helpers.hpp"

symm_test::Start symm_test::what_to_start() { return Start::nothing; }

namespace {

using namespace symm_test;

class TwoGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (n_gpus() < 2) GTEST_SKIP() << "needs two GPUs, and there is one";
  }
  /// Where PEs that take turns are not, all of them.
  int const m_last = n_gpus() - 1;
};

TEST_F(TwoGpus, PEs_reach_each_others_GPUs) {
  symm::ScopeGuard const guard({});
  EXPECT_FALSE(is_equal_on_all_pes(Kokkos::device_id()));
  expect_all_is_on(symm::my_pe() % (m_last + 1));
}

TEST_F(TwoGpus, an_argument_of_Kokkos_chooses) {
  ArgumentsWith arguments("--kokkos-device-id=" + std::to_string(m_last));
  symm::ScopeGuard const guard(arguments.count, arguments.values);
  EXPECT_EQ(arguments.count, 2);
  expect_all_is_on(m_last);
}

TEST_F(TwoGpus, settings_of_Kokkos_choose) {
  symm::ScopeGuard const guard(
      Kokkos::InitializationSettings().set_device_id(m_last));
  expect_all_is_on(m_last);
}

TEST_F(TwoGpus, a_variable_of_Kokkos_chooses) {
  ::setenv("KOKKOS_DEVICE_ID", std::to_string(m_last).c_str(), 1);
  symm::ScopeGuard const guard({});
  expect_all_is_on(m_last);
}

TEST_F(TwoGpus, a_variable_of_Kokkos_chooses_with_arguments_too) {
  ::setenv("KOKKOS_DEVICE_ID", std::to_string(m_last).c_str(), 1);
  ArgumentsWith arguments("--kokkos-num-threads=1");
  symm::ScopeGuard const guard(arguments.count, arguments.values);
  expect_all_is_on(m_last);
}

TEST_F(TwoGpus, a_Kokkos_that_runs_decides) {
  Kokkos::initialize(Kokkos::InitializationSettings().set_device_id(m_last));
  {
    symm::ScopeGuard const guard({});
    expect_all_is_on(m_last);
  }
  Kokkos::finalize();
}

TEST_F(TwoGpus, PEs_choose_the_other_GPU_than_their_turn) {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (is_initialized == 0) MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int const other = (rank + 1) % (m_last + 1);
  {
    symm::ScopeGuard const guard(
        Kokkos::InitializationSettings().set_device_id(other));
    expect_all_is_on(other);
  }
  MPI_Finalize();
}

// As job managers do it that give every process a GPU of its own.
TEST(OneGpuEach, PEs_reach_GPUs_that_are_hidden_from_them) {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (is_initialized == 0) MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ::setenv(gpu_visible_devices, std::to_string(rank).c_str(), 1);
  int seen = 0;
  if (gpuGetDeviceCount(&seen) != gpuSuccess) seen = 0;
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (seen > 0) {
    symm::ScopeGuard const guard({});
    EXPECT_EQ(Kokkos::device_id(), 0) << "the only one it sees";
    Kokkos::View<int*, SymmetricGpuSpace> const view("v", 1000);
    auto const remote = symm::peer_view(view, right());
    symm::barrier_all();
    fill(remote, symm::my_pe(), right());
    symm::barrier_all();
    EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
  }
  MPI_Finalize();
  if (seen == 0) GTEST_SKIP() << "needs a GPU for every PE";
}

}  // namespace
