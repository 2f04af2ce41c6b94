// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/FaultyVmm.hpp>
#include <support/ForkedPes.hpp>
#include <support/ProcessResources.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/bootstrap/FdExchange.hpp>
#include <runtime/memory/SymmetricRange.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>

namespace symm_test::symmetric_range {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::Failure;
using symm::Impl::FdExchange;
using symm::Impl::SymmetricRange;
using testing::HasSubstr;

constexpr std::size_t unit       = std::size_t{64} << 10U;
constexpr std::size_t part_bytes = 8 * unit;

/// A range of one PE, on memory that can be made to fail.
struct Stack {
  explicit Stack(Bootstrap& its_bootstrap)
      : bootstrap(its_bootstrap),
        exchange(bootstrap),
        memory(bootstrap.n_pes()),
        vmm(memory),
        range(vmm, exchange, bootstrap.my_pe(), bootstrap.n_pes(), part_bytes,
              0) {}

  std::optional<Failure> add_chunk(std::size_t offset, std::size_t bytes) {
    return symm::Impl::failure_of([&] {
      range.add_chunk(offset, bytes, [&](std::optional<Failure> const& mine) {
        return symm::Impl::agree(bootstrap, mine);
      });
    });
  }

  [[nodiscard]] std::size_t n_mappings() const {
    return n_mappings_in(
        range.map().base,
        range.map().stride * static_cast<std::size_t>(range.map().n_pes));
  }

  Bootstrap& bootstrap;
  FdExchange exchange;
  symm::Impl::Vmm_HostMemfd memory;
  FaultyVmm vmm;
  SymmetricRange range;
};

/// Differs for every sender, receiver and element.
char value(Pe from, Pe to, std::size_t i) {
  return static_cast<char>(from * 16 + to + static_cast<int>(i % 13));
}

/// Every PE writes a piece of its own into every PE's chunk.
void expect_all_reach_all(Stack& stack, std::size_t offset, std::size_t bytes) {
  auto const& map  = stack.range.map();
  auto const piece = bytes / static_cast<std::size_t>(map.n_pes);
  auto const start = [&](Pe writer, Pe owner) {
    return map.part(owner) + offset + static_cast<std::size_t>(writer) * piece;
  };
  for (Pe to = 0; to < map.n_pes; ++to) {
    for (std::size_t i = 0; i < piece; ++i) {
      start(map.my_pe, to)[i] = value(map.my_pe, to, i);
    }
  }
  stack.bootstrap.barrier();
  for (Pe from = 0; from < map.n_pes; ++from) {
    for (std::size_t i = 0; i < piece; ++i) {
      ASSERT_EQ(start(from, map.my_pe)[i], value(from, map.my_pe, i));
    }
  }
}

class SymmetricRangeSizes : public testing::TestWithParam<int> {};

TEST_P(SymmetricRangeSizes, S14_a_chunk_is_at_one_offset_of_every_part) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    Stack stack(bootstrap);
    for (std::size_t const offset : {0 * unit, 2 * unit, 5 * unit}) {
      EXPECT_FALSE(stack.add_chunk(offset, 2 * unit));
    }
    expect_all_reach_all(stack, 0, 2 * unit);
    expect_all_reach_all(stack, 2 * unit, 2 * unit);
    expect_all_reach_all(stack, 5 * unit, 2 * unit);
  });
}

TEST_P(SymmetricRangeSizes, a_removed_chunk_leaves_nothing) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    Stack stack(bootstrap);
    auto const descriptors = n_open_descriptors();
    auto const mappings    = stack.n_mappings();
    EXPECT_FALSE(stack.add_chunk(unit, unit));
    EXPECT_GT(stack.n_mappings(), mappings);
    EXPECT_GT(n_memfd_mappings("symm"), 0U);
    stack.range.remove_chunk(unit);
    EXPECT_EQ(stack.n_mappings(), mappings);
    EXPECT_EQ(n_open_descriptors(), descriptors);
    EXPECT_EQ(n_memfd_mappings("symm") + n_memfd_descriptors("symm"), 0U);
    EXPECT_FALSE(can_read(stack.range.map().part(0) + unit));
    EXPECT_FALSE(stack.add_chunk(unit, unit));
    expect_all_reach_all(stack, unit, unit);
  });
}

