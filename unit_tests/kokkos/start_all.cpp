// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// initialize() where MPI or Kokkos or both are not started yet, which a process
// can do once: run one test per process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/mpi_main.hpp>

#include "view_helpers.hpp"

symm_test::Start symm_test::what_to_start() { return Start::nothing; }

namespace {

using namespace symm_test;
using testing::HasSubstr;
using View1 = Kokkos::View<int*, Space>;

/// Whether the two are running now.
struct Running {
  bool mpi                                               = false;
  bool kokkos                                            = false;
  friend bool operator==(Running const&, Running const&) = default;
};

Running running() {
  int is_initialized = 0;
  int is_finalized   = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  return {is_initialized != 0 && is_finalized == 0, Kokkos::is_initialized()};
}

constexpr Running both{true, true};
constexpr Running none{};

void expect_ring_works() {
  EXPECT_EQ(running(), both);
  View1 const view("ring", 1000);
  symm::barrier_all();
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
}

/// Arguments of a main().
struct Arguments {
  std::string program   = "program";
  std::string of_kokkos = "--kokkos-num-threads=1";
  std::string own       = "--own";
  char* values[4] = {program.data(), of_kokkos.data(), own.data(), nullptr};
  int count       = 3;
};

// Without Kokkos, what a View begins with would end the program.
void expect_registration_is_refused() {
  EXPECT_THAT(message_of<symm::UsageError>(
                  [] { return symm::make_registrable_view<int*>("u", 10); }),
              HasSubstr("symm::make_registrable_view: called "));
  EXPECT_THAT(message_of<symm::UsageError>([] {
                return symm::register_symmetric_view(Kokkos::View<int*>());
              }),
              HasSubstr("symm::register_symmetric_view: called "));
}

TEST(StartAll, Views_are_registered_between_the_begin_and_the_end_only) {
  Arguments arguments;
  expect_registration_is_refused();
  { symm::ScopeGuard const guard(arguments.count, arguments.values); }
  EXPECT_TRUE(Kokkos::is_finalized());
  expect_registration_is_refused();
}

TEST(StartAll, a_ScopeGuard_starts_and_ends_MPI_and_Kokkos) {
  Arguments arguments;
  {
    symm::ScopeGuard const guard(arguments.count, arguments.values);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT_EQ(symm::n_pes(), size);
    expect_ring_works();
  }
  EXPECT_EQ(running(), none);
  EXPECT_TRUE(Kokkos::is_finalized());
  EXPECT_EQ(arguments.count, 2) << "Kokkos has not taken its option";
  EXPECT_STREQ(arguments.values[1], "--own");
  EXPECT_EQ(arguments.values[2], nullptr) << "as argv[argc] is";
}

TEST(StartAll, initialize_and_finalize_start_and_end_MPI_and_Kokkos) {
  Arguments arguments;
  symm::initialize(arguments.count, arguments.values);
  expect_ring_works();
  symm::finalize();
  EXPECT_EQ(running(), none);
}

TEST(StartAll, settings_take_the_place_of_arguments) {
  {
    symm::ScopeGuard const guard(
        Kokkos::InitializationSettings().set_num_threads(1));
    expect_ring_works();
  }
  EXPECT_EQ(running(), none);
}

TEST(StartAll, Kokkos_only_when_the_program_has_started_MPI) {
  MPI_Init(nullptr, nullptr);
  {
    symm::ScopeGuard const guard({});
    expect_ring_works();
  }
  EXPECT_EQ(running(), (Running{true, false}));
  MPI_Finalize();
}

TEST(StartAll, MPI_only_when_the_program_has_started_Kokkos) {
  Kokkos::initialize();
  {
    symm::ScopeGuard const guard({});
    expect_ring_works();
  }
  EXPECT_EQ(running(), (Running{false, true}));
  Kokkos::finalize();
}

TEST(StartAll, a_failure_ends_what_was_started) {
  ::setenv("SYMM_STATIC_HEAP", "perhaps", 1);
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::initialize(); }),
              HasSubstr("SYMM_STATIC_HEAP=perhaps"));
  EXPECT_EQ(running(), none);
  EXPECT_FALSE(symm::is_initialized());
}

TEST(StartAll, after_the_end_of_MPI_is_a_UsageError) {
  { symm::ScopeGuard const guard({}); }
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::initialize(); }),
              HasSubstr("MPI is finalized"));
}

TEST(StartAll, after_the_end_of_Kokkos_is_a_UsageError) {
  MPI_Init(nullptr, nullptr);
  { symm::ScopeGuard const guard({}); }
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::initialize(); }),
              HasSubstr("Kokkos has been finalized"));
  EXPECT_EQ(running(), (Running{true, false}));
  MPI_Finalize();
}

TEST(StartAll, finalize_after_the_program_has_ended_MPI_works) {
  MPI_Init(nullptr, nullptr);
  symm::initialize();
  expect_ring_works();
  MPI_Finalize();
  symm::finalize();
  EXPECT_EQ(running(), none);
}

TEST(StartAll, finalize_after_the_program_has_ended_what_was_started_works) {
  symm::initialize();
  expect_ring_works();
  Kokkos::finalize();
  MPI_Finalize();
  symm::finalize();
  EXPECT_EQ(running(), none);
}

TEST(StartAll, use_before_it_is_a_UsageError) {
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::barrier_all(); }),
              HasSubstr("called before symm::initialize()"));
  EXPECT_THAT(message_of<symm::UsageError>([] { symm::finalize(); }),
              HasSubstr("called before symm::initialize()"));
  Kokkos::ScopeGuard const kokkos;
  EXPECT_THAT(message_of<symm::UsageError>([] { View1("early", 3); }),
              HasSubstr("called before symm::initialize()"));
  View1 const empty;  // no memory, no heap needed
  EXPECT_EQ(empty.size(), 0U);
}

TEST(StartAll, an_exception_on_all_PEs_unwinds_to_main) {
  EXPECT_EQ(message_of<std::runtime_error>([] {
              symm::ScopeGuard const guard({});
              View1 const view("unwound", 1000);
              expect_ring_works();
              throw std::runtime_error("of the program");
            }),
            "of the program");
  EXPECT_EQ(running(), none);
}

}  // namespace
