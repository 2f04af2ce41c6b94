// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collective calls with arguments that differ between PEs: an error on every PE
// that names the PEs and the values, and a heap as it was.

#include <cstddef>
#include <string>
#include <vector>

#include <heap/heap_test.hpp>
#include <runtime/symm_errors.hpp>

namespace {

using namespace symm_test;

class Mismatch : public testing::Test {
 protected:
  void SetUp() override {
    if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  }

  /// Each PE in turn is the only one that makes the call its own way.
  template <class Body>
  static void for_each_odd_one(Body const& body) {
    for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
      SCOPED_TRACE("the odd one is " + pe_text(odd));
      body(odd, symm::my_pe() == odd);
    }
  }
};

TEST_F(Mismatch, M27_sizes_of_malloc) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    expect_failure(
        [&] { return symm::malloc(is_odd ? 1025 : 1024); },
        {pe_text(odd) + " called " + call_text("symm::malloc", "bytes = 1025"),
         call_text("symm::malloc", "bytes = 1024"), "equal arguments"});
  });
}

TEST_F(Mismatch, M27_every_pe_another_size) {
  auto const bytes = [](symm::Pe pe) {
    return static_cast<std::size_t>(100 + pe);
  };
  expect_failure([&] { return symm::malloc(bytes(symm::my_pe())); },
                 {"PE 0 called " + call_text("symm::malloc", "bytes = 100"),
                  "PE 1 called " + call_text("symm::malloc", "bytes = 101")});
}

TEST_F(Mismatch, M27_sizes_that_are_rounded_alike_or_cannot_be_met) {
  for_each_odd_one([](symm::Pe, bool is_odd) {
    expect_failure([&] { return symm::malloc(is_odd ? 1 : 2); },
                   {call_text("symm::malloc", "bytes = 1"),
                    call_text("symm::malloc", "bytes = 2")});
    expect_failure([&] { return symm::malloc(is_odd ? ~std::size_t{0} : 2); },
                   {call_text("symm::malloc", "bytes = 18446744073709551615"),
                    call_text("symm::malloc", "bytes = 2")});
  });
}

TEST_F(Mismatch, M27_sizes_of_align) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    expect_failure(
        [&] { return symm::align(64, is_odd ? 10 : 20); },
        {pe_text(odd), call_text("symm::align", "bytes = 10, alignment = 64"),
         call_text("symm::align", "bytes = 20, alignment = 64")});
  });
}

TEST_F(Mismatch, M28_alignments) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    expect_failure([&] { return symm::align(is_odd ? 128 : 64, 100); },
                   {pe_text(odd), "alignment = 128", "alignment = 64"});
  });
}

TEST_F(Mismatch, M29_pointers_of_free) {
  auto* const a = malloc_bytes(100);
  auto* const b = malloc_bytes(100);
  fill(a, 100, {symm::my_pe(), 0, 1});
  fill(b, 100, {symm::my_pe(), 0, 2});
  auto const offset = [&](void* p) {
    return "offset = " + std::to_string(heap().map().offset_of(p));
  };
  for_each_odd_one([&](symm::Pe odd, bool is_odd) {
    expect_free_fails(is_odd ? a : b, {pe_text(odd), "symm::free", offset(a),
                                       offset(b), "Nothing was changed"});
  });
  EXPECT_EQ(difference(a, 100, {symm::my_pe(), 0, 1}), no_difference);
  EXPECT_EQ(difference(b, 100, {symm::my_pe(), 0, 2}), no_difference);
  symm::free(a);  // nothing was freed: these work
  EXPECT_STREQ(symm::last_error(), "");
  symm::free(b);
  EXPECT_STREQ(symm::last_error(), "");
}

TEST_F(Mismatch, S10_sizes_and_pointers_of_realloc) {
  auto const me = symm::my_pe();
  auto* const a = malloc_bytes(100);
  auto* const b = malloc_bytes(100);
  fill(a, 100, {me, me});
  for_each_odd_one([&](symm::Pe odd, bool is_odd) {
    expect_failure(
        [&] { return symm::realloc(a, is_odd ? 5000 : 50); },
        {pe_text(odd), "symm::realloc", "bytes = 5000", "bytes = 50"});
    expect_failure([&] { return symm::realloc(a, is_odd ? 0 : 50); },
                   {pe_text(odd), "bytes = 0", "bytes = 50"});
    expect_failure([&] { return symm::realloc(is_odd ? a : b, 50); },
                   {pe_text(odd), "symm::realloc", "offset = "});
    expect_failure([&] { return symm::realloc(is_odd ? nullptr : a, 50); },
                   {pe_text(odd), "symm::realloc", "offset = "});
  });
  EXPECT_EQ(difference(a, 100, {me, me}), no_difference);
  symm::free(a);
  symm::free(b);
  EXPECT_STREQ(symm::last_error(), "");
}

