// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Which PEs share a node, and what the PEs of two nodes share: nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/ForwardingBootstrap.hpp>
#include <support/ProcessResources.hpp>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/bootstrap/FdExchange.hpp>
#include <runtime/bootstrap/Nodes.hpp>
#include <runtime/memory/NodeTable.hpp>
#include <runtime/memory/SymmetricRange.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>

namespace symm_test::nodes {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::ErrorKind;
using symm::Impl::failure_of;
using symm::Impl::FdExchange;
using symm::Impl::find_nodes;
using symm::Impl::Nodes;
using symm::Impl::SymmetricRange;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// A launcher that says which PE is on which node.
class PlacedBootstrap final : public ForwardingBootstrap {
 public:
  PlacedBootstrap(Bootstrap& bootstrap, std::vector<int> node_of)
      : ForwardingBootstrap(bootstrap), m_node_of(std::move(node_of)) {}

  [[nodiscard]] int node() const override {
    return m_node_of[static_cast<std::size_t>(my_pe())];
  }

 private:
  std::vector<int> m_node_of;
};

/// All PEs find the same nodes, and each its own.
void expect_nodes(std::vector<int> const& node_of, int pes_per_node,
                  std::vector<Pe> const& first) {
  expect_on_pes(static_cast<int>(node_of.size()), [&](Bootstrap& bootstrap) {
    PlacedBootstrap placed(bootstrap, node_of);
    auto const nodes = find_nodes(placed, pes_per_node);
    EXPECT_EQ(nodes.first, first);
    EXPECT_EQ(nodes.my_node, nodes.node_of(bootstrap.my_pe()));
    EXPECT_TRUE(nodes.is_near(bootstrap.my_pe()));
    EXPECT_EQ(nodes.n_pes(), bootstrap.n_pes());
    EXPECT_EQ(nodes.hosts.size(), static_cast<std::size_t>(nodes.n()));
  });
}

TEST(Nodes, are_those_of_the_launcher) {
  expect_nodes({0}, 0, {0, 1});
  expect_nodes({0, 0, 0}, 0, {0, 3});
  expect_nodes({0, 1, 2}, 0, {0, 1, 2, 3});
  expect_nodes({0, 0, 2, 2, 2, 5}, 0, {0, 2, 5, 6});
}

TEST(Nodes, SYMM_PES_PER_NODE_divides_them) {
  expect_nodes({0, 0, 0, 0}, 2, {0, 2, 4});
  expect_nodes({0, 0, 0, 0, 0}, 2, {0, 2, 4, 5});
  expect_nodes({0, 0, 0}, 3, {0, 3});
  expect_nodes({0, 0, 0}, 1, {0, 1, 2, 3});
  expect_nodes({0, 0, 0, 3, 3}, 2, {0, 2, 3, 4, 5});
}

TEST(Nodes, numbers_that_are_not_consecutive_are_refused_by_all) {
  expect_on_pes(4, [](Bootstrap& bootstrap) {
    PlacedBootstrap placed(bootstrap, {0, 1, 0, 1});  // in turn
    char host[65] = "";
    ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
    std::string const on = std::string(" on ") + host;
    auto const failure   = failure_of([&] { (void)find_nodes(placed, 0); });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message,
                AllOf(HasSubstr("PE 0 and PE 2 run" + on),
                      HasSubstr("PE 1 between them runs" + on),
                      HasSubstr("mpiexec --map-by ppr:N:node"),
                      HasSubstr("srun -m block")));
    // Nodes of one PE each are consecutive.
    EXPECT_EQ(find_nodes(placed, 1).n(), 4);
  });
}

TEST(Nodes, a_setting_that_differs_is_refused_by_all) {
  expect_on_pes(3, [](Bootstrap& bootstrap) {
    int const mine     = bootstrap.my_pe() == 2 ? 3 : 2;
    auto const failure = failure_of([&] { (void)find_nodes(bootstrap, mine); });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message,
                AllOf(HasSubstr("SYMM_PES_PER_NODE differs"),
                      HasSubstr("2 on PE 0"), HasSubstr("3 on PE 2")));
  });
}

