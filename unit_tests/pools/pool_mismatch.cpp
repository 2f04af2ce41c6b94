// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// PEs that make different calls on symmetric pools: found at the next
// collective call, and named; and what works afterwards.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "pool_test.hpp"

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PoolMismatch : public testing::Test {
 protected:
  void SetUp() override {
    if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
    symm::heap_trim();
  }
  /// Each PE in turn is the only one that calls its own way.
  template <class Body>
  static void for_each_odd_one(Body const& body) {
    for (symm::Pe odd = 0; odd < symm::n_pes(); ++odd) {
      SCOPED_TRACE("the odd one is PE " + std::to_string(odd));
      body(odd, symm::my_pe() == odd);
    }
  }
};

/// A small one.
class SmallPool : public TestPool {
 public:
  SmallPool() : TestPool(Kind::symmetric, 2 * mib) { make_room(*this, mib); }
};

std::string called(symm::Pe pe, std::string const& call) {
  return "PE " + std::to_string(pe) + " called " + call;
}

/// The message of the next collective call.
std::string found() {
  return message_of<symm::UsageError>([] { symm::barrier_all(); });
}

/// Everything but the pools that there were works.
void expect_usable() {
  EXPECT_NO_THROW(symm::barrier_all());
  auto* const block = symm::malloc(1000);
  EXPECT_NE(block, nullptr) << symm::last_error();
  symm::free(block);
  View const view("ordinary", 100);
  Exec const exec;
  SmallPool const pool;
  auto* const first = take(pool, 1000, exec);
  EXPECT_NE(symm::ptr(first, right()), nullptr);
  give(first, exec);
  symm::barrier(exec, symm::team_world());
  give(take(pool, 1000, exec), exec);
  EXPECT_NO_THROW(symm::heap_trim());
}

TEST_F(PoolMismatch, P04_different_bytes) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    SmallPool const pool;
    Exec const exec;
    auto* const block = take(pool, is_odd ? 2000 : 1000, exec);
    EXPECT_THAT(found(),
                AllOf(HasSubstr("mismatched stream-ordered call #"),
                      HasSubstr(called(odd, "symm::malloc_async(pool = ")),
                      HasSubstr("bytes = 2000"), HasSubstr("bytes = 1000"),
                      HasSubstr("Found in symm::barrier_all()"),
                      HasSubstr("changed nothing on any PE")));
    give(block, exec);
    expect_usable();
  });
}

TEST_F(PoolMismatch, P04_bytes_that_are_rounded_alike) {
  SmallPool const pool;
  Exec const exec;
  auto* const block = take(pool, symm::my_pe() == 0 ? 1000 : 1001, exec);
  EXPECT_THAT(found(),
              AllOf(HasSubstr("bytes = 1000"), HasSubstr("bytes = 1001")));
  give(block, exec);
}

TEST_F(PoolMismatch, P04_different_streams) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    SmallPool const pool;
    auto const exec = streams(2);
    give(take(pool, 256, exec[0]), exec[0]);
    give(take(pool, 256, exec[1]), exec[1]);
    auto* const block = take(pool, 256, exec[is_odd ? 1 : 0]);
    EXPECT_THAT(found(), AllOf(HasSubstr(called(odd, "symm::malloc_async(")),
                               HasSubstr("bytes = 256, stream = ")));
    give(block, exec[0]);
  });
}

TEST_F(PoolMismatch, P04_streams_correspond_by_their_first_use) {
  SmallPool const pool;
  auto exec = streams(2);
  // Other instances, in another order of their making.
  if (symm::my_pe() % 2 == 1) std::swap(exec[0], exec[1]);
  give(take(pool, 256, exec[0]), exec[0]);
  give(take(pool, 256, exec[1]), exec[1]);
  EXPECT_EQ(found(), "no exception");
}

