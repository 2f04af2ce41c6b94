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

/// The ways that messages of a mailbox take. A link leads from this PE to an
/// inbox of another one. PEs are members, but where a name has `world` in it.
///
/// Direct: a link to each PE. By nodes: PE k of each node speaks with the nodes
/// k, k + n_near, k + 2 n_near, ... A message for a far PE goes to the PE of
/// this node that speaks with its node, then to that node, then to its PE. So
/// memory for blocks grows with nodes and not with PEs.
///
/// Links, by nodes: `n_near` to PEs of this node, for messages to them; as many
/// for messages that they pass on; then those to nodes. Inboxes likewise.
class MailRoutes {
 public:
  /// One end of a link.
  struct End {
    Pe pe;
    std::size_t number;  // of the inbox or link at `pe`
    bool exists;         // a node has no link to itself
    bool is_last;        // messages are for the PE that has the inbox
  };

  /// \param nodes of the members, in the order of their numbers in the world.
  /// \param me    this PE's number in that order; direct: its number.
  MailRoutes(Nodes const& nodes, Pe me, bool by_nodes);
  /// No links: this PE is no member.
  MailRoutes() = default;

  [[nodiscard]] std::size_t n_links() const { return m_n_links; }
  [[nodiscard]] std::size_t n_inboxes() const { return m_n_links; }
  /// The same of the PE that has most.
  [[nodiscard]] std::size_t max_links() const { return m_max_links; }
  /// The inbox that a link of this PE leads to.
  [[nodiscard]] End target(std::size_t link) const { return other_end(link); }
  /// The link that leads to an inbox of this PE.
  [[nodiscard]] End source(std::size_t inbox) const { return other_end(inbox); }

  /// Whether each PE has a link.
  [[nodiscard]] bool is_direct() const { return !m_by_nodes; }
  /// The link that a message for `pe` takes from here.
  [[nodiscard]] std::size_t link_to(Pe pe) const {
    return m_by_nodes ? link_by_nodes(place_of(pe)) : index(pe);
  }
  /// Says which member is at each place in the order of the world.
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

  Nodes m_nodes;  // first PEs alone: names of nodes take memory
  // By nodes, unless it is the same: the place of each member, and the other
  // way.
  std::vector<Pe> m_places;
  std::vector<Pe> m_members;
  bool m_by_nodes         = false;
  bool m_are_equal        = true;  // nodes have equal numbers of PEs
  std::size_t m_me        = 0;     // this PE; by nodes: its place in its node
  std::size_t m_n_near    = 0;
  std::size_t m_n_links   = 0;
  std::size_t m_max_links = 0;
};

/// Of this PE.
[[nodiscard]] MailRoutes mail_routes(TeamMembers const& members,
                                     MailRouting routing);

}  // namespace symm::Impl

#endif
