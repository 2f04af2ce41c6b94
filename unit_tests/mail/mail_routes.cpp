// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The ways of messages, for all PEs of jobs that need not run.

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <Kokkos_SymmetricContainers/mail/MailBins.hpp>
#include <Kokkos_SymmetricContainers/mail/MailRoutes.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/bootstrap/Nodes.hpp>

namespace {

using symm::Pe;
using symm::Impl::MailBins;
using symm::Impl::MailRoutes;
using symm::Impl::Nodes;

Nodes nodes_of(std::vector<int> const& sizes) {
  Nodes nodes;
  nodes.first = {0};
  for (int const size : sizes) nodes.first.push_back(nodes.n_pes() + size);
  return nodes;
}

std::vector<MailRoutes> routes_of(Nodes nodes, bool by_nodes) {
  std::vector<MailRoutes> routes;
  for (Pe pe = 0; pe < nodes.n_pes(); ++pe) {
    nodes.my_node = nodes.node_of(pe);
    routes.emplace_back(nodes, pe, by_nodes);
  }
  return routes;
}

std::vector<std::vector<int>> const jobs{{1},
                                         {4},
                                         {1, 1},
                                         {2, 2},
                                         {2, 2, 2},
                                         {1, 3},
                                         {3, 1, 2, 5, 1},
                                         {8, 8, 8, 8, 8, 8, 8, 8, 8, 8},
                                         {4, 4, 1, 4, 3, 4, 4, 2, 4}};

TEST(MailRoutes, the_two_ends_of_each_link_know_each_other) {
  for (auto const& sizes : jobs) {
    for (bool const by_nodes : {false, true}) {
      auto const routes = routes_of(nodes_of(sizes), by_nodes);
      for (std::size_t pe = 0; pe < routes.size(); ++pe) {
        EXPECT_LE(routes[pe].n_links(), routes[pe].max_links());
        for (std::size_t link = 0; link < routes[pe].n_links(); ++link) {
          auto const to = routes[pe].target(link);
          if (!to.exists) continue;
          auto const& there = routes[static_cast<std::size_t>(to.pe)];
          ASSERT_LT(to.number, there.n_inboxes());
          auto const from = there.source(to.number);
          EXPECT_EQ(from.pe, static_cast<Pe>(pe));
          EXPECT_EQ(from.number, link);
          EXPECT_EQ(from.is_last, to.is_last);
          EXPECT_TRUE(from.exists);
        }
      }
    }
  }
}

TEST(MailRoutes, a_message_arrives_after_three_links_at_most) {
  for (auto const& sizes : jobs) {
    for (bool const by_nodes : {false, true}) {
      auto const nodes  = nodes_of(sizes);
      auto const routes = routes_of(nodes, by_nodes);
      for (Pe from = 0; from < nodes.n_pes(); ++from) {
        for (Pe to = 0; to < nodes.n_pes(); ++to) {
          Pe at         = from;
          bool is_there = false;
          int n_links   = 0;
          int n_across  = 0;
          while (!is_there) {
            auto const& here = routes[static_cast<std::size_t>(at)];
            auto const end   = here.target(here.link_to(to));
            ASSERT_TRUE(end.exists);
            ASSERT_LT(n_links++, 3);
            if (nodes.node_of(at) != nodes.node_of(end.pe)) ++n_across;
            at       = end.pe;
            is_there = end.is_last || at == to;
          }
          EXPECT_EQ(at, to);
          EXPECT_EQ(n_across, nodes.node_of(from) != nodes.node_of(to) ? 1 : 0);
        }
      }
    }
  }
}

TEST(MailRoutes, memory_of_a_PE_of_100000_is_at_most_64_MiB) {
  auto nodes    = nodes_of(std::vector<int>(12'500, 8));
  nodes.my_node = 6'000;
  MailRoutes const routes(nodes, 48'003, true);
  RecordProperty("bytes", static_cast<int>(MailBins::memory_bytes(routes)));
  EXPECT_LE(MailBins::memory_bytes(routes), std::size_t{64} << 20);
  EXPECT_GT(MailBins::memory_bytes(routes), std::size_t{1} << 20);
}

}  // namespace
