// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// PE teams when the library starts, ends and waits too long.

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>

#include <heap/heap_with.hpp>

#include "team_helpers.hpp"

#ifndef __CUDACC__  // which takes a global operator for one of kernels, too

namespace {

/// Whether this thread has no private memory left.
thread_local bool s_is_new_failing = false;

}  // namespace

// GCC would compare inlined ones with the delete of others.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  auto* const memory = s_is_new_failing ? nullptr : std::malloc(bytes | 1U);
  return memory != nullptr ? memory : throw std::bad_alloc();
}
// Under a sanitizer the library's would not be ours, and ours deletes.
[[gnu::noinline]] void* operator new(std::size_t bytes,
                                     std::nothrow_t const&) noexcept {
  return s_is_new_failing ? nullptr : std::malloc(bytes | 1U);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#endif

namespace {

using namespace symm_test;
using symm::PeTeam;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(PeTeamsFromStartToEnd, teams_that_live_at_finalize_end_there) {
  PeTeam old;
  PeTeam old_world;
  for (int round = 0; round < 3; ++round) {
    HeapWith const heap_with(Variables{});
    // A team of another heap is as one destroyed, before and after its slot
    // has a new one.
    auto const expect_destroyed = [](PeTeam const& team) {
      EXPECT_THAT(message_of<symm::UsageError>([&] { symm::barrier(team); }),
                  HasSubstr("the team has been destroyed"));
    };
    if (round > 0) expect_destroyed(old);
    Mail mail;
    PeTeam team;
    for (int i = 0; i < n_free_teams; ++i) {
      team = symm::team_split(symm::team_world(), i % 2, symm::my_pe());
      EXPECT_EQ(mail.count_wrong(team), 0);
    }
    if (round > 0) expect_destroyed(old);
    if (round > 0) expect_destroyed(old_world);
    old       = team;
    old_world = symm::team_world();
  }
  auto const expect_unusable = [](auto const& call) {
    EXPECT_THAT(message_of<symm::UsageError>(call),
                HasSubstr("called after symm::finalize()"));
  };
  expect_unusable([&] { symm::barrier(old); });
  expect_unusable([&] { symm::team_destroy(old); });
  expect_unusable([&] { static_cast<void>(symm::team_split(old, 0, 0)); });
  expect_unusable([] { static_cast<void>(symm::team_world()); });
  expect_unusable([] { static_cast<void>(symm::team_node()); });
}

TEST(PeTeamsFromStartToEnd, who_is_late_to_a_barrier_is_reported) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "0.15"}});
  auto backwards = symm::team_split(symm::team_world(), 0, -symm::my_pe());
  int const late = backwards.n_pes() - 1;
  std::string members;
  for (int pe = late; pe >= 0; --pe) {
    members += std::to_string(pe) + (pe == 0 ? "" : ", ");
  }
  symm::barrier(backwards);
  testing::internal::CaptureStderr();
  if (backwards.my_pe() == late) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  symm::barrier(backwards);
  auto const report = testing::internal::GetCapturedStderr();
  if (backwards.my_pe() == late) {
    EXPECT_EQ(report, "");
  } else {
    EXPECT_THAT(
        report,
        AllOf(HasSubstr("PE " + std::to_string(symm::my_pe()) + " has waited"),
              HasSubstr("in symm::barrier of the PE team of PEs " + members +
                        " (this PE is member " +
                        std::to_string(backwards.my_pe()) +
                        ") for\n  PE 0, whose last collective call was #"),
              Not(HasSubstr("PE 1,")), HasSubstr("SYMM_TIMEOUT")));
  }
  symm::team_destroy(backwards);
}

#ifndef __CUDACC__
TEST(PeTeamsFromStartToEnd, who_has_no_memory_left_waits_and_reports_as_well) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "0.15"}});
  auto const world = symm::team_world();
  int const late   = world.n_pes() - 1;
  testing::internal::CaptureStderr();
  if (world.my_pe() == late) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  s_is_new_failing    = true;
  bool has_left_early = false;
  try {
    symm::barrier(world);
  } catch (std::bad_alloc const&) {
    has_left_early = true;
  }
  s_is_new_failing  = false;
  auto const report = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(has_left_early);
  EXPECT_EQ(report.find("has waited") != std::string::npos,
            world.my_pe() != late);
}
#endif

}  // namespace
