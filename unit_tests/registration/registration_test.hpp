// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_REGISTRATION_TEST_HPP
#define SYMM_TEST_REGISTRATION_TEST_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <heap/heap_test.hpp>

namespace symm_test {

// What tests of registration share; the rest is that of the tests of the heap.

/// The ordinary space of the memory that symm::malloc() gives.
using OrdinarySpace = Kokkos::DefaultExecutionSpace::memory_space;

/// The granularity of registered memory.
constexpr std::size_t granule = 2 * mib;

/// Private memory of this PE that can be registered, for a scope.
class Registrable {
 public:
  explicit Registrable(std::size_t bytes)
      : m_view(symm::make_registrable_view<char*, OrdinarySpace>("registrable",
                                                                 bytes)) {}

  [[nodiscard]] char* data() const { return m_view.data(); }
  [[nodiscard]] std::size_t bytes() const { return m_view.extent(0); }
  /// Frees the memory.
  void reset() { m_view = {}; }

 private:
  Kokkos::View<char*, OrdinarySpace> m_view;
};

/// Collective: registers memory, which must work.
inline char* registered(Registrable const& memory) {
  auto* const address = static_cast<char*>(
      symm::buffer_register_symmetric(memory.data(), memory.bytes(), 0));
  EXPECT_NE(address, nullptr) << symm::last_error();
  return address;
}

/// Collective: ends it, which must work.
inline void unregister(void* address, std::size_t bytes) {
  EXPECT_EQ(symm::buffer_unregister_symmetric(address, bytes),
            symm::Status::success)
      << symm::last_error();
}

/// The call fails with invalid_value, and last_error() has all the words.
template <class Call>
void expect_invalid(Call const& call, Words words) {
  EXPECT_EQ(call(), symm::Status::invalid_value);
  for (auto const& word : words) {
    EXPECT_THAT(symm::last_error(), testing::HasSubstr(word));
  }
}

/// Collective: every PE fills its own stripe of every PE's copy of the block,
/// and finds everybody's in its own.
inline void expect_all_reach_all(char* block, std::size_t bytes,
                                 unsigned salt = 0) {
  auto const n_pes  = static_cast<std::size_t>(symm::n_pes());
  auto const me     = symm::my_pe();
  auto const stripe = bytes / n_pes;
  auto const start  = [&](symm::Pe pe) {
    return static_cast<std::size_t>(pe) * stripe;
  };
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    auto* const theirs = symm::ptr(block, pe);
    EXPECT_NE(theirs, nullptr) << symm::last_error();
    if (theirs != nullptr) fill(theirs + start(me), stripe, {me, pe, salt});
  }
  symm::barrier_all();
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(difference(block + start(pe), stripe, {pe, me, salt}),
              no_difference)
        << "from " << pe_text(pe);
  }
  symm::barrier_all();
}

}  // namespace symm_test

#endif
