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

/// A Context's pending updates to far PEs, in one bin per node. The k-th PE on
/// a node sends its bins to the k-th PE on the target node (modulo the number
/// of PEs there). The receiver performs the updates on behalf of all PEs on its
/// node. Memory use therefore grows with the number of nodes, not with the
/// number of PEs. Used by one thread at a time.
class NodeBins {
 public:
  /// \param nodes must outlive this object. Precondition: are_possible(nodes).
  NodeBins(Nodes const& nodes, Pe me);

  /// Whether bins are preferable to one batch per PE.
  [[nodiscard]] static bool are_better(Nodes const& nodes);
  /// Whether there are several nodes, each with at most NodeUpdate::max_near
  /// PEs.
  [[nodiscard]] static bool are_possible(Nodes const& nodes);

  /// Adds an update to the bin of the target PE's node. If the bin has no room,
  /// sends it first. If this function throws, the update has not been added,
  /// and all other updates are still pending.
  /// \param update must change an aligned word in a far PE's heap in host
  ///        memory.
  void add(FarAtomic const& update, Channel& channel, HostCall const& call);
  /// Sends all bins.
  void deliver(Channel& channel, HostCall const& call);

  /// The total number of bytes that the bins occupy. (A bin keeps its memory
  /// after it has been sent.)
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Bin {
    std::unique_ptr<std::uint64_t[]> words;
    std::uint32_t n_words = 0;
    bool has_values       = false;  // each update is followed by its own value
    bool is_listed        = false;  // whether the bin's node is in m_used
    std::uint64_t value   = 0;      // if !has_values, the value of all updates

    /// Stores the common `value` after each update. Preconditions: !has_values,
    /// and there is room for twice as many words.
    void give_values();
  };

  [[nodiscard]] int node_of(Pe pe) const {
    return m_n_each != 0 ? pe / m_n_each : m_nodes.node_of(pe);
  }
  void send(int node, Bin& bin, Channel& channel, HostCall const& call);

  Nodes const& m_nodes;
  int m_my_number;  // this PE's number on its node
  int m_n_each;     // number of PEs per node; 0 if it differs between nodes
  std::uint32_t m_max_words;
  std::vector<Bin> m_bins;
  std::vector<int> m_used;  // nodes whose bins have updates
};

}  // namespace symm::Impl

#endif
