// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_MAILBOX_OPTIONS_HPP
#define SYMM_MAIL_MAILBOX_OPTIONS_HPP

#include <cstddef>

namespace symm {

/// How messages of a Mailbox reach PEs on other nodes.
enum class MailRouting {
  automatic,  ///< direct, or by nodes in jobs of many PEs
  direct,     ///< directly to each PE
  by_nodes,   ///< by a PE of each node: memory grows with nodes, not with PEs
};

/// Options of a Mailbox; equal on all PEs.
struct MailboxOptions {
  /// Size of the blocks in which messages are sent, in bytes. If 0, the size is
  /// 4 KiB in large jobs and up to 64 KiB in small ones.
  std::size_t block_bytes = 0;
  /// Room for messages that handlers have sent and that cannot be sent yet, in
  /// bytes.
  std::size_t waiting_bytes = std::size_t{64} << 20;
  MailRouting routing       = MailRouting::automatic;
};

}  // namespace symm

#endif
