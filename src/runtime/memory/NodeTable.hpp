// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_NODE_TABLE_HPP
#define SYMM_NODE_TABLE_HPP

#include <cstddef>
#include <optional>
#include <span>

#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "SymmetricRange.hpp"
#include "Vmm.hpp"

namespace symm::Impl {

/// Constant bytes that all PEs on a node share. The only copy is in the memory
/// of the node's first PE. This class is meant for tables that grow with the
/// number of PEs in the job.
class NodeTable {
 public:
  /// Collective.
  /// \param vmm   manages host memory; must outlive the table.
  /// \param bytes the table, at least 1 byte. It must have the same size on all
  ///        PEs, and the same contents on all PEs on a node. The caller may
  ///        free its copy afterward.
  /// \throws OutOfMemory, SystemError on every PE, with `what` in the message.
  NodeTable(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
            char const* what, std::span<std::byte const> bytes);

  [[nodiscard]] std::span<std::byte const> bytes() const { return m_bytes; }

 private:
  std::optional<SymmetricRange> m_range;
  std::span<std::byte const> m_bytes;
};

}  // namespace symm::Impl

#endif
