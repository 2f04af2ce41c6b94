// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_NODEBINS_HPP
#define SYMM_ONE_SIDED_NODEBINS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../base/Types.hpp"
#include "../bootstrap/Nodes.hpp"
#include "../transport/HostCall.hpp"
#include "../transport/Updates.hpp"

namespace symm::Impl {

class Channel;

/// The updates of a Context that wait for PEs of other nodes, in one bin for
/// each node. PE k of a node sends its bins to PE k of others, modulo their
/// numbers of PEs, which carries out what they have for any PE of its node. So
/// memory grows with nodes and not with PEs. One thread.
class NodeBins {
 public:
  /// \param nodes of which none has more than NodeUpdate::max_near PEs;
  ///              outlives this.
  NodeBins(Nodes const& nodes, Pe me);

  /// Whether bins are better than a batch for each PE.
  [[nodiscard]] static bool are_better(Nodes const& nodes);
  /// Whether there can be bins.
  [[nodiscard]] static bool are_possible(Nodes const& nodes);

  /// Keeps an update, and sends the bin when it is full.
  /// \param update of an aligned word of a far PE's host heap.
  void add(FarAtomic const& update, Channel& channel, HostCall const& call);
  /// Sends all bins.
  void deliver(Channel& channel, HostCall const& call);

  /// Bytes of all bins that have been used. (What is empty keeps its memory.)
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Bin {
    std::unique_ptr<std::uint64_t[]> words;
    std::uint32_t n_words = 0;
    bool has_values       = false;  // each behind its update
    bool is_listed        = false;  // in m_used
    std::uint64_t value   = 0;      // of all, if not has_values

    /// Has room for twice the words, and no values.
    void give_values();
  };

  [[nodiscard]] int node_of(Pe pe) const {
    return m_n_each != 0 ? pe / m_n_each : m_nodes.node_of(pe);
  }
  void send(int node, Bin& bin, Channel& channel, HostCall const& call);

  Nodes const& m_nodes;
  int m_my_number;  // in its node
  int m_n_each;     // PEs of each node; 0: they differ
  std::uint32_t m_max_words;
  std::vector<Bin> m_bins;
  std::vector<int> m_used;  // nodes whose bins have updates
};

}  // namespace symm::Impl

#endif
