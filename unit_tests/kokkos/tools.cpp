// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Kokkos Tools see every allocation and its end.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
namespace Tools = Kokkos::Tools::Experimental;

struct Event {
  std::string what;
  std::string space;
  std::string label;
  void const* address;
  std::uint64_t bytes;

  friend bool operator==(Event const&, Event const&) = default;
};

std::vector<Event> s_events;

/// Records the events of this space for as long as it lives.
class Recorder {
 public:
  Recorder() {
    s_events.clear();
    Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle space,
                                         char const* label, void const* address,
                                         std::uint64_t bytes) {
      record({"allocate", space.name, label, address, bytes});
    });
    Tools::set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle space, char const* label,
           void const* address, std::uint64_t bytes) {
          record({"deallocate", space.name, label, address, bytes});
        });
  }
  Recorder(Recorder const&)            = delete;
  Recorder& operator=(Recorder const&) = delete;
  ~Recorder() {
    Tools::set_allocate_data_callback(nullptr);
    Tools::set_deallocate_data_callback(nullptr);
  }

 private:
  static void record(Event const& event) {
    if (event.space == Space::name()) s_events.push_back(event);
  }
};

TEST(Tools, see_a_View_with_space_label_and_bytes) {
  Recorder const recorder;
  void const* header = nullptr;
  {
    Kokkos::View<double**, Space> const view("temperature", 10, 3);
    ASSERT_EQ(s_events.size(), 1U);
    header = s_events[0].address;
    EXPECT_EQ(s_events[0], (Event{"allocate", Space::name(), "temperature",
                                  header, 10 * 3 * sizeof(double)}));
    EXPECT_TRUE(symm::Impl::heap_map_of(view, "test").contains(header));
    auto const copy = view;
    EXPECT_EQ(s_events.size(), 1U);
  }
  ASSERT_EQ(s_events.size(), 2U);
  EXPECT_EQ(s_events[1], (Event{"deallocate", Space::name(), "temperature",
                                header, 10 * 3 * sizeof(double)}));
}

TEST(Tools, see_kokkos_malloc_and_views_with_an_execution_space) {
  Recorder const recorder;
  void* const block = Kokkos::kokkos_malloc<Space>("block", 1000);
  Kokkos::kokkos_free<Space>(block);
  {
    Kokkos::View<int*, Space> const view(
        Kokkos::view_alloc(Space::execution_space(), "v"), 6);
  }
  ASSERT_EQ(s_events.size(), 4U);
  EXPECT_EQ(s_events[0].label, "block");
  EXPECT_EQ(s_events[0].bytes, 1000U);
  EXPECT_EQ(s_events[1].what, "deallocate");
  EXPECT_EQ(s_events[1].bytes, 1000U);
  EXPECT_EQ(s_events[2].bytes, 6 * sizeof(int));
  EXPECT_EQ(s_events[3].address, s_events[2].address);
}

TEST(Tools, see_the_end_of_a_collectively_deallocated_View) {
  Recorder const recorder;
  {
    Kokkos::View<int*, Space> const view(
        Kokkos::view_alloc("v", Space(symm::Deallocate::collective)), 5);
  }
  ASSERT_EQ(s_events.size(), 2U);
  EXPECT_EQ(s_events[1].what, "deallocate");
}

TEST(Tools, see_no_allocation_that_failed) {
  Recorder const recorder;
  EXPECT_THROW((Kokkos::View<char*, Space>("huge", std::size_t{1} << 50U)),
               symm::OutOfMemory);
  EXPECT_TRUE(s_events.empty());
}

}  // namespace
