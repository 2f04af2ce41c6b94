// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_MAILBOX_OPTIONS_HPP
#define SYMM_MAIL_MAILBOX_OPTIONS_HPP

#include <cstddef>

namespace symm {

/// How a Mailbox's messages reach PEs on other nodes.
enum class MailRouting {
  automatic,  ///< `direct`, or `by_nodes` in jobs with many PEs
  direct,     ///< directly to each PE
  by_nodes,   ///< through one PE on each node: memory grows with the number of
              ///< nodes, not PEs
};

/// A Mailbox's options. All PEs must pass the same options.
struct MailboxOptions {
  /// Size, in bytes, of the blocks in which messages are sent. If 0, the size
  /// is 4 KiB in large jobs and up to 64 KiB in small jobs.
  std::size_t block_bytes = 0;
  /// Space, in bytes, for handler-sent messages that are waiting for room in a
  /// block.
  std::size_t waiting_bytes = std::size_t{64} << 20;
  MailRouting routing       = MailRouting::automatic;
};

}  // namespace symm

#endif
