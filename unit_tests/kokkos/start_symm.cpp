// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// initialize() and finalize() where the program has started MPI and Kokkos:
// they may come again, on any communicator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/bootstrap/Bootstrap_Mpi.hpp>
#include <support/mpi_main.hpp>
#include <symm_mpi.hpp>

#include "view_helpers.hpp"

symm_test::Start symm_test::what_to_start() { return Start::kokkos; }

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;
using View1 = Kokkos::View<int*, Space>;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// The processes with the same color, as a communicator.
class Group {
 public:
  explicit Group(int color, int key = 0) {
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &m_communicator);
  }
  Group(Group const&)            = delete;
  Group& operator=(Group const&) = delete;
  ~Group() {
    if (m_communicator != MPI_COMM_NULL) MPI_Comm_free(&m_communicator);
  }
  [[nodiscard]] MPI_Comm get() const { return m_communicator; }

 private:
  MPI_Comm m_communicator = MPI_COMM_NULL;
};

/// Every PE writes to the next; what arrives differs between `rounds`.
void expect_ring_works(int round) {
  View1 const view("ring", 1000);
  symm::barrier_all();
  Kokkos::deep_copy(symm::peer_view(view, right()),
                    value(symm::my_pe(), right(), 0) + round);
  symm::barrier_all();
  EXPECT_EQ(get(view, 999), value(left(), symm::my_pe(), 0) + round);
}

void expect_mpi_and_kokkos_run() {
  int is_finalized = 1;
  MPI_Finalized(&is_finalized);
  EXPECT_EQ(is_finalized, 0);
  EXPECT_TRUE(Kokkos::is_initialized());
}

TEST(StartSymm, init_thread_starts_the_runtime_for_any_number_of_threads) {
  EXPECT_THROW(static_cast<void>(symm::query_thread()), symm::UsageError);
  EXPECT_THROW(static_cast<void>(symm::pe_accessible(0)), symm::UsageError);
  EXPECT_THROW(static_cast<void>(symm::addr_accessible(nullptr, 0)),
               symm::UsageError);
  for (auto const level :
       {symm::ThreadLevel::single, symm::ThreadLevel::multiple}) {
    EXPECT_EQ(symm::init_thread(level), symm::ThreadLevel::multiple);
    EXPECT_EQ(symm::query_thread(), symm::ThreadLevel::multiple);
    EXPECT_EQ(symm::n_pes(), world_size());
    symm::finalize();
  }
}

TEST(StartSymm, keeps_the_MPI_and_Kokkos_of_the_program) {
  EXPECT_FALSE(symm::is_initialized());
  symm::initialize();
  EXPECT_TRUE(symm::is_initialized());
  EXPECT_EQ(symm::my_pe(), world_rank());
  EXPECT_EQ(symm::n_pes(), world_size());
  expect_ring_works(0);
  symm::finalize();
  EXPECT_FALSE(symm::is_initialized());
  expect_mpi_and_kokkos_run();
}

TEST(StartSymm, again_after_finalize) {
  for (int round = 1; round <= 5; ++round) {
    symm::ScopeGuard const guard({});
    expect_ring_works(round);
  }
  expect_mpi_and_kokkos_run();
}

TEST(StartSymm, finalize_within_the_life_of_a_ScopeGuard_is_enough) {
  symm::ScopeGuard const guard({});
  expect_ring_works(1);
  symm::finalize();
}

TEST(StartSymm, twice_is_a_UsageError_and_changes_nothing) {
  symm::ScopeGuard const guard({});
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::initialize(); }),
              HasSubstr("already initialized"));
  EXPECT_THROW(symm::ScopeGuard({}), symm::UsageError);
  expect_ring_works(1);
}

TEST(StartSymm, on_a_duplicate_with_the_ranks_reversed) {
  Group const reversed(0, -world_rank());
  symm::ScopeGuard const guard({}, symm::communicator(reversed.get()));
  EXPECT_EQ(symm::my_pe(), world_size() - 1 - world_rank());
  expect_ring_works(0);
}

TEST(StartSymm, on_two_halves_of_the_job_at_the_same_time) {
  int const color = world_rank() % 2;
  Group const half(color);
  symm::ScopeGuard const guard({}, symm::communicator(half.get()));
  EXPECT_EQ(symm::my_pe(), world_rank() / 2);
  EXPECT_EQ(symm::n_pes(), (world_size() + 1 - color) / 2);
  // The heaps have nothing to do with each other: other calls, other sizes.
  for (int round = 0; round < 10 + 20 * color; ++round) {
    View1 const other("other size", static_cast<std::size_t>(100 + color));
    expect_ring_works(1000 * color + round);
  }
}

