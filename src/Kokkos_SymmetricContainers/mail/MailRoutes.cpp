// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailRoutes.hpp"

#include <algorithm>

#include <Kokkos_SymmetricSpace_Edge.hpp>

namespace symm::Impl {

MailRoutes::MailRoutes(Nodes const& nodes, Pe me, bool by_nodes)
    : m_nodes{nodes.first, nodes.mine},
      m_by_nodes(by_nodes),
      m_me(index(by_nodes ? me - nodes.first_near() : me)),
      m_n_near(index(nodes.n_near())) {
  if (!by_nodes) {
    m_n_links = m_most_links = index(nodes.n_pes());
    return;
  }
  auto const n       = index(nodes.n());
  auto const n_links = [n](std::size_t n_near, std::size_t place) {
    return 2 * n_near + (n + n_near - 1 - place) / n_near;
  };
  m_n_links = n_links(m_n_near, m_me);
  for (std::size_t node = 0; node < n; ++node) {
    m_are_equal  = m_are_equal && n_pes_of(node) == m_n_near;
    m_most_links = std::max(m_most_links, n_links(n_pes_of(node), 0));
  }
}

// Link 2 * n_near + a of PE `me` of node `here` leads to node a * n_near + me.
// There, PE `here % n_pes_there` has it as inbox
// 2 * n_pes_there + here / n_pes_there. Inboxes and their links follow the same
// rule.
MailRoutes::End MailRoutes::other_end(std::size_t number) const {
  if (!m_by_nodes) return {static_cast<Pe>(number), m_me, true, true};
  if (number < 2 * m_n_near) {
    bool const is_last = number < m_n_near;
    auto const place   = is_last ? number : number - m_n_near;
    return {m_nodes.first_near() + static_cast<Pe>(place),
            is_last ? m_me : m_n_near + m_me, true, is_last};
  }
  auto const here    = index(m_nodes.mine);
  auto const node    = (number - 2 * m_n_near) * m_n_near + m_me;
  auto const n_there = n_pes_of(node);
  return {m_nodes.first[node] + static_cast<Pe>(here % n_there),
          2 * n_there + here / n_there, node != here, false};
}

std::size_t MailRoutes::link_by_nodes(Pe pe) const {
  if (m_nodes.is_near(pe)) return index(pe - m_nodes.first_near());
  auto const node = node_of(pe);
  auto const who  = node % m_n_near;
  return who == m_me ? 2 * m_n_near + node / m_n_near : m_n_near + who;
}

MailRoutes mail_routes(MailRouting routing) {
  // Direct blocks to so many PEs take 24 MiB, and as much for far ones.
  constexpr int most_direct = 512;
  auto const& nodes         = nodes_of_job("symm::Mailbox");
  bool const by_nodes       = routing == MailRouting::by_nodes ||
                        (routing == MailRouting::automatic &&
                         nodes.n_pes() > most_direct && nodes.most_near() > 1);
  return {nodes, my_pe(), by_nodes};
}

}  // namespace symm::Impl