TEST_P(SymmetricRangeSizes, the_end_of_a_range_gives_all_back) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    auto const descriptors = n_open_descriptors();
    char const* base       = nullptr;
    {
      Stack stack(bootstrap);
      base = stack.range.map().base;
      EXPECT_FALSE(stack.add_chunk(0, unit));
      EXPECT_FALSE(stack.add_chunk(3 * unit, unit));
    }
    EXPECT_EQ(n_open_descriptors(), descriptors);
    EXPECT_EQ(n_memfd_mappings("symm"), 0U);
    EXPECT_FALSE(can_read(base));
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, SymmetricRangeSizes, testing::Values(1, 2, 4));

TEST(SymmetricRange, M47_parts_that_exceed_the_address_space_are_refused) {
  for (int const n_pes : {1, 2}) {
    expect_on_pes(n_pes, [&](Bootstrap& bootstrap) {
      FdExchange exchange(bootstrap);
      symm::Impl::Vmm_HostMemfd vmm;
      auto const half = std::numeric_limits<std::size_t>::max() / 2 + 1;
      EXPECT_THROW(
          SymmetricRange(vmm, exchange, bootstrap.my_pe(), n_pes, half, 0),
          symm::OutOfMemory);
    });
  }
}

/// One step of adding a chunk that fails on one PE.
struct Fault {
  VmmStep step;
  int call;  // of that step, from 0
  char const* name;
};

class SymmetricRangeFaults : public testing::TestWithParam<Fault> {};

TEST_P(SymmetricRangeFaults, M34_a_step_that_fails_on_one_pe_fails_on_all) {
  constexpr int n_pes = 3;
  for (Pe failing = 0; failing < n_pes; ++failing) {
    expect_on_pes(n_pes, [&](Bootstrap& bootstrap) {
      Stack stack(bootstrap);
      EXPECT_FALSE(stack.add_chunk(unit, unit)) << "a neighbor";
      auto const descriptors = n_open_descriptors();
      auto const mappings    = stack.n_mappings();
      for (int round = 0; round < 3; ++round) {
        if (bootstrap.my_pe() == failing) {
          stack.vmm.fail(GetParam().step, GetParam().call);
        }
        auto const failure = stack.add_chunk(2 * unit, unit);
        stack.vmm.heal();
        ASSERT_TRUE(failure) << "on every PE";
        EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::out_of_memory);
        EXPECT_THAT(failure->message,
                    HasSubstr("PE " + std::to_string(failing) + " failed"));
        EXPECT_THAT(failure->message, HasSubstr("an injected failure"));
        EXPECT_THAT(failure->message, HasSubstr(std::to_string(unit)));
        EXPECT_EQ(n_open_descriptors(), descriptors);
        EXPECT_EQ(stack.n_mappings(), mappings);
      }
      EXPECT_FALSE(stack.add_chunk(2 * unit, unit))
          << "M48: the next one works";
      expect_all_reach_all(stack, 2 * unit, unit);
      expect_all_reach_all(stack, unit, unit);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Steps, SymmetricRangeFaults,
    testing::Values(Fault{VmmStep::create, 0, "create"},
                    Fault{VmmStep::export_handle, 0, "export"},
                    Fault{VmmStep::map, 0, "map_own"},
                    Fault{VmmStep::set_access, 0, "set_access_own"},
                    Fault{VmmStep::import_handle, 0, "import_first"},
                    Fault{VmmStep::import_handle, 1, "import_second"},
                    Fault{VmmStep::map, 1, "map_first_peer"},
                    Fault{VmmStep::map, 2, "map_second_peer"},
                    Fault{VmmStep::set_access, 1, "set_access_first_peer"},
                    Fault{VmmStep::set_access, 2, "set_access_second_peer"}),
    [](auto const& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace symm_test::symmetric_range
