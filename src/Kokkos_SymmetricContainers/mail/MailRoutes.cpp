// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailRoutes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

namespace symm::Impl {

MailRoutes::MailRoutes(Nodes const& nodes, Pe me, bool by_nodes)
    : m_nodes{nodes.first, nodes.my_node},
      m_by_nodes(by_nodes),
      m_me(index(by_nodes ? me - nodes.first_near() : me)),
      m_n_near(index(nodes.n_near())) {
  if (!by_nodes) {
    m_n_links = m_max_links = index(nodes.n_pes());
    return;
  }
  auto const n       = index(nodes.n());
  auto const n_links = [n](std::size_t n_near, std::size_t place) {
    return 2 * n_near + (n + n_near - 1 - place) / n_near;
  };
  m_n_links = n_links(m_n_near, m_me);
  for (std::size_t node = 0; node < n; ++node) {
    m_are_equal = m_are_equal && n_pes_of(node) == m_n_near;
    m_max_links = std::max(m_max_links, n_links(n_pes_of(node), 0));
  }
}

// Link 2 * n_near + a of PE `me` on node `here` leads to node a * n_near + me.
// On that node, PE `here % n_pes_there` holds the inbox, whose number is 2 *
// n_pes_there + here / n_pes_there. The same formula gives the link for an
// inbox.
MailRoutes::End MailRoutes::other_end(std::size_t number) const {
  if (!m_by_nodes) return {static_cast<Pe>(number), m_me, true, true};
  if (number < 2 * m_n_near) {
    bool const is_last = number < m_n_near;
    auto const place   = is_last ? number : number - m_n_near;
    return {member_at(m_nodes.first_near() + static_cast<Pe>(place)),
            is_last ? m_me : m_n_near + m_me, true, is_last};
  }
  auto const here    = index(m_nodes.my_node);
  auto const node    = (number - 2 * m_n_near) * m_n_near + m_me;
  auto const n_there = n_pes_of(node);
  return {member_at(m_nodes.first[node] + static_cast<Pe>(here % n_there)),
          2 * n_there + here / n_there, node != here, false};
}

std::size_t MailRoutes::link_by_nodes(Pe place) const {
  if (m_nodes.is_near(place)) return index(place - m_nodes.first_near());
  auto const node = node_of(place);
  auto const who  = node % m_n_near;
  return who == m_me ? 2 * m_n_near + node / m_n_near : m_n_near + who;
}

void MailRoutes::set_order(std::vector<Pe> members) {
  m_places.resize(members.size());
  for (std::size_t place = 0; place < members.size(); ++place)
    m_places[index(members[place])] = static_cast<Pe>(place);
  m_members = std::move(members);
}

namespace {

/// The members, sorted by world PE number.
std::vector<Pe> in_order_of_world(TeamMembers const& members) {
  std::vector<Pe> all(static_cast<std::size_t>(members.n()));
  std::iota(all.begin(), all.end(), 0);
  std::sort(all.begin(), all.end(), [&](Pe a, Pe b) {
    return members.world_pe(a) < members.world_pe(b);
  });
  return all;
}

/// The members' nodes, in the given order.
Nodes nodes_of(TeamMembers const& members, std::vector<Pe> const& order,
               Nodes const& world) {
  Nodes nodes;
  nodes.first  = {0};
  int previous = world.node_of(members.world_pe(order.front()));
  for (std::size_t place = 0; place < order.size(); ++place) {
    auto const node = world.node_of(members.world_pe(order[place]));
    if (node != previous) nodes.first.push_back(static_cast<Pe>(place));
    previous = node;
    if (order[place] == members.me()) nodes.my_node = nodes.n();
  }
  nodes.first.push_back(members.n());
  return nodes;
}

}  // namespace

MailRoutes mail_routes(TeamMembers const& members, MailRouting routing) {
  // With direct routing, this many PEs need 24 MiB for blocks, and as much
  // again for far PEs.
  constexpr int max_direct = 512;
  auto const& world        = nodes_of_job("symm::Mailbox");
  auto const by_nodes      = [&](Nodes const& nodes) {
    return routing == MailRouting::by_nodes ||
           (routing == MailRouting::automatic && nodes.n_pes() > max_direct &&
            nodes.max_near() > 1);
  };
  if (members.are_world()) return {world, members.me(), by_nodes(world)};
  if (members.n() == 0) return {};
  auto order       = in_order_of_world(members);
  auto const nodes = nodes_of(members, order, world);
  if (!by_nodes(nodes)) return {nodes, members.me(), false};
  auto const me = std::find(order.begin(), order.end(), members.me());
  MailRoutes routes(nodes, static_cast<Pe>(me - order.begin()), true);
  routes.set_order(std::move(order));
  return routes;
}

}  // namespace symm::Impl
