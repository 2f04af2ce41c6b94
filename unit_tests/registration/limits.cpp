// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Registration in heaps with a limit, and in static ones.

#include <heap/heap_with.hpp>

#include <registration/registration_test.hpp>

namespace {

using namespace symm_test;

TEST(RegistrationLimits, R11_a_static_heap_takes_no_memory_of_the_program) {
  HeapWith const heap(
      Variables{{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", "16M"}});
  Registrable memory(granule);
  expect_failure(
      [&] {
        return symm::buffer_register_symmetric(memory.data(), granule, 0);
      },
      {"static heap (SYMM_STATIC_HEAP)"});
}

TEST(RegistrationLimits, R13_no_addresses_are_left) {
  HeapWith const heap(Variables{{"SYMM_HEAP_LIMIT", "16M"}});
  Registrable memory(3 * granule);
  Registrable other(3 * granule);
  Registrable rest(2 * granule);
  auto* const at_memory = registered(memory);
  auto* const at_other  = registered(other);
  EXPECT_EQ(symm::buffer_register_symmetric(memory.data() + 1, granule, 0),
            nullptr);
  {
    // Of the eight granules six are taken by addresses, one by the heap.
    auto* const block = malloc_bytes(1000);
    EXPECT_EQ(symm::buffer_register_symmetric(rest.data(), rest.bytes(), 0),
              nullptr);
    EXPECT_THAT(symm::last_error(),
                testing::AllOf(testing::HasSubstr("no room on any PE"),
                               testing::HasSubstr("SYMM_HEAP_LIMIT")));
    EXPECT_EQ(symm::malloc(2 * granule), nullptr);
    symm::free(block);
  }
  unregister(at_other, other.bytes());
  auto* const at_rest = registered(rest);
  expect_all_reach_all(at_rest, rest.bytes());
  expect_all_reach_all(at_memory, memory.bytes());
  unregister(at_memory, memory.bytes());
  unregister(at_rest, rest.bytes());
}

TEST(RegistrationLimits, R14_memory_of_the_program_alone_will_do) {
  HeapWith const heap(Variables{{"SYMM_HEAP_LIMIT", "4M"}});
  Registrable memory(2 * granule);
  auto* const address = registered(memory);
  EXPECT_EQ(symm::heap_stats().mapped_bytes, 0U);
  expect_all_reach_all(address, memory.bytes());
  unregister(address, memory.bytes());
}

TEST(RegistrationLimits, views_that_outlive_finalize_are_reported) {
  Kokkos::View<char*, OrdinarySpace> own;
  symm::RegisteredView<Kokkos::View<char*, OrdinarySpace>> view;
  testing::internal::CaptureStderr();
  {
    HeapWith const heap(Variables{});
    own  = symm::make_registrable_view<char*, OrdinarySpace>("own", 1000);
    view = symm::register_symmetric_view(own);
    set_bytes(view.data(), 7, 1000);
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(testing::HasSubstr("View \"own\" (registered"),
                             testing::HasSubstr("View \"own\" (registrable")));
  EXPECT_EQ(difference_from(7, view.data(), 1000), no_difference);
  EXPECT_EQ(difference_from(7, own.data(), 1000), no_difference);
  view = {};
  own  = {};
}

TEST(RegistrationLimits, B15_buffers_end_with_finalize) {
  std::vector<char> memory(1000);
  for (int i = 0; i < 3; ++i) {
    HeapWith const heap(Variables{});
    EXPECT_EQ(symm::buffer_register(memory.data(), 1000),
              symm::Status::success);
  }
}

TEST(RegistrationLimits, B14_R13_outside_of_initialize_and_finalize) {
  { HeapWith const heap(Variables{}); }
  std::vector<char> memory(1000);
  expect_invalid([&] { return symm::buffer_register(memory.data(), 1000); },
                 {"symm::buffer_register: called after symm::finalize()"});
  expect_invalid([&] { return symm::buffer_unregister(memory.data()); }, {});
  EXPECT_EQ(symm::buffer_register_symmetric(memory.data(), granule, 0),
            nullptr);
  expect_invalid(
      [&] { return symm::buffer_unregister_symmetric(memory.data(), 1000); },
      {"called after symm::finalize()"});
}

}  // namespace
