// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// One-sided operations with arguments that are refused: near and far PEs get
// the same errors, and no PE's memory changes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/MissingEngine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_atomics.hpp>
#include <runtime/symm_contexts.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_locks.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_rma.hpp>
#include <runtime/symm_signals.hpp>
#include <runtime/symm_teams.hpp>

namespace symm_test::nodes_one_sided {
namespace {

/// Calls of new that succeed before one fails; below 0: none fails.
thread_local int t_news_left = -1;

bool may_new() { return t_news_left < 0 || t_news_left-- != 0; }

}  // namespace
}  // namespace symm_test::nodes_one_sided

// GCC would compare inlined ones with the delete of others.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  auto* const memory =
      symm_test::nodes_one_sided::may_new() ? std::malloc(bytes | 1U) : nullptr;
  return memory != nullptr ? memory : throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes,
                                     std::nothrow_t const&) noexcept {
  return symm_test::nodes_one_sided::may_new() ? std::malloc(bytes | 1U)
                                               : nullptr;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace symm_test::nodes_one_sided {
namespace {

using symm::Context;
using symm::ContextOptions;
using symm::Pe;
using symm::Signal;
using symm::SignalOp;
using symm::Impl::ErrorKind;
using symm::Impl::failure_of;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t n_words = 64;

/// Nodes of two PEs.
class OneSidedOfNodes : public testing::Test {
 protected:
  void SetUp() override {
    for (char const* variable :
         {"SYMM_STATIC_HEAP", "SYMM_SYMMETRIC_SIZE", "SYMM_HEAP_LIMIT",
          "SYMM_TIMEOUT", "SYMM_PEER_TIMEOUT", "SYMM_NETWORK"}) {
      ASSERT_EQ(::unsetenv(variable), 0);
    }
    ASSERT_EQ(::setenv("SYMM_PES_PER_NODE", "2", 1), 0);
    if (!missing_engine().empty()) GTEST_SKIP() << missing_engine();
  }
  void TearDown() override { ::unsetenv("SYMM_PES_PER_NODE"); }
};

/// Calls body(words, pe) on four PEs for each near and each far PE. `words` is
/// symmetric and zero. \returns only if it is zero on all PEs afterwards.
void expect_on_near_and_far(
    std::function<void(std::uint64_t*, Pe)> const& body) {
  expect_on_pes(4, [&](ForkedBootstrap& bootstrap) {
    symm::Impl::Runtime::initialize(
        std::make_unique<ForkedBootstrap>(bootstrap));
    auto* const words = static_cast<std::uint64_t*>(
        symm::calloc(n_words, sizeof(std::uint64_t)));
    for (Pe pe = 0; pe < symm::n_pes(); ++pe) body(words, pe);
    symm::barrier_all();
    for (std::size_t i = 0; i < n_words; ++i) EXPECT_EQ(words[i], 0) << i;
    symm::free(words);
    symm::finalize();
  });
}

template <class T>
T* moved(std::uint64_t* words, std::size_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(words) + bytes);
}

/// A call that is to throw UsageError with its name.
struct Refused {
  char const* name;
  std::function<void()> call;
};

void expect_refused(std::vector<Refused> const& all, char const* why, Pe pe) {
  for (auto const& [name, call] : all) {
    auto const failure = failure_of(call);
    EXPECT_TRUE(failure) << name << " on PE " << pe;
    if (!failure) continue;
    EXPECT_EQ(failure->kind, ErrorKind::usage) << name;
    EXPECT_THAT(failure->message.c_str(),
                AllOf(HasSubstr(name), HasSubstr(why)))
        << "on PE " << pe;
  }
}

TEST_F(OneSidedOfNodes, atomics_of_misaligned_words_are_refused) {
  expect_on_near_and_far([](std::uint64_t* words, Pe pe) {
    Context const context;
    Context const gathers(ContextOptions{.aggregate = true});
    auto* const at    = moved<std::uint64_t>(words, 12);
    auto* const half  = moved<float>(words, 6);
    std::uint64_t was = 0;
    float was_half    = 0;
    using namespace symm;
    expect_refused(
        {{"symm::atomic_fetch", [&] { was = atomic_fetch(at, pe); }},
         {"symm::atomic_set", [&] { atomic_set(half, 1, pe); }},
         {"symm::atomic_swap", [&] { was = atomic_swap(at, 1, pe); }},
         {"symm::atomic_compare_swap",
          [&] { was = atomic_compare_swap(at, 0, 1, pe); }},
         {"symm::atomic_fetch_add",
          [&] { was_half = atomic_fetch_add(half, 1, pe); }},
         {"symm::atomic_add", [&] { atomic_add(at, 1, pe); }},
         {"symm::atomic_fetch_inc", [&] { was = atomic_fetch_inc(at, pe); }},
         {"symm::atomic_inc", [&] { atomic_inc(half, pe); }},
         {"symm::atomic_fetch_max", [&] { was = atomic_fetch_max(at, 1, pe); }},
         {"symm::atomic_max", [&] { atomic_max(half, 1, pe); }},
         {"symm::atomic_fetch_or", [&] { was = atomic_fetch_or(at, 1, pe); }},
         {"symm::atomic_xor", [&] { atomic_xor(at, 1, pe); }},
         {"symm::atomic_fetch_nbi", [&] { atomic_fetch_nbi(&was, at, pe); }},
         {"symm::atomic_compare_swap_nbi",
          [&] { atomic_compare_swap_nbi(&was, at, 0, 1, pe); }},
         {"symm::atomic_fetch_add_nbi",
          [&] {
            Request request;
            atomic_fetch_add_nbi(&was_half, half, 1, pe, &request);
          }},
         {"symm::atomic_swap", [&] { was = atomic_swap(context, at, 1, pe); }},
         {"symm::atomic_add", [&] { atomic_add(context, half, 1, pe); }},
         {"symm::atomic_fetch_inc_nbi",
          [&] { atomic_fetch_inc_nbi(context, &was, at, pe); }},
         {"symm::atomic_add", [&] { atomic_add(gathers, at, 1, pe); }},
         {"symm::atomic_set", [&] { atomic_set(gathers, half, 1, pe); }},
         {"symm::atomic_fetch_add",
          [&] { was = atomic_fetch_add(gathers, at, 1, pe); }}},
        "not a multiple of", pe);
    gathers.quiet();
    context.quiet();
    quiet();
    EXPECT_EQ(was, 0);
    EXPECT_EQ(was_half, 0);
  });
}

TEST_F(OneSidedOfNodes, words_that_are_put_got_or_signaled_are_aligned) {
  expect_on_near_and_far([](std::uint64_t* words, Pe pe) {
    Context const context;
    Context const gathers(ContextOptions{.aggregate = true});
    auto* const at     = moved<std::uint64_t>(words, 4);
    auto* const half   = moved<int>(words, 14);
    auto* const signal = moved<Signal>(words, 20);
    std::uint64_t got  = 0;
    std::array<std::uint64_t, 4> const data{1, 2, 3, 4};
    auto* const dest = words + 8;
    using namespace symm;
    expect_refused(
        {{"symm::p", [&] { p(at, std::uint64_t{1}, pe); }},
         {"symm::p", [&] { p(half, 1, pe); }},
         {"symm::p", [&] { p(context, at, std::uint64_t{1}, pe); }},
         {"symm::p", [&] { p(gathers, at, std::uint64_t{1}, pe); }},
         {"symm::g", [&] { got = g(at, pe); }},
         {"symm::g",
          [&] { got = static_cast<std::uint64_t>(g(context, half, pe)); }},
         {"symm::signal_op", [&] { signal_op(signal, 1, SignalOp::set, pe); }},
         {"symm::put_signal",
          [&] {
            put_signal(dest, data.data(), 4, signal, 1, SignalOp::add, pe);
          }},
         {"symm::put_signal_nbi",
          [&] {
            put_signal_nbi(dest, data.data(), 4, signal, 1, SignalOp::add, pe);
          }},
         {"symm::put_signal",
          [&] {
            put_signal(context, dest, data.data(), 4, signal, 1, SignalOp::set,
                       pe);
          }},
         {"symm::put_signal_nbi",
          [&] {
            put_signal_nbi(gathers, dest, data.data(), 4, signal, 1,
                           SignalOp::set, pe);
          }}},
        "not a multiple of", pe);
    // Of bytes, not of words.
    std::array<char, 2> pair{};
    get(pair.data(), moved<char>(words, 3), 2, pe);
    EXPECT_EQ(pair[0], 0);
    struct Pair {
      char first, second;
    };
    EXPECT_EQ(g(moved<Pair>(words, 3), pe).second, 0);
    gathers.quiet();
    context.quiet();
    quiet();
    EXPECT_EQ(got, 0);
  });
}

TEST_F(OneSidedOfNodes, waits_for_misaligned_variables_are_refused) {
  expect_on_near_and_far([](std::uint64_t* words, Pe pe) {
    auto* const at   = moved<std::uint64_t>(words, 4);
    auto* const half = moved<int>(words, 2);
    auto* const lock = moved<symm::Lock>(words, 12);
    std::array<std::size_t, 2> indices{};
    std::array<int, 2> const values{};
    using namespace symm;
    expect_refused(
        {{"symm::wait_until", [&] { wait_until(at, Compare::eq, 0); }},
         {"symm::test", [&] { static_cast<void>(test(half, Compare::eq, 0)); }},
         {"symm::signal_fetch", [&] { static_cast<void>(signal_fetch(at)); }},
         {"symm::signal_wait_until",
          [&] { signal_wait_until(at, Compare::eq, 0); }},
         {"symm::wait_until_all",
          [&] { wait_until_all(at, 2, nullptr, Compare::eq, 0); }},
         {"symm::wait_until_some",
          [&] {
            wait_until_some(half, 2, indices.data(), nullptr, Compare::eq, 0);
          }},
         {"symm::test_any_vector",
          [&] {
            static_cast<void>(
                test_any_vector(half, 2, nullptr, Compare::eq, values.data()));
          }},
         {"symm::set_lock", [&] { set_lock(lock); }},
         {"symm::test_lock", [&] { static_cast<void>(test_lock(lock)); }},
         {"symm::clear_lock", [&] { clear_lock(lock); }}},
        "not a multiple of", pe);
  });
}

TEST_F(OneSidedOfNodes, strides_that_leave_memory_are_refused_on_both_sides) {
  expect_on_near_and_far([](std::uint64_t* words, Pe pe) {
    std::vector<std::uint64_t> here(n_words);
    constexpr auto back = static_cast<std::size_t>(-1);
    constexpr auto far  = std::size_t{1} << 60U;
    auto* const last    = words + n_words - 1;
    auto* const end     = here.data() + n_words - 1;
    Context const context;
    using namespace symm;
    // Of the private side.
    expect_refused(
        {{"symm::iput", [&] { iput(words, end, 1, back, 4, pe); }},
         {"symm::iget", [&] { iget(end, words, back, 1, 4, pe); }},
         {"symm::iget", [&] { iget(end, words, back - 1, 1, 4, pe); }},
         {"symm::iget", [&] { iget(here.data(), words, far, 1, 2, pe); }},
         {"symm::iput", [&] { iput(words, here.data(), 1, far / 8, 17, pe); }},
         {"symm::iput", [&] { iput(context, words, end, 1, back, 4, pe); }},
         {"symm::ibput", [&] { ibput(words, end, 2, back, 2, 4, pe); }},
         {"symm::ibget", [&] { ibget(end, words, back, 2, 2, 4, pe); }},
         {"symm::ibget",
          [&] { ibget(here.data(), words, far / 4, 2, 2, 17, pe); }}},
        "strides must", pe);
    // Of the symmetric side.
    expect_refused(
        {{"symm::iput", [&] { iput(last, here.data(), back, 1, 4, pe); }},
         {"symm::iget", [&] { iget(here.data(), last, 1, back, 4, pe); }}},
        "not in this PE's part", pe);
    // One element has no stride.
    iget(here.data(), words, back, far, 1, pe);
    here[0] = 0;
    for (auto const word : here) EXPECT_EQ(word, 0);
  });
}

TEST_F(OneSidedOfNodes, a_context_that_finds_no_memory_leaves_its_place) {
  expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
    symm::Impl::Runtime::initialize(
        std::make_unique<ForkedBootstrap>(bootstrap));
    ContextOptions const by_nodes{.aggregate = true,
                                  .routing   = symm::UpdateRouting::by_nodes};
    // More often than there are contexts.
    int n_failed = 0;
    for (int repeat = 0; repeat < 100; ++repeat) {
      std::optional<Context> made;
      for (int news = 0; !made && news < 100; ++news) {
        t_news_left = news;
        try {
          made.emplace(by_nodes);
        } catch (std::bad_alloc const&) {
          ++n_failed;
        }
        t_news_left = -1;
      }
      EXPECT_TRUE(made.has_value()) << repeat;
    }
    EXPECT_GT(n_failed, 255);
    std::vector<Context> all;
    all.reserve(255);
    auto const failure = failure_of([&] {
      while (all.size() < 255) all.emplace_back();
    });
    EXPECT_FALSE(failure) << all.size() << ": " << failure->message.c_str();
    all.clear();
    symm::barrier_all();
    symm::finalize();
  });
}

}  // namespace
}  // namespace symm_test::nodes_one_sided
