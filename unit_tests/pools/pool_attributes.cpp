// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Attributes, trim_to and the release threshold: what a pool holds, and what it
// gives back.

#include <array>
#include <cstddef>
#include <cstdint>

#include "pool_test.hpp"

namespace {

using namespace symm_test;
using testing::HasSubstr;

class PoolAttributes : public BothPools {};
SYMM_TEST_BOTH_POOLS(PoolAttributes);

constexpr std::array policies = {Attribute::reuse_follow_event_dependencies,
                                 Attribute::reuse_allow_opportunistic,
                                 Attribute::reuse_allow_internal_dependencies};
constexpr std::array amounts  = {
     Attribute::reserved_mem_current, Attribute::reserved_mem_high,
     Attribute::used_mem_current, Attribute::used_mem_high};

TEST_P(PoolAttributes, H50_H52_H54_H55_are_at_first) {
  TestPool const pool(GetParam());
  for (auto const policy : policies) EXPECT_EQ(flag(pool, policy), 1);
  EXPECT_EQ(pool.get(Attribute::release_threshold), 0U);
  for (auto const amount : amounts) EXPECT_EQ(pool.get(amount), 0U);
}

TEST_P(PoolAttributes, H56_what_is_set_is_read_back) {
  TestPool const pool(GetParam());
  TestPool const other(GetParam());
  for (auto const policy : policies) {
    set_flag(pool, policy, 0);
    for (auto const each : policies)
      EXPECT_EQ(flag(pool, each), each != policy);
    set_flag(pool, policy, 1);
    EXPECT_EQ(flag(pool, policy), 1);
    set_flag(pool, policy, -5);
    EXPECT_EQ(flag(pool, policy), 1) << "anything but 0";
  }
  for (std::uint64_t const value : {std::uint64_t{1}, std::uint64_t{5} << 40U,
                                    ~std::uint64_t{0}, std::uint64_t{0}}) {
    set_attribute(pool, Attribute::release_threshold, value);
    EXPECT_EQ(pool.get(Attribute::release_threshold), value);
  }
  EXPECT_EQ(other.get(Attribute::release_threshold), 0U);
}

// An int and a uint64_t: no byte more is written.
TEST_P(PoolAttributes, H56_a_value_has_the_type_that_is_documented) {
  TestPool const pool(GetParam());
  for (auto const policy : policies) {
    std::array<int, 2> value = {-1, -1};
    EXPECT_EQ(symm::mem_pool_get_attribute(pool, policy, value.data()),
              Status::success);
    EXPECT_EQ(value[0], 1);
    EXPECT_EQ(value[1], -1);
  }
}

TEST_P(PoolAttributes, H56_unknown_or_null_is_an_invalid_value) {
  TestPool const pool(GetParam());
  std::uint64_t value = 77;
  for (std::uint32_t const number : {0U, 9U, 1000U}) {
    auto const unknown = static_cast<Attribute>(number);
    EXPECT_EQ(symm::mem_pool_get_attribute(pool, unknown, &value),
              Status::invalid_value);
    EXPECT_THAT(symm::last_error(), HasSubstr(std::to_string(number)));
    EXPECT_EQ(symm::mem_pool_set_attribute(pool, unknown, &value),
              Status::invalid_value);
  }
  EXPECT_EQ(value, 77U);
  EXPECT_EQ(
      symm::mem_pool_get_attribute(pool, Attribute::release_threshold, nullptr),
      Status::invalid_value);
  EXPECT_EQ(
      symm::mem_pool_set_attribute(pool, Attribute::release_threshold, nullptr),
      Status::invalid_value);
  EXPECT_THAT(symm::last_error(),
              HasSubstr("the address of the value is null"));
  EXPECT_NO_THROW(symm::barrier_all());
}

TEST_P(PoolAttributes, H56_amounts_follow_what_is_allocated_and_freed) {
  TestPool const pool(GetParam());
  Exec const exec;
  auto* const small = take(pool, 1000, exec);
  EXPECT_EQ(pool.used(), 1024U) << "whole multiples of 256";
  auto const reserved = pool.reserved();
  EXPECT_GE(reserved, 1000U);
  auto* const large = take(pool, 3 * mib, exec);
  EXPECT_EQ(pool.used(), 1024 + 3 * mib);
  EXPECT_EQ(pool.get(Attribute::used_mem_high), 1024 + 3 * mib);
  EXPECT_GE(pool.reserved(), 1024 + 3 * mib);
  auto const high = pool.reserved();
  give(large, exec);
  EXPECT_EQ(pool.used(), 1024U);
  EXPECT_EQ(pool.reserved(), high) << "freed is not given back";
  EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
  EXPECT_EQ(pool.reserved(), reserved);
  EXPECT_EQ(pool.get(Attribute::reserved_mem_high), high);
  EXPECT_EQ(pool.get(Attribute::used_mem_high), 1024 + 3 * mib);
  give(small, exec);
  EXPECT_EQ(pool.used(), 0U);
}

TEST_P(PoolAttributes, H56_high_water_marks_begin_anew_when_set_to_0) {
  TestPool const pool(GetParam());
  Exec const exec;
  auto* const kept = take(pool, 1000, exec);
  give(take(pool, 3 * mib, exec), exec);
  EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
  set_attribute(pool, Attribute::used_mem_high, 0);
  EXPECT_EQ(pool.get(Attribute::used_mem_high), 1024U);
  EXPECT_GT(pool.get(Attribute::reserved_mem_high), pool.reserved());
  set_attribute(pool, Attribute::reserved_mem_high, 0);
  EXPECT_EQ(pool.get(Attribute::reserved_mem_high), pool.reserved());
  for (auto const amount : amounts) {
    std::uint64_t const value = 1;
    EXPECT_EQ(symm::mem_pool_set_attribute(pool, amount, &value),
              Status::invalid_value);
  }
  for (auto const amount :
       {Attribute::reserved_mem_current, Attribute::used_mem_current}) {
    std::uint64_t const value = 0;
    EXPECT_EQ(symm::mem_pool_set_attribute(pool, amount, &value),
              Status::invalid_value);
    EXPECT_THAT(symm::last_error(), HasSubstr("cannot be set"));
  }
  EXPECT_EQ(pool.used(), 1024U);
  give(kept, exec);
  EXPECT_NO_THROW(symm::barrier_all());
}

// trim_to. Three chunks, of 2 MiB or more.

class PoolTrim : public BothPools {
 protected:
  void SetUp() override {
    BothPools::SetUp();
    m_mapped = stats().mapped_bytes;
    for (auto& block : m_blocks) {
      block = take(m_pool, chunk, exec);
      exec.fence();
      fill(ints(block, chunk), symm::my_pe(), right());
    }
    m_full = m_pool.reserved();
    EXPECT_GE(m_full, 3 * chunk);
    expect_mapped(m_full);
  }
  void TearDown() override {
    for (auto* const block : m_blocks) give(block, exec);
  }
  void free_block(std::size_t i) {
    give(std::exchange(m_blocks[i], nullptr), exec);
  }
  void trim_to(std::size_t bytes) {
    EXPECT_EQ(symm::mem_pool_trim_to(m_pool, bytes), Status::success)
        << symm::last_error();
  }
  /// What the pool says it has, the heap has.
  void expect_mapped(std::size_t bytes) const {
    EXPECT_EQ(m_pool.reserved(), bytes);
    if (is_local()) return;
    EXPECT_EQ(stats().mapped_bytes, m_mapped + bytes);
  }
  void expect_data(std::size_t i) const {
    EXPECT_EQ(count_wrong(ints(m_blocks[i], chunk), symm::my_pe(), right()),
              0U);
  }

