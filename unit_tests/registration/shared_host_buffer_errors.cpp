// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What cannot be done with shared host memory: an error that says so, on all
// PEs where the call is collective.

#include <exception>
#include <limits>

#include "shared_buffers.hpp"

namespace {

using namespace symm_test;

class SharedHostErrors : public SharedBuffers {};

/// Collective: the PEs can share a buffer, and use it.
void expect_sharing_works() {
  auto const me = symm::my_pe();
  Word own      = 0;
  SharedHostBuffer<Word> buffer(&own, 1);
  Word const sent = pattern({me, right(), 9}, 0);
  buffer.put(0, &sent, 1, right());
  buffer.close();
  EXPECT_EQ(own, pattern({left(), me, 9}, 0));
}

/// Collective: each PE in turn is the only one that shares `bad`; all of them
/// get a UsageError that names it, with all the words.
void expect_refused(char* bad, std::size_t bad_count,
                    testing::Matcher<std::string const&> const& words) {
  char good[64] = {};
  for (Pe odd = 0; odd < symm::n_pes(); ++odd) {
    bool const is_odd = symm::my_pe() == odd;
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  SharedHostBuffer<char>(is_odd ? bad : good,
                                         is_odd ? bad_count : sizeof good);
                }),
                AllOf(words, HasSubstr("on " + pe_text(odd) + ": "),
                      HasSubstr("construction of a shared buffer("
                                "bytes of an element = 1)"),
                      HasSubstr("nothing was changed on any PE")));
    expect_sharing_works();
  }
}

TEST_F(SharedHostErrors, null_with_elements_on_one_pe_is_refused_by_all) {
  expect_refused(nullptr, 5,
                 HasSubstr("the address is null, but the count is 5"));
}

TEST_F(SharedHostErrors, more_than_the_address_space_is_refused_by_all) {
  char byte = 0;
  expect_refused(&byte, std::numeric_limits<std::size_t>::max(),
                 HasSubstr("do not fit into the address space"));
}

TEST_F(SharedHostErrors, memory_that_is_not_there_is_refused_by_all) {
  Pages const pages(3);
  pages.take_away(1);
  constexpr char const* not_there = "are not memory that the host can read";
  expect_refused(pages.start() + pages.page(), 1, HasSubstr(not_there));
  expect_refused(pages.start() + pages.page() - 1, 2, HasSubstr(not_there));
  expect_refused(pages.start(), pages.bytes(),
                 AllOf(HasSubstr(not_there),
                       HasSubstr(std::to_string(pages.bytes()) + " bytes")));
  // All but the last page is there.
  SharedHostBuffer<char> const fits(pages.start(), pages.page());
  symm::barrier_all();
}

TEST_F(SharedHostErrors, a_failure_that_is_known_before_is_everybodys) {
  char byte = 0;
  for (Pe odd = 0; odd < symm::n_pes(); ++odd) {
    std::exception_ptr failure;
    if (symm::my_pe() == odd) {
      failure = std::make_exception_ptr(symm::OutOfMemory("no room for it"));
    }
    EXPECT_THAT(message_of<symm::OutOfMemory>(
                    [&] { SharedHostBuffer<char>(&byte, 1, failure); }),
                HasSubstr("on " + pe_text(odd) + ": no room for it"));
  }
  expect_sharing_works();
}

TEST_F(SharedHostErrors, wrong_pes_and_ranges_name_call_pe_and_values) {
  auto const n = symm::n_pes();
  GuardedWords own(8);
  SharedHostBuffer<Word> const buffer(own.data(), own.count());
  Word word        = 0;
  auto const calls = n_calls();
  auto const put = [&](std::size_t index, Word const* source, std::size_t count,
                       Pe pe) {
    return message_of<symm::UsageError>(
        [&] { buffer.put(index, source, count, pe); });
  };
  auto const get = [&](Word* dest, std::size_t index, std::size_t count,
                       Pe pe) {
    return message_of<symm::UsageError>(
        [&] { buffer.get(dest, index, count, pe); });
  };
  std::string const pes = "; PEs are 0 to " + std::to_string(n - 1);
  EXPECT_EQ(put(0, &word, 1, -1),
            "symm::SharedHostBuffer::put: invalid PE -1" + pes);
  EXPECT_EQ(get(&word, 0, 1, n),
            "symm::SharedHostBuffer::get: invalid " + pe_text(n) + pes);
  EXPECT_THAT(
      message_of<symm::UsageError>([&] { static_cast<void>(buffer.count(n)); }),
      HasSubstr("symm::SharedHostBuffer::count: invalid " + pe_text(n)));
  for (Pe pe = 0; pe < n; ++pe) {
    EXPECT_EQ(
        put(7, &word, 2, pe),
        "symm::SharedHostBuffer::put: 2 elements starting at element 7 of " +
            pe_text(pe) + ", which shares only 8");
    EXPECT_EQ(
        get(&word, 9, 0, pe),
        "symm::SharedHostBuffer::get: 0 elements starting at element 9 of " +
            pe_text(pe) + ", which shares only 8");
    constexpr auto most = std::numeric_limits<std::size_t>::max();
    EXPECT_THAT(put(most, &word, 2, pe), HasSubstr("which shares only 8"));
    EXPECT_THAT(get(&word, 1, most, pe), HasSubstr("which shares only 8"));
    EXPECT_THAT(put(0, nullptr, 1, pe), HasSubstr("on this PE is null"));
    EXPECT_THAT(get(nullptr, 0, 1, pe), HasSubstr("on this PE is null"));
  }
  EXPECT_EQ(n_calls(), calls) << "they are local";
  symm::barrier_all();
  EXPECT_EQ(own.n_touched_outside(0, 0), 0U);
  symm::barrier_all();
}