TEST(Nodes, who_shares_a_machine) {
  Nodes const two{{0, 2, 5}, 1};
  EXPECT_THAT((std::vector{two.first_near(), two.n_near(), two.max_near(),
                           two.n_on_machine(), two.leader(1)}),
              ElementsAre(2, 3, 3, 3, 2));
  EXPECT_FALSE(two.may_share_machine(1));
  Nodes const simulated{{0, 2, 5}, 0, true};
  EXPECT_THAT((std::vector{simulated.n_near(), simulated.max_near(),
                           simulated.n_on_machine()}),
              ElementsAre(2, 3, 5));
  EXPECT_TRUE(simulated.may_share_machine(4));
  // Containers: the first and the last run on one machine.
  Nodes const containers{{0, 2, 3, 7}, 0, false, {}, {true, false, true}};
  EXPECT_EQ(containers.n_on_machine(), 6);
  EXPECT_FALSE(containers.may_share_machine(2));
  EXPECT_TRUE(containers.may_share_machine(3));
}

TEST(Nodes, of_one_running_system_share_its_cores) {
  expect_on_pes(3, [](Bootstrap& bootstrap) {
    PlacedBootstrap placed(bootstrap, {0, 1, 1});
    auto const nodes = find_nodes(placed);
    EXPECT_EQ(nodes.n(), 2);
    EXPECT_EQ(nodes.n_on_machine(), 3);
  });
}

// What follows: five PEs, on nodes of two, two and one.
constexpr int n_pes = 5;

Nodes two_by_two(Bootstrap& bootstrap) { return find_nodes(bootstrap, 2); }

FdExchange::Attachment note_of(Pe pe) {
  FdExchange::Attachment note{};
  note[0] = static_cast<std::byte>(pe + 1);
  return note;
}

TEST(FdExchangeOfNodes, descriptors_go_to_near_pes_only) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    auto const descriptors = n_open_descriptors();
    {
      FdExchange exchange(bootstrap, two_by_two(bootstrap), {});
      auto const& nodes = exchange.nodes();
      Pe const me       = bootstrap.my_pe();
      for (int round = 0; round < 5; ++round) {
        auto const all = exchange.exchange(STDERR_FILENO, note_of(me));
        ASSERT_EQ(all.size(), static_cast<std::size_t>(nodes.n_near()));
        for (std::size_t i = 0; i < all.size(); ++i) {
          Pe const pe = nodes.first_near() + static_cast<Pe>(i);
          EXPECT_EQ(static_cast<bool>(all[i].descriptor), pe != me);
          if (pe == me) continue;
          EXPECT_EQ(all[i].note, note_of(pe));
        }
      }
      for (Pe pe = 0; pe < n_pes; ++pe) {
        EXPECT_FALSE(exchange.is_gone(pe));
        EXPECT_EQ(exchange.process_of(pe) != 0, nodes.is_near(pe)) << pe;
      }
      bootstrap.barrier();
    }
    EXPECT_EQ(n_open_descriptors(), descriptors);
  });
}

TEST(FdExchangeOfNodes, far_pes_are_neither_waited_for_nor_missed) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap, two_by_two(bootstrap), {});
    Pe const me = bootstrap.my_pe();
    if (me >= 2) return;  // they exchange nothing, and are soon gone
    auto const all = exchange.exchange(-1, note_of(me));
    EXPECT_EQ(all[me == 0 ? 1 : 0].note, note_of(1 - me));
    EXPECT_FALSE(exchange.is_gone(3));
  });
}

constexpr std::size_t unit       = std::size_t{64} << 10U;
constexpr std::size_t part_bytes = std::size_t{1} << 30U;