TEST_F(Mismatch, C12_counts_and_sizes_of_calloc_even_with_equal_products) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    expect_failure(
        [&] { return is_odd ? symm::calloc(2, 8) : symm::calloc(4, 4); },
        {pe_text(odd), "symm::calloc", "count = 2, size = 8",
         "count = 4, size = 4"});
    expect_failure(
        [&] { return is_odd ? symm::calloc(3, 8) : symm::calloc(4, 8); },
        {"count = 3, size = 8", "count = 4, size = 8"});
    // Products that do not fit: equal as "infinite", different as arguments.
    std::size_t const huge = std::size_t{1} << 33U;
    expect_failure([&] { return symm::calloc(huge, is_odd ? huge : 2 * huge); },
                   {"size = 8589934592", "size = 17179869184"});
  });
}

TEST_F(Mismatch, M30_different_functions) {
  auto* const block = malloc_bytes(64);
  for_each_odd_one([&](symm::Pe odd, bool is_odd) {
    expect_failure(
        [&] { return is_odd ? symm::malloc(64) : symm::align(64, 64); },
        {pe_text(odd) + " called " + call_text("symm::malloc", "bytes = 64"),
         call_text("symm::align", "bytes = 64, alignment = 64")});
    expect_failure(
        [&] {
          return is_odd ? symm::calloc(1, 64) : symm::realloc(block, 640);
        },
        {"symm::calloc(", "symm::realloc("});
  });
  testing::internal::CaptureStderr();
  for_each_odd_one([&](symm::Pe, bool is_odd) {
    expect_failure(
        [&]() -> void* {
          if (is_odd) return symm::malloc(64);
          symm::free(block);
          return nullptr;
        },
        {call_text("symm::malloc", "bytes = 64"), "symm::free(offset = "});
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr().empty(), false);
  symm::free(block);
  EXPECT_STREQ(symm::last_error(), "");
}

TEST_F(Mismatch, M30_a_wrong_alignment_beside_another_function) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    expect_failure(
        [&] { return is_odd ? symm::align(3, 64) : symm::malloc(64); },
        {pe_text(odd), "symm::align", "symm::malloc"});
  });
}

TEST_F(Mismatch, M30_throwing_functions_throw_on_the_pes_that_called_them) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    auto const before = heap_state();
    if (is_odd) {
      EXPECT_EQ(symm::malloc(64), nullptr);
      EXPECT_THAT(symm::last_error(), testing::HasSubstr("symm::barrier_all"));
    } else {
      EXPECT_THROW(symm::barrier_all(), symm::UsageError);
    }
    if (is_odd) {
      EXPECT_THROW(symm::heap_trim(), symm::UsageError);
    } else {
      EXPECT_EQ(symm::malloc(64), nullptr);
      EXPECT_THAT(
          symm::last_error(),
          testing::HasSubstr(pe_text(odd) + " called symm::heap_trim("));
    }
    EXPECT_EQ(heap_state(), before);
    expect_heap_is_usable();
  });
}

// A size of 0 does not meet the others (M08), so the next call does.
TEST_F(Mismatch, M27_size_zero_on_one_pe_is_found_in_the_next_call) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    auto const before = heap_state();
    EXPECT_EQ(symm::malloc(is_odd ? 0 : 64), nullptr);
    if (is_odd) {
      EXPECT_STREQ(symm::last_error(), "");
      EXPECT_THROW(symm::barrier_all(), symm::UsageError);
    } else {
      EXPECT_THAT(
          symm::last_error(),
          testing::HasSubstr(pe_text(odd) + " called symm::barrier_all()"));
    }
    EXPECT_EQ(heap_state(), before);
    expect_heap_is_usable();
  });
}

}  // namespace
