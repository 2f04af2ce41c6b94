// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What goes wrong in the construction of a View is an exception on every PE,
// whose text has labels, PEs and sizes; the heap stays usable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/memory/HostMemory.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::view_alloc;
using Kokkos::WithoutInitializing;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using View1 = Kokkos::View<int*, Space>;

/// Host memory that kernels reach is taken when it is created, not on touch.
#ifdef SYMM_TEST_GPU
constexpr bool is_pinned_host_memory = is_on_host<Space>;
#else
constexpr bool is_pinned_host_memory = false;
#endif

/// Collective, by MPI: the same on all PEs.
std::size_t max_available_host_memory() {
  auto const all = gather(
      symm::Impl::available_host_memory(symm::Impl::HostMemoryUse::pinned));
  return *std::max_element(all.begin(), all.end());
}

class ViewErrors : public testing::Test {
 protected:
  void SetUp() override { m_before = settled().live_blocks; }

  /// After every error: nothing is leaked, and the next View works.
  void TearDown() override {
    View1 const next("next", 10);
    EXPECT_EQ(stats().live_blocks, m_before + 1);
    symm::barrier_all();
    fill(symm::peer_view(next, right()), symm::my_pe(), right());
    symm::barrier_all();
    EXPECT_EQ(count_wrong(next, left(), symm::my_pe()), 0U);
  }

 private:
  std::size_t m_before = 0;
};

#define NEEDS_TWO_PES() \
  if (symm::n_pes() < 2) GTEST_SKIP() << "one PE cannot differ from itself"

TEST_F(ViewErrors, M27_different_extents_name_labels_PEs_and_sizes) {
  NEEDS_TWO_PES();
  std::size_t const n = symm::my_pe() == 0 ? 10 : 20;
  EXPECT_THAT(
      message_of<symm::UsageError>([&] {
        View1(std::string(symm::my_pe() == 0 ? "ten" : "twenty"), n);
      }),
      AllOf(HasSubstr("PE 0 called allocation of a View \"ten\"(bytes = "
                      "40, "),
            HasSubstr("called allocation of a View \"twenty\"(bytes = "
                      "80, "),
            HasSubstr("PE"),
            HasSubstr(symm::n_pes() == 2 ? "; PE 1" : "; PEs 1, 2"),
            HasSubstr("Nothing was changed"),
            HasSubstr("to call them on one PE only, pass a View in "
                      "HostSpace")));
}

TEST_F(ViewErrors, M27_one_differing_PE_is_found_wherever_it_is) {
  NEEDS_TWO_PES();
  for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
    std::size_t const n = symm::my_pe() == odd ? 2 : 4;
    EXPECT_THAT(message_of<symm::UsageError>([&] { View1("v", n); }),
                HasSubstr("PE " + std::to_string(odd) +
                          " called allocation of a View \"v\"(bytes = 8, "));
  }
}

TEST_F(ViewErrors, M27_a_View_here_and_a_barrier_there_names_both_calls) {
  NEEDS_TWO_PES();
  EXPECT_THAT(message_of<symm::UsageError>([] {
                if (symm::my_pe() == 0) {
                  View1("lonely", 10);
                } else {
                  symm::barrier_all();
                }
              }),
              AllOf(HasSubstr("PE 0 called allocation of a View \"lonely\""),
                    HasSubstr(" called symm::barrier_all()")));
}

TEST_F(ViewErrors,
       M27_a_View_here_and_malloc_of_its_bytes_there_is_a_mismatch) {
  NEEDS_TWO_PES();
  if (symm::my_pe() == 0) {
    EXPECT_THROW(View1("v", 10), symm::UsageError);
  } else {
    EXPECT_EQ(symm::malloc(168), nullptr);
    EXPECT_THAT(symm::last_error(), HasSubstr("allocation of a View \"v\""));
  }
}

TEST_F(ViewErrors, labels_may_differ_between_PEs) {
  View1 const view("u of PE " + std::to_string(symm::my_pe()), 10);
  symm::barrier_all();
  EXPECT_EQ(get_global(symm::global_view(view), right(), 9), 0);
  symm::barrier_all();
}

TEST_F(ViewErrors, M34_no_room_is_OutOfMemory_on_every_PE_with_the_label) {
  EXPECT_THAT(
      message_of<symm::OutOfMemory>([] {
        Kokkos::View<char*, Space>(view_alloc(WithoutInitializing, "huge"),
                                   std::size_t{1} << 50U);
      }),
      AllOf(
          HasSubstr("View \"huge\""),
          HasSubstr("(bytes = " + std::to_string(std::size_t{1} << 50U) + ","),
          HasSubstr("SYMM_HEAP_LIMIT")));
}

