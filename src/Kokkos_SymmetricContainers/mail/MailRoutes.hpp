// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_ROUTES_HPP
#define SYMM_MAIL_ROUTES_HPP

#include <cstddef>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"
#include "../base/TeamMembers.hpp"
#include "MailboxOptions.hpp"

namespace symm::Impl {

/// The routes of a mailbox's messages. A link leads from this PE to an inbox on
/// another PE. PE numbers are member numbers unless a name contains `world`.
///
/// Direct routing: this PE has a link to each PE.
///
/// Routing by nodes: the k-th PE on each node has links to the nodes k, k +
/// n_near, k + 2 n_near, ... A message for a far PE travels over up to three
/// links. The first leads to the PE on this node that has a link to the
/// receiver's node, the second to a PE on that node, and the third to the
/// receiver. As a result, the memory for blocks grows with the number of nodes,
/// not with the number of PEs.
///
/// With routing by nodes, the first `n_near` links lead to the PEs on this node
/// and carry messages to these PEs. The next `n_near` links lead to the same
/// PEs and carry messages that these PEs pass on. The remaining links lead to
/// other nodes. Inboxes are in the same order.
class MailRoutes {
 public:
  /// The PE at one end of a link.
  struct End {
    Pe pe;
    std::size_t number;  // number of the inbox or link on `pe`
    bool exists;         // false if the link is from a node to itself
    bool is_last;        // whether the PE that holds the inbox is the receiver
  };

  /// \param nodes the members' nodes, sorted by world PE number.
  /// \param me this PE's number in that order; for direct routing, its member
  ///        number.
  MailRoutes(Nodes const& nodes, Pe me, bool by_nodes);
  /// Creates no links. Used if this PE is not a member.
  MailRoutes() = default;

  [[nodiscard]] std::size_t n_links() const { return m_n_links; }
  [[nodiscard]] std::size_t n_inboxes() const { return m_n_links; }
  /// The largest n_links() on any PE.
  [[nodiscard]] std::size_t max_links() const { return m_max_links; }
  /// The inbox to which this PE's link `link` leads.
  [[nodiscard]] End target(std::size_t link) const { return other_end(link); }
  /// The link that leads to this PE's inbox number `inbox`.
  [[nodiscard]] End source(std::size_t inbox) const { return other_end(inbox); }

  /// Whether this PE has a link to each PE.
  [[nodiscard]] bool is_direct() const { return !m_by_nodes; }
  /// The link for this PE's messages to `pe`.
  [[nodiscard]] std::size_t link_to(Pe pe) const {
    return m_by_nodes ? link_by_nodes(place_of(pe)) : index(pe);
  }
  /// Sets the member numbers, sorted by world PE number.
  void set_order(std::vector<Pe> members);

 private:
  static std::size_t index(int number) {
    return static_cast<std::size_t>(number);
  }
  [[nodiscard]] std::size_t n_pes_of(std::size_t node) const {
    return index(m_nodes.first[node + 1] - m_nodes.first[node]);
  }
  [[nodiscard]] std::size_t node_of(Pe pe) const {
    return m_are_equal ? index(pe) / m_n_near : index(m_nodes.node_of(pe));
  }
  [[nodiscard]] End other_end(std::size_t number) const;
  [[nodiscard]] std::size_t link_by_nodes(Pe place) const;
  [[nodiscard]] Pe member_at(Pe place) const {
    return m_members.empty() ? place : m_members[index(place)];
  }
  [[nodiscard]] Pe place_of(Pe pe) const {
    return m_places.empty() ? pe : m_places[index(pe)];
  }

  Nodes m_nodes;  // without host names, to save memory
  // The position of each member among the members sorted by world PE number,
  // and the member at each position. Both are empty if the members are in world
  // order.
  std::vector<Pe> m_places;
  std::vector<Pe> m_members;
  bool m_by_nodes  = false;
  bool m_are_equal = true;  // whether all nodes have the same number of
                            // PEs
  std::size_t m_me = 0;  // this PE's number; with routing by nodes, its index
                         // on its node
  std::size_t m_n_near    = 0;
  std::size_t m_n_links   = 0;
  std::size_t m_max_links = 0;
};

/// Computes a mailbox's routes on this PE.
[[nodiscard]] MailRoutes mail_routes(TeamMembers const& members,
                                     MailRouting routing);

}  // namespace symm::Impl

#endif