TEST_F(PoolMismatch, P04_a_call_that_is_missing) {
  for_each_odd_one([](symm::Pe odd, bool is_odd) {
    SmallPool const pool;
    Exec const exec;
    char* const block = is_odd ? nullptr : take(pool, 1000, exec);
    EXPECT_THAT(found(), AllOf(HasSubstr("PE " + std::to_string(odd) +
                                         " made no further call"),
                               HasSubstr("called symm::malloc_async(")));
    give(block, exec);
    expect_usable();
  });
}

TEST_F(PoolMismatch, P04_releases_of_different_blocks) {
  SmallPool const pool;
  Exec const exec;
  auto* const one   = take(pool, 1000, exec);
  auto* const two   = take(pool, 1000, exec);
  bool const is_odd = symm::my_pe() == 1;
  give(is_odd ? two : one, exec);
  EXPECT_THAT(found(), AllOf(HasSubstr(called(1, "symm::free_async(pool = ")),
                             HasSubstr("offset = ")));
  give(is_odd ? one : two, exec);
  expect_usable();
}

TEST_F(PoolMismatch, P04_the_first_call_that_differs_is_named) {
  SmallPool const pool;
  Exec const exec;
  bool const is_odd = symm::my_pe() == 1;
  std::vector<char*> blocks;
  for (std::size_t i = 1; i <= 50; ++i) {
    blocks.push_back(
        take(pool, i == 20 || i == 30 ? 256 * i + is_odd : 256 * i, exec));
  }
  EXPECT_THAT(found(),
              AllOf(HasSubstr("bytes = 5120,"), HasSubstr("bytes = 5121,"),
                    Not(HasSubstr("bytes = 7681"))));
  for (auto* const block : blocks) give(block, exec);
}

TEST_F(PoolMismatch, P04_labels_of_Views_are_shown) {
  SmallPool const pool;
  Exec const exec;
  bool const is_odd = symm::my_pe() == 0;
  {
    View const view(Kokkos::view_alloc(exec, Space(pool),
                                       std::string(is_odd ? "narrow" : "wide"),
                                       Kokkos::WithoutInitializing),
                    is_odd ? 100 : 200);
    EXPECT_THAT(found(),
                AllOf(HasSubstr(called(0, "symm::malloc_async \"narrow\"(")),
                      HasSubstr("symm::malloc_async \"wide\"(")));
  }
  expect_usable();
}

TEST_F(PoolMismatch, P04_labels_alone_may_differ) {
  SmallPool const pool;
  Exec const exec;
  {
    View const view(
        Kokkos::view_alloc(exec, Space(pool),
                           "of PE " + std::to_string(symm::my_pe())),
        100);
  }
  EXPECT_EQ(found(), "no exception");
}

TEST_F(PoolMismatch, P04_found_at_the_construction_of_a_View) {
  SmallPool const pool;
  Exec const exec;
  auto* const block = take(pool, symm::my_pe() == 0 ? 1000 : 2000, exec);
  EXPECT_THAT(message_of<symm::UsageError>([] { View("ordinary", 100); }),
              AllOf(HasSubstr("mismatched stream-ordered call #"),
                    HasSubstr("Found in allocation of a View \"ordinary\"")));
  give(block, exec);
  expect_usable();
}

TEST_F(PoolMismatch, P04_found_at_the_growth_of_a_pool) {
  SmallPool const pool;
  Exec const exec;
  auto* const block = take(pool, symm::my_pe() == 0 ? 1000 : 2000, exec);
  void* address     = not_null;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 64 * mib, pool, exec),
            Status::invalid_value);
  EXPECT_EQ(address, nullptr);
  EXPECT_THAT(symm::last_error(),
              AllOf(HasSubstr("mismatched stream-ordered call #"),
                    HasSubstr("Found in growth of a pool(")));
  give(block, exec);
  expect_usable();
}

TEST_F(PoolMismatch, P04_found_where_one_PE_grows_and_another_does_not) {
  SmallPool const pool;
  Exec const exec;
  bool const is_odd = symm::my_pe() == 1;
  void* address     = nullptr;
  auto const status = symm::malloc_from_pool_async(
      &address, is_odd ? 16 * mib : mib, pool, exec);
  if (is_odd) {
    EXPECT_EQ(status, Status::invalid_value);
    EXPECT_THAT(symm::last_error(),
                HasSubstr("mismatched stream-ordered call #"));
  } else {
    EXPECT_EQ(status, Status::success);
    EXPECT_THAT(found(), HasSubstr("bytes = 16777216"));
  }
  give(address, exec);
  expect_usable();
}