/// Addresses that this process has taken, in bytes.
std::size_t address_space() {
  std::size_t n_pages = 0;
  std::ifstream("/proc/self/statm") >> n_pages;
  return n_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct Stack {
  explicit Stack(Bootstrap& its_bootstrap)
      : bootstrap(its_bootstrap),
        exchange(bootstrap, two_by_two(bootstrap), {}),
        vmm(bootstrap.n_pes()),
        range(vmm, exchange, bootstrap.my_pe(), bootstrap.n_pes(), part_bytes,
              part_bytes) {}

  void add_chunk(std::size_t offset, std::size_t bytes) {
    range.add_chunk(offset, bytes, symm::Impl::agree_through(bootstrap));
  }

  Bootstrap& bootstrap;
  FdExchange exchange;
  symm::Impl::Vmm_HostMemfd vmm;
  SymmetricRange range;
};

TEST(SymmetricRangeOfNodes, addresses_are_those_of_a_job_of_one_node) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    Stack stack(bootstrap);
    auto const& map   = stack.range.map();
    auto const& nodes = stack.exchange.nodes();
    EXPECT_EQ(map.n_pes, n_pes);
    EXPECT_EQ(map.first_near, nodes.first_near());
    EXPECT_EQ(map.n_near, nodes.n_near());
    EXPECT_EQ(reinterpret_cast<std::size_t>(map.base) % part_bytes, 0U);
    char* const mine = map.part(map.my_pe) + unit;
    EXPECT_TRUE(map.contains(mine));
    EXPECT_EQ(map.offset_of(mine), unit);
    for (Pe pe = 0; pe < n_pes; ++pe) {
      EXPECT_EQ(map.is_near(pe), nodes.is_near(pe));
      EXPECT_EQ(map.peer_ptr(mine, pe), map.part(pe) + unit);
      EXPECT_EQ(map.peer_ptr_from_first(map.peer_ptr(mine, 0), pe),
                map.part(pe) + unit);
      EXPECT_EQ(map.overlaps(map.part(pe), 1), nodes.is_near(pe)) << pe;
    }
  });
}

TEST(NodeTable, has_what_the_first_pe_of_the_node_has) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    auto const descriptors = n_open_descriptors();
    {
      FdExchange exchange(bootstrap, two_by_two(bootstrap), {});
      symm::Impl::Vmm_HostMemfd vmm;
      std::vector<std::byte> const mine(
          100'000, static_cast<std::byte>(bootstrap.my_pe() + 1));
      symm::Impl::NodeTable const table(bootstrap, exchange, vmm, "a test",
                                        mine);
      auto const first = exchange.nodes().first_near();
      EXPECT_THAT(
          table.bytes(),
          AllOf(SizeIs(100'000), Each(static_cast<std::byte>(first + 1))));
      bootstrap.barrier();  // before a PE ends
    }
    EXPECT_EQ(n_memfd_mappings("symm"), 0U);
    EXPECT_EQ(n_open_descriptors(), descriptors);
  });
}

TEST(SymmetricRangeOfNodes, only_near_parts_are_reserved_and_mapped) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    auto const before = address_space();
    Stack stack(bootstrap);
    auto const taken = address_space() - before;
    auto const n_near =
        static_cast<std::size_t>(stack.exchange.nodes().n_near());
    auto const& map = stack.range.map();
    EXPECT_EQ(taken / part_bytes, n_near) << taken << " bytes";
    stack.add_chunk(unit, 2 * unit);
    EXPECT_EQ(n_memfd_mappings("symm"), n_near);
    for (Pe pe = map.first_near; map.is_near(pe); ++pe) {
      map.part(pe)[unit + static_cast<std::size_t>(map.my_pe)] =
          static_cast<char>(10 * map.my_pe + pe);
    }
    bootstrap.barrier();
    for (Pe from = 0; from < n_pes; ++from) {
      char const wanted =
          map.is_near(from) ? static_cast<char>(10 * from + map.my_pe) : '\0';
      EXPECT_EQ(map.part(map.my_pe)[unit + static_cast<std::size_t>(from)],
                wanted);
    }
    stack.range.remove_chunk(unit);
    EXPECT_EQ(n_memfd_mappings("symm"), 0U);
  });
}

TEST(SymmetricRangeOfNodes, a_failure_on_a_far_pe_undoes_all) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    Stack stack(bootstrap);
    auto const descriptors = n_open_descriptors();
    auto const failure     = failure_of([&] {
      auto const added = stack.range.try_to_add_chunk(
              unit, unit, symm::Impl::agree_through(bootstrap), [&] {
            if (bootstrap.my_pe() == 4) throw symm::OutOfMemory("none left");
            return stack.vmm.create(unit,
                                        symm::Impl::Vmm::Sharing::by_descriptor);
          });
      ASSERT_TRUE(added.failure);
      EXPECT_FALSE(added.is_lost);
      EXPECT_THAT(added.failure->message,
                      AllOf(HasSubstr("PE 4 failed"), HasSubstr("none left")));
    });
    EXPECT_FALSE(failure);
    EXPECT_EQ(n_memfd_mappings("symm"), 0U);
    EXPECT_EQ(n_open_descriptors(), descriptors);
    stack.add_chunk(unit, unit);
  });
}

}  // namespace
}  // namespace symm_test::nodes
