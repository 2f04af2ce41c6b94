// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Contexts and requests (OpenSHMEM 1.5, 9.5): all one-sided operations of the
// host in a context, of threads with one each, and single operations that are
// waited for. unit_tests/transport/ has their order between nodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/base/Observer.hpp>
#include <runtime/symm.hpp>
#include "support/pes.hpp"

namespace {

using namespace symm_test;
using symm::Context;
using symm::ContextOptions;
using symm::Pe;
using symm::Request;
using symm::SignalOp;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using Words = Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace>;

/// Differs for every (sender, receiver, round, element).
std::uint64_t value(Pe from, Pe to, std::size_t round, std::size_t i) {
  return ((static_cast<std::uint64_t>(from) * 64 +
           static_cast<std::uint64_t>(to)) *
              64 +
          round) *
             1'000'000 +
         i + 1;
}

Pe next() { return (symm::my_pe() + 1) % symm::n_pes(); }
Pe previous() { return (symm::my_pe() + symm::n_pes() - 1) % symm::n_pes(); }

std::vector<std::uint64_t> values(Pe to, std::size_t round, std::size_t count) {
  std::vector<std::uint64_t> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = value(symm::my_pe(), to, round, i);
  }
  return result;
}

/// Collective. Whether the previous PE's values have come, with nothing around.
void expect_values(Words const& words, std::size_t first, std::size_t round,
                   std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(words(first + i), value(previous(), symm::my_pe(), round, i))
        << count << " elements, element " << i;
  }
  EXPECT_EQ(words(first - 1), 0);
  EXPECT_EQ(words(first + count), 0);
}