TEST_F(SharedHostErrors, memory_taken_away_while_it_is_shared_is_reported) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Pages const pages(3);
  SharedHostBuffer<char> const buffer(pages.start(), pages.bytes());
  symm::barrier_all();
  pages.take_away(2);
  symm::barrier_all();
  std::vector<char> mine(pages.bytes());
  auto const begin = pages.page();
  auto const count = 2 * pages.page();
  auto const words =
      AllOf(HasSubstr(std::to_string(count) + " elements starting at element " +
                      std::to_string(begin) + " of " + pe_text(right())),
            HasSubstr(std::to_string(pages.page()) + " of " +
                      std::to_string(count) + " bytes were copied"),
            HasSubstr("Bad address"),
            HasSubstr("until all PEs have closed the buffer"));
  EXPECT_THAT(message_of<symm::SystemError>(
                  [&] { buffer.get(mine.data(), begin, count, right()); }),
              AllOf(HasSubstr("symm::SharedHostBuffer::get of "), words));
  EXPECT_THAT(message_of<symm::SystemError>(
                  [&] { buffer.put(begin, mine.data(), count, right()); }),
              AllOf(HasSubstr("symm::SharedHostBuffer::put of "), words));
  symm::barrier_all();
}

TEST_F(SharedHostErrors, a_closed_one_has_nothing_and_closes_no_second_time) {
  Word word = 0;
  SharedHostBuffer<Word> buffer(&word, 1);
  buffer.close();
  std::string const is_closed = "the buffer is closed";
  EXPECT_THAT(message_of<symm::UsageError>([&] { buffer.put(0, &word, 1, 0); }),
              HasSubstr("symm::SharedHostBuffer::put: " + is_closed));
  EXPECT_THAT(message_of<symm::UsageError>([&] { buffer.get(&word, 0, 1, 0); }),
              HasSubstr("symm::SharedHostBuffer::get: " + is_closed));
  EXPECT_THAT(
      message_of<symm::UsageError>([&] { static_cast<void>(buffer.count(0)); }),
      HasSubstr("symm::SharedHostBuffer::count: " + is_closed));
  EXPECT_THAT(message_of<symm::UsageError>([&] { buffer.close(); }),
              AllOf(HasSubstr("close of a shared buffer("),
                    HasSubstr("the buffer is already closed")));
  expect_sharing_works();
}

TEST_F(SharedHostErrors, elements_of_different_sizes_are_refused_by_all) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Word word = 0;
  for (Pe odd = 0; odd < symm::n_pes(); ++odd) {
    bool const is_odd = symm::my_pe() == odd;
    EXPECT_THAT(
        message_of<symm::UsageError>([&] {
          if (is_odd) {
            SharedHostBuffer<char>(reinterpret_cast<char*>(&word), 8);
          } else {
            SharedHostBuffer<Word>(&word, 1);
          }
        }),
        AllOf(HasSubstr(pe_text(odd) + " called construction of a shared "
                                       "buffer(bytes of an element = 1)"),
              HasSubstr("bytes of an element = 8")));
    expect_sharing_works();
  }
}

TEST_F(SharedHostErrors, another_call_on_one_pe_is_an_error_on_all) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Word word = 0;
  SharedHostBuffer<Word> buffer(&word, 1);
  for (Pe odd = 0; odd < symm::n_pes(); ++odd) {
    bool const is_odd = symm::my_pe() == odd;
    auto const words =
        AllOf(HasSubstr(pe_text(odd) + " called symm::barrier_all()"),
              HasSubstr("called construction of a shared buffer("));
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  if (is_odd) {
                    symm::barrier_all();
                  } else {
                    SharedHostBuffer<Word>(&word, 1);
                  }
                }),
                words);
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  if (is_odd) {
                    SharedHostBuffer<Word>(&word, 1);
                  } else {
                    buffer.close();
                  }
                }),
                AllOf(HasSubstr(pe_text(odd) + " called construction"),
                      HasSubstr("called close of a shared buffer(")));
    expect_sharing_works();
  }
  EXPECT_EQ(buffer.count(right()), 1U) << "nothing has changed";
  buffer.close();
}

TEST_F(SharedHostErrors, closing_different_ones_is_an_error_and_closes_none) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Word word = 0;
  SharedHostBuffer<Word> a(&word, 1);
  SharedHostBuffer<Word> b(&word, 1);
  for (Pe odd = 0; odd < symm::n_pes(); ++odd) {
    bool const is_odd = symm::my_pe() == odd;
    EXPECT_THAT(
        message_of<symm::UsageError>([&] { is_odd ? a.close() : b.close(); }),
        AllOf(HasSubstr(pe_text(odd) + " called close of a shared buffer("),
              HasSubstr("number = ")));
  }
  a.close();
  b.close();
}

}  // namespace
