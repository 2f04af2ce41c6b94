// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "NodeBins.hpp"

#include <algorithm>
#include <span>

#include "../transport/Channel.hpp"
#include "../transport/NodeUpdates.hpp"

namespace symm::Impl {

namespace {

/// With at least this many nodes, bins use less memory than one batch per PE,
/// and fill up sooner.
constexpr int least_nodes = 33;
/// The total size of all bins, unless the job has more than 18,000 nodes.
constexpr std::size_t max_bytes       = std::size_t{36} << 20U;
constexpr std::size_t least_bin_bytes = std::size_t{2} << 10U;
constexpr std::size_t max_bin_bytes   = std::size_t{16} << 10U;

int n_each(Nodes const& nodes) {
  auto const most = nodes.max_near();
  return most * nodes.n() == nodes.n_pes() ? most : 0;
}

}  // namespace

NodeBins::NodeBins(Nodes const& nodes, Pe me)
    : m_nodes(nodes),
      m_my_number(me - nodes.first_near()),
      m_n_each(n_each(nodes)),
      m_bins(static_cast<std::size_t>(nodes.n())) {
  auto const bytes =
      std::clamp(max_bytes / m_bins.size(), least_bin_bytes, max_bin_bytes);
  m_max_words = static_cast<std::uint32_t>(bytes / 16 * 2);
}

bool NodeBins::are_better(Nodes const& nodes) {
  return nodes.n() >= least_nodes && nodes.max_near() > 1;
}

bool NodeBins::are_possible(Nodes const& nodes) {
  return nodes.n() > 1 && nodes.max_near() <= NodeUpdate::max_near;
}

void NodeBins::add(FarAtomic const& update, Channel& channel,
                   HostCall const& call) {
  auto const node = node_of(update.at.pe);
  auto& bin       = m_bins[static_cast<std::size_t>(node)];
  if (!bin.is_listed) {
    m_used.push_back(node);
    bin.is_listed = true;
  }
  if (!bin.words)
    bin.words = std::make_unique_for_overwrite<std::uint64_t[]>(m_max_words);
  if (bin.n_words == m_max_words) send(node, bin, channel, call);
  bool const is_equal =
      bin.n_words == 0 || (!bin.has_values && bin.value == update.value);
  if (!is_equal && !bin.has_values) {
    if (2 * bin.n_words < m_max_words) {
      bin.give_values();
    } else {
      send(node, bin, channel, call);
    }
  }
  if (bin.n_words == 0) {
    bin.has_values = false;
    bin.value      = update.value;
  }
  NodeUpdate const node_update{update.at.offset(),
                               update.at.pe - m_nodes.leader(node), update.op,
                               update.type};
  bin.words[bin.n_words++] = node_update.word();
  if (bin.has_values) bin.words[bin.n_words++] = update.value;
}

void NodeBins::Bin::give_values() {
  for (auto i = n_words; i-- > 0;) {
    words[2 * i]     = words[i];
    words[2 * i + 1] = value;
  }
  n_words *= 2;
  has_values = true;
}

void NodeBins::send(int node, Bin& bin, Channel& channel,
                    HostCall const& call) {
  auto const first = m_nodes.leader(node);
  auto const n     = m_nodes.leader(node + 1) - first;
  channel.post_node_updates(
      first + m_my_number % n,
      std::as_bytes(std::span(bin.words.get(), std::size_t{bin.n_words})),
      bin.has_values, bin.value, call);
  bin.n_words = 0;
}

void NodeBins::deliver(Channel& channel, HostCall const& call) {
  // A bin whose message cannot be sent keeps its updates and remains listed.
  while (!m_used.empty()) {
    auto const node = m_used.back();
    auto& bin       = m_bins[static_cast<std::size_t>(node)];
    if (bin.n_words != 0) send(node, bin, channel, call);
    bin.is_listed = false;
    m_used.pop_back();
  }
}

std::size_t NodeBins::bytes() const {
  std::size_t n = m_bins.size() * sizeof(Bin) + m_used.capacity() * sizeof(int);
  for (auto const& bin : m_bins)
    n += bin.words ? m_max_words * sizeof(std::uint64_t) : 0;
  return n;
}

}  // namespace symm::Impl