constexpr std::array<std::size_t, 8> counts{1,  2,    7,    64,
                                            65, 1000, 8192, 40'000};
constexpr std::size_t n_words = 50'000;

TEST(Contexts, put_and_get_what_calls_without_one_do) {
  Words const words("words", n_words);
  Context const context;
  Pe const to = next();
  for (std::size_t round = 0; round < 4; ++round) {
    for (auto const count : counts) {
      auto const source = values(to, round, count);
      std::vector<std::uint64_t> back(count);
      switch (round) {
        case 0: symm::put(context, &words(1), source.data(), count, to); break;
        case 1:
          symm::put_nbi(context, &words(1), source.data(), count, to);
          break;
        case 2:
          symm::putmem(context, &words(1), source.data(), 8 * count, to);
          break;
        default:
          symm::putmem_nbi(context, &words(1), source.data(), 8 * count, to);
      }
      context.quiet();
      switch (round) {
        case 0: symm::get(context, back.data(), &words(1), count, to); break;
        case 1:
          symm::get_nbi(context, back.data(), &words(1), count, to);
          break;
        case 2:
          symm::getmem(context, back.data(), &words(1), 8 * count, to);
          break;
        default:
          symm::getmem_nbi(context, back.data(), &words(1), 8 * count, to);
      }
      context.quiet();
      EXPECT_EQ(back, source);
      symm::barrier_all();
      expect_values(words, 1, round, count);
      symm::barrier_all();
      Kokkos::deep_copy(words, 0);
      symm::barrier_all();
    }
  }
}

TEST(Contexts, have_elements_strides_and_signals) {
  Words const words("words", 100);
  Context const context;
  Pe const to = next();
  symm::p(context, &words(1), value(symm::my_pe(), to, 0, 0), to);
  context.quiet();
  EXPECT_EQ(symm::g(context, &words(1), to), value(symm::my_pe(), to, 0, 0));
  auto const source = values(to, 1, 10);
  symm::iput(context, &words(10), source.data(), 3, 2, 5, to);
  context.quiet();
  std::array<std::uint64_t, 5> back{};
  symm::iget(context, back.data(), &words(10), 1, 3, 5, to);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(back[i], source[2 * i]);
  symm::put_signal(context, &words(40), source.data(), 7, &words(60), 5,
                   SignalOp::set, to);
  symm::signal_wait_until(&words(60), symm::Compare::ge, 5);
  expect_values(words, 40, 1, 7);
  context.fence();  // the signal is set before 4 is added to it
  Request request;
  symm::put_signal_nbi(context, &words(50), source.data(), 7, &words(60), 4,
                       SignalOp::add, to, &request);
  request.wait_source();
  symm::signal_wait_until(&words(60), symm::Compare::ge, 9);
  expect_values(words, 50, 1, 7);
  request.wait();
  EXPECT_FALSE(request.is_operation());
  symm::barrier_all();
}

TEST(Contexts, have_all_atomic_operations) {
  Kokkos::View<std::int64_t*, symm::SymmetricHostSpace> const words("words", 4);
  Context const context;
  Pe const to      = next();
  auto* const word = &words(1);
  symm::atomic_set(context, word, 6, to);
  context.quiet();
  EXPECT_EQ(symm::atomic_fetch(context, word, to), 6);
  EXPECT_EQ(symm::atomic_swap(context, word, 12, to), 6);
  EXPECT_EQ(symm::atomic_compare_swap(context, word, 12, 3, to), 12);
  EXPECT_EQ(symm::atomic_fetch_add(context, word, 4, to), 3);
  EXPECT_EQ(symm::atomic_fetch_inc(context, word, to), 7);
  EXPECT_EQ(symm::atomic_fetch_min(context, word, 5, to), 8);
  EXPECT_EQ(symm::atomic_fetch_max(context, word, 13, to), 5);
  EXPECT_EQ(symm::atomic_fetch_and(context, word, 9, to), 13);
  EXPECT_EQ(symm::atomic_fetch_or(context, word, 6, to), 9);
  EXPECT_EQ(symm::atomic_fetch_xor(context, word, 1, to), 15);
  symm::atomic_add(context, word, 2, to);
  symm::atomic_inc(context, word, to);
  symm::atomic_min(context, word, 16, to);
  symm::atomic_max(context, word, 10, to);
  symm::atomic_and(context, word, 24, to);
  symm::atomic_or(context, word, 3, to);
  symm::atomic_xor(context, word, 1, to);
  context.quiet();
  symm::barrier_all();
  EXPECT_EQ(words(1), ((16 & 24) | 3) ^ 1);
  EXPECT_EQ(words(0), 0);
  EXPECT_EQ(words(2), 0);
  symm::barrier_all();
}

TEST(FetchingAtomics, that_do_not_wait_give_what_the_word_was) {
  Kokkos::View<std::int32_t*, symm::SymmetricHostSpace> const words("words", 3);
  Context const context;
  Pe const to      = next();
  auto* const word = &words(1);
  std::array<std::int32_t, 12> was{};
  symm::atomic_set(context, word, 6, to);
  context.fence();
  auto* fetch      = &was[1];
  auto const fence = [&] {
    context.fence();  // these are not ordered without
    ++fetch;
  };
  symm::atomic_fetch_nbi(context, fetch, word, to), fence();
  symm::atomic_swap_nbi(context, fetch, word, 12, to), fence();
  symm::atomic_compare_swap_nbi(context, fetch, word, 12, 3, to), fence();
  symm::atomic_fetch_add_nbi(context, fetch, word, 4, to), fence();
  symm::atomic_fetch_inc_nbi(context, fetch, word, to), fence();
  symm::atomic_fetch_min_nbi(context, fetch, word, 5, to), fence();
  symm::atomic_fetch_max_nbi(context, fetch, word, 13, to), fence();
  symm::atomic_fetch_and_nbi(context, fetch, word, 9, to), fence();
  symm::atomic_fetch_or_nbi(context, fetch, word, 6, to), fence();
  symm::atomic_fetch_xor_nbi(context, fetch, word, 1, to);
  context.quiet();
  EXPECT_EQ(was, (std::array<std::int32_t, 12>{0, 6, 6, 12, 3, 7, 8, 5, 13, 9,
                                               15, 0}));
  Request request;
  std::int32_t last = 0;
  symm::atomic_fetch_add_nbi(&last, word, 1, to, &request);
  request.wait();
  EXPECT_EQ(last, 14);
  symm::atomic_fetch_add_nbi(&last, word, 1, to);
  symm::quiet();
  EXPECT_EQ(last, 15);
  symm::barrier_all();
  EXPECT_EQ(words(1), 16);
  EXPECT_EQ(words(0), 0);
  EXPECT_EQ(words(2), 0);
  symm::barrier_all();
}

TEST(Contexts, of_a_team_take_the_teams_numbers) {
  int const n = symm::n_pes();
  // All PEs, backwards.
  symm::PeTeam team =
      symm::team_split(symm::team_world(), 0, n - symm::my_pe());
  {
    Words const words("words", 16);
    Context const context(team);
    EXPECT_EQ(context.team().my_pe(), team.my_pe());
    EXPECT_EQ(context.team().n_pes(), n);
    Pe const member = (team.my_pe() + 1) % n;
    auto const mine = static_cast<std::uint64_t>(team.my_pe() + 100);
    symm::put_nbi(context, &words(3), &mine, 1, member);
    symm::atomic_add(context, &words(5), mine, member);
    context.pe_quiet(std::span(&member, 1));
    symm::barrier_all();
    auto const from = static_cast<std::uint64_t>((team.my_pe() + n - 1) % n);
    EXPECT_EQ(words(3), from + 100);
    EXPECT_EQ(words(5), from + 100);
    for (Pe const wrong : {-1, n}) {
      EXPECT_THAT(
          [&] { symm::put(context, &words(3), &mine, 1, wrong); },
          testing::ThrowsMessage<UsageError>(
              AllOf(HasSubstr("symm::put: invalid PE " + std::to_string(wrong)),
                    HasSubstr("PE team of the context"))));
    }
    symm::barrier_all();
  }
  symm::team_destroy(team);
  EXPECT_THROW(Context{team}, UsageError);
}

TEST(Contexts, of_threads_complete_what_their_thread_has_begun) {
  constexpr std::size_t n_threads = 4;
  std::size_t const n             = are_all_near() ? 2000 : 200;
  Words const words("words", n_threads * 32);
  Pe const to = next();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      Context const context({.one_thread = true});
      auto* const mine = &words(t * 32);
      for (std::uint64_t i = 1; i <= n; ++i) {
        symm::put_nbi(context, mine, &i, 1, to);
        symm::atomic_add(context, mine + 1, 1, to);
        std::uint64_t was = 0;
        symm::atomic_fetch_add_nbi(context, &was, mine + 2, 1, to);
        context.quiet();
        EXPECT_EQ(was, i - 1);
        EXPECT_EQ(symm::g(context, mine, to), i);
        EXPECT_EQ(symm::atomic_fetch(context, mine + 1, to), i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  symm::barrier_all();
  for (std::size_t t = 0; t < n_threads; ++t) {
    EXPECT_EQ(words(t * 32), n);
    EXPECT_EQ(words(t * 32 + 1), n);
    EXPECT_EQ(words(t * 32 + 2), n);
  }
  symm::barrier_all();
}

TEST(Contexts, end_without_waiting_and_the_next_barrier_completes_them) {
  Words const words("words", 5 * n_words);
  Pe const to       = next();
  auto const source = values(to, 3, 40'000);
  // Each to a place of its own, with a word between them.
  std::vector<std::size_t> counts_put(300, 9);  // more than may be at one time
  for (std::size_t i = 0; i < counts_put.size(); i += 60) {
    counts_put[i] = 40'000;
  }
  std::size_t at = 1;
  for (auto const count : counts_put) {
    Context const context;
    symm::put_nbi(context, &words(at), source.data(), count, to);
    at += count + 1;
  }
  symm::barrier_all();
  at = 1;
  for (auto const count : counts_put) {
    expect_values(words, at, 3, count);
    at += count + 1;
  }
  symm::barrier_all();
}

TEST(Contexts, are_completed_by_the_barrier_of_a_team) {
  Words const words("words", n_words);
  Pe const to = next();
  Context const context;
  for (std::size_t round = 0; round < 20; ++round) {
    auto const source = values(to, round, 40'000);
    std::vector<std::uint64_t> back(40'000);
    symm::put_nbi(context, &words(1), source.data(), 40'000, to);
    symm::put_nbi(context, &words(45'000), source.data(), 9, to);
    symm::get_nbi(context, back.data(), &words(0), 1, to);
    symm::barrier(symm::team_world());
    EXPECT_EQ(back[0], 0);
    expect_values(words, 1, round, 40'000);
    expect_values(words, 45'000, round, 9);
    symm::barrier(symm::team_world());
  }
}

TEST(Contexts, are_moved) {
  Words const words("words", 4);
  Context first;
  Context second(std::move(first));
  std::uint64_t const one = 1;
  symm::put_nbi(second, &words(1), &one, 1, next());
  first = std::move(second);
  first.quiet();
  symm::barrier_all();
  EXPECT_EQ(words(1), 1);
  // NOLINTNEXTLINE(bugprone-use-after-move): that it says so
  EXPECT_THAT([&] { second.quiet(); },
              testing::ThrowsMessage<UsageError>(HasSubstr("moved from")));
  symm::barrier_all();
}

TEST(Contexts, refuse_what_calls_without_one_refuse) {
  Words const words("words", 4);
  Context const context;
  std::uint64_t const one = 1;
  std::uint64_t was       = 0;
  EXPECT_THAT(
      [&] { symm::put_nbi(context, &words(1), &one, 1, symm::n_pes()); },
      testing::ThrowsMessage<UsageError>(
          HasSubstr("symm::put_nbi: invalid PE")));
  EXPECT_THROW(symm::get(context, &was, &one, 1, 0), UsageError);
  EXPECT_THROW(symm::put(context, &words(1), nullptr, 1, 0), UsageError);
  EXPECT_THROW(symm::atomic_add(context, &was, 1, 0), UsageError);
  EXPECT_THROW(symm::atomic_fetch_nbi(context, &was, &words(1), -1),
               UsageError);
  std::uint64_t* const nowhere = nullptr;
  EXPECT_THROW(symm::atomic_fetch_nbi(nowhere, &words(1), 0), UsageError);
  Pe const wrong = symm::n_pes();
  EXPECT_THROW(context.pe_quiet(std::span(&wrong, 1)), UsageError);
  EXPECT_THROW(symm::pe_quiet(std::span(&wrong, 1)), UsageError);
  symm::barrier_all();
}

/// Collects the names of operations, as SYMM_TRACE does.
class Names : public symm::Impl::Observer {
 public:
  Names() { symm::Impl::ObserverList::add(*this); }
  ~Names() override { symm::Impl::ObserverList::remove(*this); }
  void begin(symm::Impl::Operation const& operation) noexcept override {
    names.emplace_back(operation.call);
  }
  void end(symm::Impl::Operation const&) noexcept override {}

  std::vector<std::string> names;
};

TEST(Contexts, are_in_errors_and_traces_by_the_name_of_the_operation) {
  Words const words("words", 16);
  Context const context;
  Pe const to        = next();
  std::uint64_t mine = 0;
  auto const run     = [&](std::string const& name, auto const& operation) {
    {
      Names const seen;
      operation(words.data());
      EXPECT_THAT(seen.names, testing::ElementsAre(name));
    }
    EXPECT_THAT([&] { operation(&mine); },
                testing::ThrowsMessage<UsageError>(HasSubstr(name + ": ")));
    context.quiet();  // the next one is about the same word
  };
  run("symm::p", [&](auto* its) { symm::p(context, its, 1, to); });
  run("symm::g", [&](auto* its) { mine = symm::g(context, its, to); });
  run("symm::putmem",
      [&](auto* its) { symm::putmem(context, its, &mine, 8, to); });
  run("symm::getmem",
      [&](auto* its) { symm::getmem(context, &mine, its, 8, to); });
  run("symm::putmem_nbi",
      [&](auto* its) { symm::putmem_nbi(context, its, &mine, 8, to); });
  run("symm::getmem_nbi",
      [&](auto* its) { symm::getmem_nbi(context, &mine, its, 8, to); });
  context.quiet();
}

struct Made {
  explicit Made(int its_number) : number(its_number) {}
  int number;
  char rest[13] = {};
};

TEST(Elements, need_no_default_constructor) {
  Kokkos::View<char*, symm::SymmetricHostSpace> const bytes("bytes", 64);
  auto* const made = reinterpret_cast<Made*>(bytes.data());
  Context const context;
  Pe const to = next();
  symm::p(context, made, Made(symm::my_pe() + 1), to);
  symm::p(made + 1, Made(symm::my_pe() + 2), to);
  symm::quiet();
  symm::barrier_all();
  EXPECT_EQ(symm::g(context, made, to).number, symm::my_pe() + 1);
  EXPECT_EQ(symm::g(made + 1, to).number, symm::my_pe() + 2);
  EXPECT_EQ(symm::g(symm::heap_map(bytes), made, to).number, symm::my_pe() + 1);
  symm::barrier_all();
}

TEST(Contexts, do_not_store_where_the_program_has_said_so) {
  Words const words("words", 4);
  Context const context({.serialized = true, .nostore = true});
  std::uint64_t const one = 1;
  symm::put_nbi(context, &words(1), &one, 1, next());
  context.fence();
  context.quiet();
  symm::barrier_all();
  EXPECT_EQ(words(1), 1);
  symm::barrier_all();
}

TEST(Requests, complete_their_operation) {
  Words const words("words", n_words);
  Pe const to = next();
  for (bool const looks : {false, true}) {
    for (auto const count : counts) {
      auto const source = values(to, looks ? 1 : 0, count);
      std::vector<std::uint64_t> back(count);
      Request request;
      auto const complete = [&] {
        EXPECT_TRUE(request.is_operation());
        if (looks) {
          while (!request.test()) {
          }
        } else {
          request.wait_source();
          EXPECT_TRUE(request.test_source());
          request.wait();
        }
        EXPECT_FALSE(request.is_operation());
        EXPECT_TRUE(request.test());
        request.wait();  // returns at once
      };
      symm::put_nbi(&words(1), source.data(), count, to, &request);
      complete();
      symm::getmem_nbi(back.data(), &words(1), 8 * count, to, &request);
      complete();
      EXPECT_EQ(back, source);
      symm::barrier_all();
      expect_values(words, 1, looks ? 1 : 0, count);
      symm::barrier_all();
      Kokkos::deep_copy(words, 0);
      symm::barrier_all();
    }
  }
}

TEST(Requests, are_waited_for_in_any_order) {
  constexpr std::size_t n = 40;
  Words const words("words", n);
  for (std::size_t i = 0; i < n; ++i) {
    words(i) = value(symm::my_pe(), 0, 0, i);
  }
  symm::barrier_all();
  std::array<std::uint64_t, n> got{};
  std::vector<Request> requests(n);
  auto const pe_of = [](std::size_t i) {
    return static_cast<Pe>(i) % symm::n_pes();
  };
  EXPECT_EQ(symm::wait_any(requests), SIZE_MAX);
  EXPECT_EQ(symm::test_any(requests), SIZE_MAX);
  for (std::size_t i = 0; i < n; ++i) {
    symm::get_nbi(&got[i], &words(i), 1, pe_of(i), &requests[i]);
  }
  std::vector<bool> has_come(n);
  for (std::size_t k = 0; k < n / 2; ++k) {
    auto const i = symm::wait_any(requests);
    ASSERT_LT(i, n);
    EXPECT_FALSE(has_come[i]);
    has_come[i] = true;
    EXPECT_EQ(got[i], value(pe_of(i), 0, 0, i));
  }
  symm::wait_all(requests);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(got[i], value(pe_of(i), 0, 0, i));
    EXPECT_FALSE(requests[i].is_operation());
  }
  EXPECT_EQ(symm::wait_any(requests), SIZE_MAX);
  symm::barrier_all();
}

TEST(Requests, that_are_moved_from_are_no_operation) {
  Words const words("words", n_words);
  std::vector<std::uint64_t> back(40'000);
  std::vector<Request> requests(2);
  symm::get_nbi(back.data(), &words(1), back.size(), next(), requests.data());
  requests[1] = std::move(requests[0]);
  // NOLINTNEXTLINE(bugprone-use-after-move): that there is none
  EXPECT_FALSE(requests[0].is_operation());
  EXPECT_EQ(symm::wait_any(requests), 1);
  EXPECT_EQ(symm::wait_any(requests), SIZE_MAX);
  symm::barrier_all();
}

TEST(Requests, that_are_let_go_leave_their_operation_to_quiet) {
  Words const words("words", n_words);
  Pe const to       = next();
  auto const source = values(to, 2, 40'000);
  std::vector<std::uint64_t> back(40'000);
  {
    Request request;
    symm::put_nbi(&words(1), source.data(), source.size(), to, &request);
    Request other(std::move(request));
    symm::put_nbi(&words(40'002), source.data(), 100, to, &other);
  }
  symm::quiet();
  {
    Request request;
    symm::get_nbi(back.data(), &words(1), back.size(), to, &request);
  }
  symm::quiet();
  EXPECT_EQ(back, source);
  symm::barrier_all();
  expect_values(words, 1, 2, 40'000);
  expect_values(words, 40'002, 2, 100);
}

}  // namespace
