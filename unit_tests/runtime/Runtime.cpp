// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The runtime from initialize() to finalize(), its settings and its misuse.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/ProcessResources.hpp>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/memory/ReservedPages.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_rma.hpp>
#include <runtime/symm_teams.hpp>

namespace symm_test::runtime {
namespace {

using symm::Pe;
using symm::Impl::ErrorKind;
using symm::Impl::Runtime;
using symm::Impl::RuntimeOptions;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t mib = std::size_t{1} << 20U;

void set(char const* variable, char const* value) {
  ASSERT_EQ(::setenv(variable, value, 1), 0);
}

void initialize(ForkedBootstrap const& bootstrap) {
  Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
}

/// The tests say what is set; what the user has set must not matter.
class RuntimeOfPes : public testing::Test {
 protected:
  void SetUp() override {
    for (char const* variable :
         {"SYMM_STATIC_HEAP", "SYMM_SYMMETRIC_SIZE", "SYMM_HEAP_LIMIT",
          "SYMM_HUGE_PAGES", "SYMM_TIMEOUT", "NVSHMEM_SYMMETRIC_SIZE",
          "SHMEM_SYMMETRIC_SIZE"}) {
      ASSERT_EQ(::unsetenv(variable), 0);
    }
  }
};

/// PE 1 is started with other settings; all PEs must refuse alike, and work
/// with equal ones.
void expect_refused(std::function<void()> const& set_on_all,
                    std::function<void()> const& set_on_one,
                    testing::Matcher<std::string const&> const& message) {
  expect_on_pes(3, [&](ForkedBootstrap& bootstrap) {
    auto const before = n_open_descriptors();
    set_on_all();
    if (bootstrap.my_pe() == 1) set_on_one();
    auto const failure = symm::Impl::failure_of([&] { initialize(bootstrap); });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message, message);
    EXPECT_FALSE(Runtime::is_initialized());
    EXPECT_EQ(n_open_descriptors(), before);
    for (char const* variable :
         {"SYMM_STATIC_HEAP", "SYMM_SYMMETRIC_SIZE", "SYMM_HEAP_LIMIT",
          "SYMM_HUGE_PAGES", "SYMM_TIMEOUT"}) {
      ASSERT_EQ(::unsetenv(variable), 0);
    }
    initialize(bootstrap);
    EXPECT_NE(symm::malloc(64), nullptr);
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfPes, junk_on_one_pe_is_refused_by_all) {
  for (auto const& [variable, junk] : {std::pair{"SYMM_SYMMETRIC_SIZE", "12Q"},
                                       std::pair{"SYMM_STATIC_HEAP", "maybe"},
                                       std::pair{"SYMM_HEAP_LIMIT", "-1"},
                                       std::pair{"SYMM_HUGE_PAGES", "many"},
                                       std::pair{"SYMM_TIMEOUT", "soon"}}) {
    expect_refused(
        [] {}, [&, name = variable, value = junk] { set(name, value); },
        AllOf(HasSubstr("symm::initialize"), HasSubstr("PE 1 failed"),
              HasSubstr(std::string(variable) + "=" + junk)));
  }
}

TEST_F(RuntimeOfPes, M41_a_size_that_differs_is_refused_by_all) {
  expect_refused(
      [] { set("SYMM_SYMMETRIC_SIZE", "4M"); },
      [] { set("SYMM_SYMMETRIC_SIZE", "8M"); },
      AllOf(HasSubstr("SYMM_SYMMETRIC_SIZE differs"),
            HasSubstr("4194304 on PE 0"), HasSubstr("8388608 on PE 1")));
}

TEST_F(RuntimeOfPes, M39_a_static_heap_on_one_pe_only_is_refused_by_all) {
  expect_refused([] { set("SYMM_SYMMETRIC_SIZE", "4M"); },
                 [] { set("SYMM_STATIC_HEAP", "1"); },
                 HasSubstr("SYMM_STATIC_HEAP differs"));
}

TEST_F(RuntimeOfPes, a_limit_that_differs_is_refused_by_all) {
  expect_refused([] { set("SYMM_HEAP_LIMIT", "2G"); },
                 [] { set("SYMM_HEAP_LIMIT", "1G"); },
                 AllOf(HasSubstr("SYMM_HEAP_LIMIT differs"),
                       HasSubstr("1073741824 on PE 1")));
}

TEST_F(RuntimeOfPes, a_heap_of_no_bytes_is_refused_by_all) {
  expect_refused([] { set("SYMM_HEAP_LIMIT", "0"); }, [] {},
                 HasSubstr("SYMM_HEAP_LIMIT=0"));
  expect_refused(
      [] {
        set("SYMM_STATIC_HEAP", "1");
        set("SYMM_SYMMETRIC_SIZE", "0");
      },
      [] {}, HasSubstr("SYMM_SYMMETRIC_SIZE=0"));
}

TEST_F(RuntimeOfPes, pages_that_differ_are_refused_by_all) {
  expect_refused([] { set("SYMM_HUGE_PAGES", "advise"); },
                 [] { set("SYMM_HUGE_PAGES", "never"); },
                 HasSubstr("SYMM_HUGE_PAGES differs"));
}

TEST_F(RuntimeOfPes, pages_of_a_size_that_does_not_exist_are_refused_by_all) {
  expect_refused([] { set("SYMM_HUGE_PAGES", "8T"); }, [] {},
                 HasSubstr("no pages of that size"));
}

TEST_F(RuntimeOfPes, a_heap_of_advised_pages_is_one_as_any) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    set("SYMM_HUGE_PAGES", "advise");
    initialize(bootstrap);
    auto* const block = static_cast<int*>(symm::malloc(3 * mib));
    EXPECT_NE(block, nullptr);
    if (block != nullptr) *block = bootstrap.my_pe() + 1;
    symm::barrier_all();
    Pe const other = 1 - bootstrap.my_pe();
    EXPECT_EQ(symm::g(block, other), other + 1);
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfPes, a_heap_without_enough_large_pages_says_what_is_missing) {
  auto const sizes = symm::Impl::ReservedPages::all();
  if (sizes.empty()) GTEST_SKIP() << "this system has no large pages";
  auto const pages = sizes.front();
  if (pages.n_left >= 1024) GTEST_SKIP() << "there are " << pages.n_left;
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    set("SYMM_HUGE_PAGES", symm::Impl::page_size_text(pages.bytes).c_str());
    initialize(bootstrap);
    EXPECT_EQ(symm::malloc(1024 * pages.bytes), nullptr);
    EXPECT_THAT(symm::last_error(),
                AllOf(HasSubstr("SYMM_HUGE_PAGES"), HasSubstr("nr_hugepages"),
                      HasSubstr(std::to_string(pages.n_left) + " of ")));
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfPes, a_timeout_may_differ) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    if (bootstrap.my_pe() == 1) set("SYMM_TIMEOUT", "5");
    EXPECT_NO_THROW(initialize(bootstrap));
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfPes, M38_by_default_the_heap_is_dynamic_and_empty) {
  auto const options = RuntimeOptions::from_environment(4);
  EXPECT_FALSE(options.is_static);
  EXPECT_EQ(options.symmetric_bytes, 0U);
  EXPECT_GT(options.limit_bytes, std::size_t{1} << 30U);
  EXPECT_GT(options.timeout.count(), 1);
}

TEST_F(RuntimeOfPes, M41_M43_three_names_give_the_size_ours_first) {
  auto const size = [] {
    return RuntimeOptions::from_environment(4).symmetric_bytes;
  };
  set("SHMEM_SYMMETRIC_SIZE", "1M");
  EXPECT_EQ(size(), mib);
  set("NVSHMEM_SYMMETRIC_SIZE", "2M");
  EXPECT_EQ(size(), 2 * mib);
  set("SYMM_SYMMETRIC_SIZE", "3M");
  EXPECT_EQ(size(), 3 * mib);
}

TEST_F(RuntimeOfPes, M42_a_static_heap_has_its_size_from_the_start) {
  set("SYMM_STATIC_HEAP", "yes");
  EXPECT_GT(RuntimeOptions::from_environment(4).symmetric_bytes, 0U);
  set("SYMM_SYMMETRIC_SIZE", "6M");
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    EXPECT_EQ(symm::heap_stats().mapped_bytes, 6 * mib);
    EXPECT_EQ(symm::heap_stats().limit_bytes, 6 * mib);
    EXPECT_EQ(symm::malloc(6 * mib + 1), nullptr);
    EXPECT_THAT(symm::last_error(), HasSubstr("SYMM_SYMMETRIC_SIZE"));
    EXPECT_NE(symm::malloc(6 * mib), nullptr);
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfPes, the_default_limit_of_many_pes_fits_the_address_space) {
  for (int const n_pes : {1, 2, 4, 64, 1000, 4096}) {
    auto const limit = RuntimeOptions::from_environment(n_pes).limit_bytes;
    EXPECT_LE(limit, (std::size_t{1} << 46U) / static_cast<std::size_t>(n_pes));
    EXPECT_GE(limit, std::size_t{8} << 30U);
  }
}

/// Every call that needs a heap must say which call it was and `when`.
void expect_unusable(std::string const& when) {
  int object         = 0;
  auto const is_null = [&](void const* result, std::string const& name) {
    EXPECT_EQ(result, nullptr) << name;
    EXPECT_THAT(symm::last_error(),
                AllOf(HasSubstr("symm::" + name + ": "), HasSubstr(when)));
  };
  is_null(symm::malloc(64), "malloc");
  is_null(symm::align(64, 64), "align");
  is_null(symm::calloc(4, 16), "calloc");
  is_null(symm::realloc(nullptr, 64), "realloc");
  is_null(symm::ptr(&object, 0), "ptr");
  symm::free(&object);
  is_null(nullptr, "free");

  auto const throws = [&](std::function<void()> const& call,
                          std::string const& name) {
    auto const failure = symm::Impl::failure_of(call);
    ASSERT_TRUE(failure) << name;
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message,
                AllOf(HasSubstr("symm::" + name + ": "), HasSubstr(when)));
  };
  throws([] { static_cast<void>(symm::my_pe()); }, "my_pe");
  throws([] { static_cast<void>(symm::n_pes()); }, "n_pes");
  throws([] { static_cast<void>(symm::is_near(0)); }, "is_near");
  throws([] { symm::barrier_all(); }, "barrier_all");
  throws([] { static_cast<void>(symm::heap_stats()); }, "heap_stats");
  throws([] { symm::heap_trim(); }, "heap_trim");
  throws([] { Runtime::finalize(); }, "finalize");
}