TEST_F(PoolMismatch, P04_at_other_collective_calls) {
  using Call                    = std::function<void(symm::MemPool)>;
  std::vector<Call> const calls = {[](symm::MemPool) { symm::heap_trim(); },
                                   [](symm::MemPool) {
                                     EXPECT_EQ(symm::malloc(100), nullptr);
                                     throw symm::UsageError(symm::last_error());
                                   },
                                   [](symm::MemPool) { symm::sync_all(); },
                                   [](symm::MemPool pool) {
                                     EXPECT_EQ(symm::mem_pool_trim_to(pool, 0),
                                               Status::invalid_value);
                                     throw symm::UsageError(symm::last_error());
                                   }};
  for (auto const& call : calls) {
    SmallPool const pool;
    Exec const exec;
    auto* const block = take(pool, symm::my_pe() == 0 ? 1000 : 2000, exec);
    EXPECT_THAT(message_of<symm::UsageError>([&] { call(pool); }),
                HasSubstr("mismatched stream-ordered call #"));
    give(block, exec);
  }
  expect_usable();
}

TEST_F(PoolMismatch, P04_everything_that_decides_is_compared) {
  bool const is_odd  = symm::my_pe() == 0;
  auto const exec    = streams(2);
  auto const current = [] {
    symm::MemPool pool;
    EXPECT_EQ(symm::device_get_mem_pool(&pool, Space::memory_kind),
              Status::success);
    return pool;
  };
  using Call = std::function<void(symm::MemPool)>;
  std::vector<std::pair<std::string, Call>> const calls = {
      {"symm::mem_pool_set_attribute(",
       [&](symm::MemPool pool) {
         set_flag(pool, Attribute::reuse_allow_opportunistic, is_odd);
       }},
      {"symm::mem_pool_set_attribute(",
       [&](symm::MemPool pool) {
         set_attribute(pool, Attribute::release_threshold, is_odd ? 1 : 2);
       }},
      {"symm::order_after(stream = ",
       [&](symm::MemPool) {
         EXPECT_EQ(symm::order_after(exec[is_odd], exec[!is_odd]),
                   Status::success);
       }},
      {"creation of a pool(",
       [&](symm::MemPool) {
         TestPool const other(Kind::symmetric, is_odd ? 1 : 2);
       }},
      {"symm::device_set_mem_pool(", [&](symm::MemPool pool) {
         auto const before = current();
         if (is_odd) {
           EXPECT_EQ(symm::device_set_mem_pool(Space::memory_kind, pool),
                     Status::success);
           EXPECT_EQ(symm::device_set_mem_pool(Space::memory_kind, before),
                     Status::success);
         }
       }}};
  for (auto const& [name, call] : calls) {
    SmallPool const pool;
    for (auto const& stream : exec) give(take(pool, 256, stream), stream);
    call(pool);
    EXPECT_THAT(found(), AllOf(HasSubstr("mismatched stream-ordered call #"),
                               HasSubstr(name)));
  }
  expect_usable();
}

