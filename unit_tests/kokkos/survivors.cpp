// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views that outlive finalize(): reported, and harmless afterwards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using View1 = Kokkos::View<int*, Space>;

/// finalize(), and what it has printed on stderr.
std::string finalize_text() {
  testing::internal::CaptureStderr();
  symm::finalize();
  return testing::internal::GetCapturedStderr();
}

TEST(Survivors,
     are_reported_with_PE_label_and_size_and_can_be_read_and_destroyed) {
  symm::initialize();
  auto const me = symm::my_pe();
  View1 survivor("the survivor", 1000);
  View1 const gone = View1("gone", 10);
  Kokkos::deep_copy(survivor, me + 1);
  EXPECT_THAT(finalize_text(), AllOf(HasSubstr("PE " + std::to_string(me)),
                                     HasSubstr("\"the survivor\" (4000 bytes)"),
                                     HasSubstr("\"gone\"")));
  EXPECT_FALSE(symm::is_initialized());
  EXPECT_EQ(count_equal(survivor, me + 1), 1000U);
  auto copy = survivor;
  survivor  = {};
  copy      = {};
}

TEST(Survivors, that_are_objects_of_the_library_are_one_line_each) {
  symm::initialize();
  auto mailbox   = std::make_unique<symm::Mailbox<int>>("updates", [](int) {});
  auto migration = std::make_unique<symm::Migration>();
  mailbox->send(right(), 3);
  mailbox->finish();
  View1 view("mine", 4);
  migration->migrate(Kokkos::DefaultExecutionSpace(),
                     Kokkos::View<int*>("PEs", 1), view);
  view            = {};
  auto const text = finalize_text();
  EXPECT_THAT(text, HasSubstr("symm::Mailbox \"updates\" is still alive"));
  EXPECT_THAT(text, HasSubstr("symm::Migration is still alive"));
  EXPECT_THAT(text, HasSubstr("destroy it before finalize()"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

TEST(Survivors, on_one_PE_are_reported_there_only) {
  symm::initialize();
  auto const me = symm::my_pe();
  View1 view("kept by PE 0", 10);
  if (me != 0) view = {};
  auto const text = finalize_text();
  if (me == 0) {
    EXPECT_THAT(text, HasSubstr("PE 0: View \"kept by PE 0\""));
  } else {
    EXPECT_THAT(text, Not(HasSubstr("View")));
  }
  view = {};
}

TEST(Survivors, of_collective_deallocation_end_without_a_barrier) {
  symm::initialize();
  View1 view(
      Kokkos::view_alloc("collective", Space(symm::Deallocate::collective)),
      10);
  EXPECT_THAT(finalize_text(), HasSubstr("\"collective\""));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) view = {};
  MPI_Barrier(MPI_COMM_WORLD);
  view = {};
}

TEST(Survivors, are_no_part_of_the_next_heap) {
  symm::initialize();
  View1 survivor("of the first heap", 1000);
  Kokkos::deep_copy(survivor, 5);
  EXPECT_THAT(finalize_text(), HasSubstr("\"of the first heap\""));

  symm::initialize();
  View1 view("of the second heap", 1000);
  symm::barrier_all();
  EXPECT_THAT(message_of<symm::UsageError>(
                  [&] { symm::peer_view(survivor, symm::my_pe()); }),
              HasSubstr("not in this PE's part"));
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  EXPECT_EQ(get(survivor, 999), 5);
  testing::internal::CaptureStderr();
  survivor = {};  // must not be taken for a View of this heap
  EXPECT_EQ(settled().live_blocks, 1U);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
  view = {};
  EXPECT_EQ(finalize_text(), "");
}

TEST(Survivors, are_not_those_that_all_PEs_have_destroyed) {
  symm::initialize();
  {
    std::vector<View1> views;  // more than one call can tell
    for (int i = 0; i < 1000; ++i) views.emplace_back("gone", 10);
  }
  void* const block = symm::malloc(100);  // symm::malloc'ed blocks are no Views
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(finalize_text(), "");
}

}  // namespace