TEST_F(RuntimeOfPes, use_before_initialize_and_after_finalize_is_an_error) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    expect_unusable("before symm::initialize()");
    initialize(bootstrap);
    EXPECT_EQ(symm::my_pe(), bootstrap.my_pe());
    EXPECT_EQ(symm::n_pes(), 2);
    EXPECT_TRUE(symm::is_near(0) && symm::is_near(1));
    EXPECT_FALSE(symm::is_near(-1) || symm::is_near(2));
    EXPECT_NE(symm::malloc(64), nullptr);
    EXPECT_STREQ(symm::last_error(), "");
    Runtime::finalize();
    expect_unusable("after symm::finalize()");
  });
}

TEST_F(RuntimeOfPes, a_second_initialize_is_an_error_and_changes_nothing) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    void* const block = symm::malloc(64);
    EXPECT_THROW(initialize(bootstrap), symm::UsageError);
    EXPECT_TRUE(Runtime::is_initialized());
    EXPECT_EQ(symm::heap_stats().live_blocks, 1U);
    symm::free(block);
    EXPECT_STREQ(symm::last_error(), "");
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfPes, R16_finalize_and_initialize_again_leaks_nothing) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    auto const before = n_open_descriptors();
    for (int round = 0; round < 30; ++round) {
      initialize(bootstrap);
      auto* const block = static_cast<int*>(symm::calloc(1000, sizeof(int)));
      ASSERT_NE(block, nullptr);
      Pe const to           = (bootstrap.my_pe() + 1) % 3;
      *symm::ptr(block, to) = 100 * round + to;
      symm::barrier_all();
      EXPECT_EQ(*block, 100 * round + bootstrap.my_pe());
      Runtime::finalize();
      ASSERT_EQ(n_open_descriptors(), before) << "in round " << round;
      ASSERT_EQ(n_memfd_mappings("symm"), 0U);
    }
  });
}

TEST_F(RuntimeOfPes, finalize_names_views_that_live_on_and_keeps_their_memory) {
  auto const results = run_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    auto& heap       = Runtime::instance("test").heap();
    auto* const view = static_cast<char*>(
        heap.allocate_view("late view", 4096 + 128, 256, 128));
    void* const other = heap.allocate_view("timely view", 64, 256, 128);
    view[0]           = 'x';
    heap.retire(other);
    if (bootstrap.my_pe() == 1) heap.retire(view);
    Runtime::finalize();
    if (bootstrap.my_pe() == 0) {
      EXPECT_EQ(view[0], 'x');
    }
  });
  EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
  EXPECT_TRUE(results[1].has_succeeded()) << results[1].output;
  EXPECT_THAT(results[0].output,
              AllOf(HasSubstr("PE 0: View \"late view\" (4096 bytes) is still "
                              "alive"),
                    testing::Not(HasSubstr("timely"))));
  EXPECT_THAT(results[1].output, testing::Not(HasSubstr("still alive")));
}

}  // namespace
}  // namespace symm_test::runtime