TEST_F(PoolMismatch, P04_pools_that_there_were_give_no_more_memory) {
  Exec const exec;
  auto const mapped = settled().mapped_bytes;
  SmallPool const pool;
  symm::MemPool standard;
  EXPECT_EQ(symm::device_get_default_mem_pool(&standard, Space::memory_kind),
            Status::success);
  bool const is_odd = symm::my_pe() == 0;
  auto* const one   = take(pool, is_odd ? 1000 : 2000, exec);
  auto* const extra = is_odd ? take(pool, 256, exec) : nullptr;
  auto const used   = pool.used();
  EXPECT_THAT(found(), HasSubstr("mismatched"));
  for (auto const& lost : {symm::MemPool(pool), standard}) {
    void* address = not_null;
    EXPECT_EQ(symm::malloc_from_pool_async(&address, 1000, lost, exec),
              Status::invalid_value);
    EXPECT_EQ(address, nullptr);
    EXPECT_THAT(symm::last_error(),
                AllOf(HasSubstr("have made different calls"),
                      HasSubstr("create another pool")));
    EXPECT_EQ(symm::mem_pool_trim_to(lost, 0), Status::invalid_value);
    EXPECT_EQ(symm::device_set_mem_pool(Space::memory_kind, lost),
              Status::invalid_value);
  }
  EXPECT_EQ(pool.used(), used);
  // Blocks are freed on each PE as it has them; no PE minds any more.
  give(extra, exec);
  EXPECT_NO_THROW(symm::barrier_all());
  if (!is_odd) give(one, exec);
  symm::heap_trim();
  EXPECT_GT(stats().mapped_bytes, mapped) << "PE 0 has a block";
  if (is_odd) give(one, exec);
  EXPECT_EQ(pool.used(), 0U);
  symm::heap_trim();
  EXPECT_EQ(pool.reserved(), 0U);
  EXPECT_EQ(stats().mapped_bytes, mapped) << "no PE has";
  expect_usable();
}

TEST_F(PoolMismatch, P04_default_pools_begin_anew) {
  void* block = nullptr;
  EXPECT_EQ(symm::malloc_async(&block, 1000), Status::success);
  EXPECT_EQ(symm::free_async(block), Status::success);
  using symm::MemPoolProperties;
  auto const kind     = MemPoolProperties::default_memory_kind();
  auto const standard = [&] {
    symm::MemPool pool;
    EXPECT_EQ(symm::device_get_default_mem_pool(&pool, kind), Status::success);
    return pool;
  };
  auto const before = standard();
  EXPECT_EQ(symm::malloc_async(&block, symm::my_pe() == 0 ? 1000 : 2000),
            Status::success);
  EXPECT_THAT(found(), HasSubstr("mismatched"));
  EXPECT_NE(standard(), before);
  void* other = nullptr;
  EXPECT_EQ(symm::malloc_async(&other, 1000), Status::success)
      << symm::last_error();
  EXPECT_TRUE(is_equal_on_all_pes(symm::heap_map(kind).offset_of(other)));
  EXPECT_GT(attribute(standard(), Attribute::used_mem_current), 0U);
  EXPECT_NE(other, block);
  EXPECT_EQ(symm::free_async(block), Status::success);
  EXPECT_EQ(symm::free_async(other), Status::success);
  EXPECT_EQ(attribute(standard(), Attribute::used_mem_current), 0U);
  EXPECT_NO_THROW(symm::barrier_all());
}

TEST_F(PoolMismatch, P04_local_pools_are_no_matter_of_other_PEs) {
  TestPool const local(Kind::local);
  Exec const exec;
  bool const is_odd = symm::my_pe() == 0;
  char* const block = is_odd ? take(local, 1000, exec) : nullptr;
  if (is_odd) {
    TestPool const another(Kind::local);
    set_attribute(local, Attribute::release_threshold, 1);
    EXPECT_EQ(symm::mem_pool_trim_to(local, 0), Status::success);
  }
  EXPECT_EQ(found(), "no exception");
  give(block, exec);
  EXPECT_EQ(found(), "no exception");
}

TEST_F(PoolMismatch, P04_local_pools_work_on_after_a_mismatch_of_others) {
  TestPool const local(Kind::local);
  Exec const exec;
  auto* const mine = take(local, 1000, exec);
  {
    SmallPool const pool;
    auto* const block = take(pool, symm::my_pe() == 0 ? 1000 : 2000, exec);
    EXPECT_THAT(found(), HasSubstr("mismatched"));
    give(block, exec);
  }
  give(mine, exec);
  EXPECT_EQ(take(local, 1000, exec), mine);
  give(mine, exec);
}

}  // namespace