TEST(StartSymm, on_some_processes_only) {
  bool const is_in = world_rank() != 0 || world_size() == 1;
  Group const some(is_in ? 0 : MPI_UNDEFINED);
  if (is_in) {
    symm::ScopeGuard const guard({}, symm::communicator(some.get()));
    EXPECT_EQ(symm::n_pes(), std::max(1, world_size() - 1));
    expect_ring_works(0);
  }
  EXPECT_FALSE(symm::is_initialized());
}

TEST(StartSymm, a_process_outside_the_communicator_gets_a_UsageError) {
  EXPECT_THAT(message_of<symm::UsageError>([] {
                symm::initialize(Kokkos::InitializationSettings(),
                                 symm::communicator(MPI_COMM_NULL));
              }),
              HasSubstr("MPI_COMM_NULL"));
  EXPECT_FALSE(symm::is_initialized());
  expect_mpi_and_kokkos_run();
}

TEST(StartSymm, the_communicator_may_be_freed_before_finalize) {
  std::optional<Group> all(std::in_place, 0);
  symm::ScopeGuard const guard({}, symm::communicator(all->get()));
  all.reset();
  expect_ring_works(1);
}

TEST(StartSymm, junk_in_a_variable_is_a_UsageError_and_can_be_corrected) {
  ::setenv("SYMM_SYMMETRIC_SIZE", "12Q", 1);
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::initialize(); }),
              AllOf(HasSubstr("SYMM_SYMMETRIC_SIZE=12Q"), HasSubstr("PE 0")));
  EXPECT_FALSE(symm::is_initialized());
  ::setenv("SYMM_SYMMETRIC_SIZE", "12M", 1);
  {
    symm::ScopeGuard const guard({});
    EXPECT_GE(symm::heap_stats().mapped_bytes, 12U << 20U);
  }
  ::unsetenv("SYMM_SYMMETRIC_SIZE");
  expect_mpi_and_kokkos_run();
}

TEST(StartSymm, use_after_finalize_is_a_UsageError_that_names_the_call) {
  symm::initialize();
  symm::finalize();
  auto const says = [](char const* call) {
    return AllOf(
        HasSubstr(call),
        HasSubstr("called after symm::finalize(); a symm::ScopeGuard"));
  };
  EXPECT_THAT(message_of<symm::UsageError>([] { View1("late", 3); }),
              says("allocation of a View in a symmetric space"));
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::barrier_all(); }),
              says("symm::barrier_all"));
  EXPECT_THAT(
      message_of<symm::UsageError>([] { static_cast<void>(symm::my_pe()); }),
      says("symm::my_pe"));
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::peer_view(View1(), 0); }),
              says("symm::peer_view"));
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::global_view(View1()); }),
              says("symm::global_view"));
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::finalize(); }),
              says("symm::finalize"));
  EXPECT_EQ(symm::malloc(100), nullptr);
  EXPECT_THAT(symm::last_error(), says("symm::malloc"));
}

TEST(StartSymm, an_exception_on_all_PEs_unwinds_the_guard_and_its_Views) {
  for (int round = 0; round < 3; ++round) {
    try {
      symm::ScopeGuard const guard({});
      View1 const view("unwound", 1000);
      expect_ring_works(round);
      throw std::runtime_error("of the program");
    } catch (std::runtime_error const& error) {
      EXPECT_STREQ(error.what(), "of the program");
    }
    EXPECT_FALSE(symm::is_initialized());
  }
  expect_mpi_and_kokkos_run();
}

TEST(StartSymm, no_step_of_MPI_follows_one_that_has_failed) {
  auto const pes  = symm::Impl::start_by_mpi().make_pes({});
  auto& bootstrap = *pes.bootstrap;
  int number      = 1;
  EXPECT_EQ(bootstrap.min(number), 1);
  EXPECT_THAT(message_of<symm::SystemError>([&] {
                bootstrap.broadcast(&number, sizeof number, world_size());
              }),
              HasSubstr("MPI_Ibcast failed"));
  EXPECT_THAT(message_of<symm::SystemError>([&] { bootstrap.barrier(); }),
              HasSubstr("MPI_Ibcast failed"));
  bootstrap.close();
}

TEST(StartSymm, finalize_here_and_a_barrier_there_is_a_UsageError_on_all) {
  symm::initialize();
  if (world_size() > 1) {
    EXPECT_THAT(message_of<symm::UsageError>([] {
                  if (symm::my_pe() == 0) {
                    symm::finalize();
                  } else {
                    symm::barrier_all();
                  }
                }),
                AllOf(HasSubstr("PE 0 called symm::finalize("),
                      HasSubstr("called symm::barrier_all()")));
  }
  EXPECT_TRUE(symm::is_initialized());
  expect_ring_works(7);
  symm::finalize();
}

}  // namespace