  static constexpr std::size_t chunk = 2 * mib;

  Exec const exec;
  TestPool const m_pool{GetParam()};
  std::size_t m_mapped = 0;
  std::size_t m_full   = 0;
  std::array<char*, 3> m_blocks{};
};
SYMM_TEST_BOTH_POOLS(PoolTrim);

TEST_P(PoolTrim, H60_H64_all_is_given_back_when_nothing_is_outstanding) {
  for (std::size_t i = 0; i < 3; ++i) free_block(i);
  expect_mapped(m_full);
  trim_to(0);
  expect_mapped(0);
  give(take(m_pool, 1000, exec), exec);
}

TEST_P(PoolTrim, H61_H63_what_is_behind_a_block_stays_with_its_data) {
  free_block(0);
  free_block(2);
  trim_to(0);
  expect_mapped(chunk);
  expect_data(1);
  trim_to(0);
  expect_mapped(chunk);
}

TEST_P(PoolTrim, H61_nothing_is_given_back_while_all_is_outstanding) {
  trim_to(0);
  expect_mapped(m_full);
  for (std::size_t i = 0; i < 3; ++i) expect_data(i);
}

TEST_P(PoolTrim, H62_chunks_are_given_back_as_a_whole) {
  give(take(m_pool, 256, exec), exec);
  auto* const small = take(m_pool, 256, exec);
  for (std::size_t i = 0; i < 3; ++i) free_block(i);
  trim_to(0);
  EXPECT_GE(m_pool.reserved(), chunk) << "the chunk of 256 bytes";
  EXPECT_EQ(m_pool.reserved() % chunk, 0U);
  expect_mapped(m_pool.reserved());
  give(small, exec);
  trim_to(0);
  expect_mapped(0);
}

TEST_P(PoolTrim, H60_H66_as_many_bytes_as_are_asked_for_stay) {
  for (std::size_t i = 0; i < 3; ++i) free_block(i);
  trim_to(m_full - 1);
  expect_mapped(m_full);
  trim_to(chunk + 1);
  EXPECT_GE(m_pool.reserved(), chunk + 1);
  EXPECT_LT(m_pool.reserved(), m_full);
  expect_mapped(m_pool.reserved());
  trim_to(1);
  expect_mapped(chunk);
}

TEST_P(PoolTrim, H65_is_a_no_op_where_less_is_reserved) {
  for (std::size_t i = 0; i < 3; ++i) free_block(i);
  for (std::size_t const bytes : {m_full, m_full + 1, ~std::size_t{0}}) {
    trim_to(bytes);
    expect_mapped(m_full);
  }
}

TEST_P(PoolTrim, H67_the_default_pool_gives_back_too) {
  symm::MemPool pool;
  EXPECT_EQ(symm::device_get_default_mem_pool(&pool, Space::memory_kind),
            Status::success);
  give(take(pool, chunk, exec), exec);
  EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
  EXPECT_EQ(attribute(pool, Attribute::reserved_mem_current), 0U);
  EXPECT_EQ(attribute(pool, Attribute::used_mem_current), 0U);
}

// The release threshold.

TEST_P(PoolTrim, H50_H51_what_is_unused_goes_at_the_next_collective_call) {
  for (std::size_t i = 0; i < 3; ++i) free_block(i);
  symm::barrier_all();
  exec.fence();
  expect_mapped(m_full);
  symm::free(symm::malloc(16));
  EXPECT_EQ(m_pool.reserved(), 0U);
  symm::heap_trim();
  expect_mapped(0);
}

TEST_P(PoolTrim, H51_the_construction_of_a_View_is_such_a_call) {
  for (std::size_t i = 0; i < 3; ++i) free_block(i);
  // One collective call.
  View const view(Kokkos::view_alloc("v", Kokkos::WithoutInitializing), 10);
  EXPECT_EQ(m_pool.reserved(), 0U);
}

TEST_P(PoolTrim, H51_what_is_used_stays_at_the_next_collective_call) {
  free_block(1);
  symm::heap_trim();
  expect_mapped(m_full - chunk);
  expect_data(0);
  expect_data(2);
}

TEST_P(PoolTrim, H50_bytes_below_the_threshold_stay) {
  set_attribute(m_pool, Attribute::release_threshold, 2 * chunk);
  for (std::size_t i = 0; i < 3; ++i) free_block(i);
  symm::heap_trim();
  EXPECT_GE(m_pool.reserved(), 2 * chunk);
  EXPECT_LT(m_pool.reserved(), m_full);
  expect_mapped(m_pool.reserved());
  set_attribute(m_pool, Attribute::release_threshold, 1);
  symm::heap_trim();
  expect_mapped(chunk);
  set_attribute(m_pool, Attribute::release_threshold, 0);
  symm::barrier_all();
  expect_mapped(chunk);
  symm::heap_trim();
  expect_mapped(0);
}

TEST_P(PoolTrim, H50_trim_to_goes_below_the_threshold) {
  set_attribute(m_pool, Attribute::release_threshold, ~std::uint64_t{0});
  for (std::size_t i = 0; i < 3; ++i) free_block(i);
  symm::heap_trim();
  expect_mapped(m_full);
  trim_to(0);
  expect_mapped(0);
}

}  // namespace
