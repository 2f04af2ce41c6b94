// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Many cycles of registration leave nothing behind.

#include <cstddef>
#include <type_traits>
#include <vector>

#include <registration/registration_test.hpp>
#include <support/ProcessResources.hpp>

namespace {

using namespace symm_test;

/// What this process holds, and where in the heap's addresses.
struct Holdings {
  std::size_t descriptors = n_open_descriptors();
  std::size_t memories    = n_memfd_mappings("symm");
  std::size_t mappings    = n_mappings_in(
         heap().map().base,
         heap().map().stride* static_cast<std::size_t>(symm::n_pes()));
  friend bool operator==(Holdings const&, Holdings const&) = default;
};

/// A GPU's driver takes some 5 ms to map memory on all PEs and to unmap it.
constexpr int n_cycles =
    std::is_same_v<OrdinarySpace, Kokkos::HostSpace> ? 3'000 : 300;

/// Runs the cycle 20 times, and then until there were n_cycles.
template <class Cycle>
void expect_nothing_leaks(Cycle const& cycle) {
  for (int i = 0; i < 20; ++i) cycle(i);
  auto const before = heap_state();
  Holdings const holdings;
  for (int i = 20; i < n_cycles && !testing::Test::HasFailure(); ++i) cycle(i);
  EXPECT_EQ(heap_state(), before);
  EXPECT_TRUE(Holdings() == holdings);
}

TEST(RegistrationCycles, R16_symmetric_buffers_leak_nothing) {
  std::vector<Registrable> memories;
  for (std::size_t i = 1; i < 4; ++i) memories.emplace_back(i * granule);
  expect_nothing_leaks([&](int i) {
    auto const& memory = memories[static_cast<std::size_t>(i) % 3];
    auto* const address =
        symm::buffer_register_symmetric(memory.data(), memory.bytes(), 0);
    EXPECT_NE(address, nullptr) << symm::last_error();
    unregister(address, memory.bytes());
  });
}

TEST(RegistrationCycles, R16_Views_and_their_memory_leak_nothing) {
  expect_nothing_leaks([](int i) {
    auto const own =
        symm::make_registrable_view<char*, OrdinarySpace>("u", 1000);
    auto view = symm::register_symmetric_view(own);
    view      = {};
    if (i % 10 == 9) symm::free(malloc_bytes(8));
  });
}

TEST(RegistrationCycles, R16_R17_refused_buffers_leak_nothing) {
  Registrable const memory(granule);
  std::vector<char> wrong(granule);
  expect_nothing_leaks([&](int i) {
    bool const is_odd = i % symm::n_pes() == symm::my_pe();
    EXPECT_EQ(symm::buffer_register_symmetric(
                  is_odd ? wrong.data() : memory.data(), granule, 0),
              nullptr);
  });
}

TEST(RegistrationCycles, B15_local_buffers_leak_nothing) {
  std::vector<char> memory(100'000);
  expect_nothing_leaks([&](int i) {
    auto* const at = memory.data() + i % 1000;
    EXPECT_EQ(symm::buffer_register(at, 5000), symm::Status::success);
    EXPECT_EQ(symm::buffer_register(at + 5000, 100), symm::Status::success);
    EXPECT_EQ(symm::buffer_unregister(at), symm::Status::success);
    symm::buffer_unregister_all();
  });
}

}  // namespace
