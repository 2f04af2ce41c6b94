// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "OtherNodes.hpp"

#include <new>

namespace symm::Impl {

OtherNodes::OtherNodes(Nodes const& nodes, StepMessages& messages, void* result,
                       Pe my_pe)
    : m_nodes(nodes),
      m_messages(messages),
      m_result(static_cast<Result*>(result)) {
  if (my_pe != nodes.first_near()) return;
  m_steps  = exchange_steps(nodes.my_node, nodes.n());
  m_result = new (result) Result{};
}

std::string_view OtherNodes::host_of(int node) const {
  auto const index = static_cast<std::size_t>(node);
  return index < m_nodes.hosts.size() ? std::string_view(m_nodes.hosts[index])
                                      : std::string_view();
}

BasicText<255> OtherNodes::missing() const {
  int const first = m_result->first_missing.load(std::memory_order_relaxed);
  int const end   = m_result->end_missing.load(std::memory_order_relaxed);
  if (first >= end || end > m_nodes.n()) return "PEs of other nodes";
  auto const append_node = [&](auto& text, int node) {
    text.append("the node of PE ", m_nodes.leader(node));
    if (!host_of(node).empty()) text.append(" (host ", host_of(node), ")");
  };
  BasicText<255> text;
  append_node(text, first);
  if (end - first > 1) {
    text.append(" or a later one, up to ");
    append_node(text, end - 1);
  }
  text.append(", which has not arrived");
  return text;
}

Text OtherNodes::name_of(Pe pe) const {
  Text text("PE ", pe, " of another node");
  auto const host = m_nodes.host_of(pe);
  if (!host.empty()) text.append(" (host ", host, ")");
  return text;
}

}  // namespace symm::Impl