TEST_F(ViewErrors, M47_no_physical_memory_is_OutOfMemory_on_every_PE) {
  // Within the limit of the heap and beyond this machine's memory (no 200 GiB
  // for each PE) or, on a larger machine, nothing but addresses.
  constexpr std::size_t bytes = std::size_t{200} << 30U;
  if (is_pinned_host_memory && max_available_host_memory() >= bytes) {
    GTEST_SKIP() << "the machine may have that much, and would pin it";
  }
  try {
    Kokkos::View<char*, Space>(view_alloc(WithoutInitializing, "large"), bytes);
  } catch (symm::OutOfMemory const& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("View \"large\""), HasSubstr("memory for")));
  }
}

TEST_F(ViewErrors, M34_bytes_that_wrap_around_are_OutOfMemory_on_every_PE) {
  constexpr auto max = std::numeric_limits<std::size_t>::max();
  for (std::size_t const count :
       {max / 8,                               // the header makes them wrap
        max / 8 + 1, max / 8 + 2, max / 4}) {  // they do without it
    EXPECT_THROW((Kokkos::View<double*, Space>("v", count)), symm::OutOfMemory);
    EXPECT_THROW((Kokkos::View<double*, Space>(
                     view_alloc("v", WithoutInitializing), count)),
                 symm::OutOfMemory);
  }
  // The largest number stands for no extent.
  EXPECT_THROW((Kokkos::View<char*, Space>("v", max - 1)), symm::OutOfMemory);
}

TEST_F(ViewErrors, M27_a_View_that_not_all_PEs_fill_names_the_calls) {
  NEEDS_TWO_PES();
  EXPECT_THAT(message_of<symm::UsageError>([] {
                if (symm::my_pe() == 0) {
                  View1("filled", 10);
                } else {
                  View1 const raw(view_alloc("raw", WithoutInitializing), 10);
                  symm::barrier_all();
                }
              }),
              AllOf(HasSubstr("PE 0 called end of the construction of a View "
                              "\"filled\"("),
                    HasSubstr(" called symm::barrier_all(")));
}

#ifndef SYMM_TEST_GPU  // where constructors of elements cannot throw
/// An element of which this PE can construct ten.
struct OneOfTen {
  static inline int n_alive = 0;

  OneOfTen() {
    if (n_alive == 10) throw std::runtime_error("there are ten");
    ++n_alive;
  }
  ~OneOfTen() { --n_alive; }
};

TEST_F(ViewErrors, an_element_that_one_PE_cannot_construct_is_an_error_on_all) {
  using View         = Kokkos::View<OneOfTen*, Space>;
  bool const is_last = symm::my_pe() == symm::n_pes() - 1;
  OneOfTen::n_alive  = is_last ? 7 : 0;
  auto const expected =
      AllOf(HasSubstr("on PE " + std::to_string(symm::n_pes() - 1)),
            HasSubstr("View \"v\": there are ten"), HasSubstr("failed"));
  // No exception leaves a parallel region of OpenMP, nor a thread of Kokkos.
  bool const is_serial =
      std::string_view(Space::execution_space::name()) == "Serial";
  if (is_serial) {
    EXPECT_THAT(message_of<symm::SystemError>([] { View("v", 5); }), expected);
  }
  if (!is_last) OneOfTen::n_alive = 0;
  EXPECT_THAT(message_of<symm::SystemError>(
                  [] { View(view_alloc("v", Kokkos::SequentialHostInit), 5); }),
              expected);
  OneOfTen::n_alive = 0;
  if (is_serial) View("v", 5);
  View(view_alloc("v", Kokkos::SequentialHostInit), 5);
  EXPECT_EQ(OneOfTen::n_alive, 0);
}
#endif

TEST_F(ViewErrors, a_long_label_is_cut_in_messages_only) {
  NEEDS_TWO_PES();
  std::string const label(1000, 'x');
  View1 const view(label, 3);
  EXPECT_EQ(view.label(), label);
  std::size_t const n = symm::my_pe() == 0 ? 10 : 20;
  EXPECT_THAT(
      message_of<symm::UsageError>([&] { View1(label, n); }),
      AllOf(HasSubstr("\"" + std::string(255, 'x')), Not(HasSubstr(label))));
}

}  // namespace
