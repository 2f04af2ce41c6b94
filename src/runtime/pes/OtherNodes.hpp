// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_OTHER_NODES_HPP
#define SYMM_PES_OTHER_NODES_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../bootstrap/Nodes.hpp"
#include "../transport/LostPe.hpp"
#include "../transport/StepMessages.hpp"
#include "Combination.hpp"
#include "NodeExchange.hpp"
#include "Outcome.hpp"

namespace symm::Impl {

/// The part of a Rendezvous that involves other nodes: messages between
/// leaders, and the result that a leader shares with the PEs on its node.
class OtherNodes {
 public:
  /// Data that the leader publishes to the PEs on its node, in shared memory.
  struct Result {
    std::atomic<std::uint64_t> sequence{0};
    // For reports: the leader is waiting for a message from nodes
    // [first_missing, end_missing).
    std::atomic<int> first_missing{0};
    std::atomic<int> end_missing{0};
    LostPeRecord lost_pe;

    Outcome outcome;
    std::uint32_t last_told = 0;
    std::uint32_t n_notices = 0;
    std::array<NoticeCount, Combination::max_notices> notices;
  };

  /// \param nodes Must outlive this object.
  /// \param result Memory in which the leader constructs the Result.
  /// \throws std::bad_alloc.
  OtherNodes(Nodes const& nodes, StepMessages& messages, void* result,
             Pe my_pe);

  [[nodiscard]] StepMessages& messages() const { return m_messages; }
  [[nodiscard]] Result const& result() const { return *m_result; }
  /// Called only by the leader, which writes all members except lost_pe.
  [[nodiscard]] Result& result() { return *m_result; }
  /// This node's host name; empty if unknown.
  [[nodiscard]] std::string_view host() const {
    return host_of(m_nodes.my_node);
  }

  /// Called only by the leader. Combines `parts`, which contains this node's
  /// data, with all other nodes' data.
  /// \param number The message number of phase 0; phase n uses number + n.
  /// \param receive receive(step, pe, number) waits for a message and returns
  ///        it.
  template <class Parts, class Receive>
  void exchange(Parts& parts, std::uint64_t number, Receive const& receive) {
    for (auto const& step : m_steps) {
      Pe const other     = m_nodes.leader(step.node);
      auto const message = number + static_cast<std::uint64_t>(step.phase);
      if (step.sends) m_messages.send(other, message, parts.message());
      if (!step.receives) continue;
      auto const received  = receive(step, other, message);
      bool const is_of_all = step.end - step.first == m_nodes.n();
      if (is_of_all) {
        parts.assign(received);
      } else {
        parts.add(received);
      }
    }
  }

  /// The nodes that the leader is waiting for, such as "the node of PE 4 (host
  /// b), which has not arrived".
  [[nodiscard]] BasicText<255> missing() const;

  /// A PE's name for error messages, such as "PE 9 of another node (host b)".
  [[nodiscard]] Text name_of(Pe pe) const;

  Combination combination;
  /// The result of Rendezvous::has_more_notices() for the latest meet().
  bool has_more_notices = false;

 private:
  [[nodiscard]] std::string_view host_of(int node) const;

  Nodes const& m_nodes;
  StepMessages& m_messages;
  std::vector<ExchangeStep> m_steps;  // empty unless this PE is a leader
  Result* m_result;
};

}  // namespace symm::Impl

#endif
