// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Symmetric pools when private memory is missing on one PE only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_pools.hpp>

namespace symm_test::pools_private_memory {
namespace {

/// Calls of new that succeed before all fail; below 0: all succeed.
int s_news_left = -1;

bool may_new() {
  if (s_news_left < 0) return true;
  return s_news_left > 0 && s_news_left-- > 0;
}

}  // namespace
}  // namespace symm_test::pools_private_memory

// GCC would compare inlined ones with the delete of others.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  auto* const memory = symm_test::pools_private_memory::may_new()
                           ? std::malloc(bytes | 1U)
                           : nullptr;
  return memory != nullptr ? memory : throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes,
                                     std::nothrow_t const&) noexcept {
  return symm_test::pools_private_memory::may_new() ? std::malloc(bytes | 1U)
                                                    : nullptr;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace symm_test::pools_private_memory {
namespace {

using symm::Pe;
using symm::Status;
using symm::Impl::Runtime;
using testing::HasSubstr;

constexpr std::size_t mib = std::size_t{1} << 20U;
constexpr Pe failing      = 1;

symm::MemPool make_pool() {
  symm::MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(&pool, {}), Status::success)
      << symm::last_error();
  return pool;
}

/// With memory, so that it need not grow.
symm::MemPool make_filled_pool() {
  auto const pool               = make_pool();
  std::uint64_t const threshold = 64 * mib;
  EXPECT_EQ(symm::mem_pool_set_attribute(
                pool, symm::MemPoolAttribute::release_threshold, &threshold),
            Status::success);
  void* block = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&block, mib, pool), Status::success);
  EXPECT_EQ(symm::free_async(block), Status::success);
  static_cast<void>(symm::heap_trim());
  return pool;
}

/// Makes `call` fail on one PE for want of private memory, after more and more
/// that it gets. The next collective call must tell all PEs, and the one behind
/// it work; and so until it does not fail any more.
template <class Prepare, class Call>
void expect_told(Prepare const& prepare, Call const& call) {
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    int n_failed = 0;
    bool fails   = true;
    for (int n_news = 0; fails; ++n_news) {
      auto const prepared = prepare();
      if (bootstrap.my_pe() == failing) s_news_left = n_news;
      auto const status = call(prepared);
      s_news_left       = -1;
      fails =
          symm::Impl::allgather(bootstrap, status)[failing] != Status::success;
      if (fails) ++n_failed;
      EXPECT_EQ(status, fails && bootstrap.my_pe() == failing
                            ? Status::out_of_memory
                            : Status::success)
          << symm::last_error();
      auto const told = symm::Impl::failure_of([] { symm::barrier_all(); });
      EXPECT_EQ(told.has_value(), fails) << "after " << n_news;
      if (told) {
        EXPECT_THAT(std::string(told->message.c_str()),
                    HasSubstr("mismatched stream-ordered call"));
        EXPECT_THAT(std::string(told->message.c_str()), HasSubstr("PE 1 "));
      }
      EXPECT_FALSE(symm::Impl::failure_of([] { symm::barrier_all(); }));
    }
    EXPECT_GT(n_failed, 0);
    Runtime::finalize();
  });
}

TEST(PoolFaults, malloc_without_private_memory_on_one_pe_is_told_to_all) {
  expect_told(make_filled_pool, [](symm::MemPool pool) {
    // So many that all tables must grow.
    auto status = Status::success;
    for (int i = 0; i < 100 && status == Status::success; ++i) {
      void* block = nullptr;
      status      = symm::malloc_from_pool_async(&block, 1000, pool);
    }
    return status;
  });
}

TEST(PoolFaults, free_without_private_memory_on_one_pe_is_told_to_all) {
  expect_told(
      [] {
        auto const pool = make_filled_pool();
        std::array<void*, 10> blocks{};
        for (auto& block : blocks) {
          EXPECT_EQ(symm::malloc_from_pool_async(&block, 1000, pool),
                    Status::success);
        }
        return blocks;
      },
      [](auto const& blocks) {
        auto status = Status::success;
        for (auto* const block : blocks) {
          if (status == Status::success) status = symm::free_async(block);
        }
        return status;
      });
}

}  // namespace
}  // namespace symm_test::pools_private_memory
