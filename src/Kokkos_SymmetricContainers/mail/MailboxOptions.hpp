// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_MAILBOX_OPTIONS_HPP
#define SYMM_MAIL_MAILBOX_OPTIONS_HPP

#include <cstddef>

namespace symm {

/// How messages of a Mailbox reach PEs on other nodes.
enum class MailRouting {
  automatic,  ///< `direct`, or `by_nodes` in jobs with many PEs
  direct,     ///< directly to each PE
  by_nodes,   ///< through one PE on each node: memory grows with the number of
              ///< nodes, not PEs
};

/// Options of a Mailbox. All PEs must pass the same options.
struct MailboxOptions {
  /// Size, in bytes, of the blocks that messages are sent in. If 0, the size is
  /// 4 KiB in large jobs and up to 64 KiB in small ones.
  std::size_t block_bytes = 0;
  /// Room, in bytes, for messages from handlers that cannot leave this PE yet.
  std::size_t waiting_bytes = std::size_t{64} << 20;
  MailRouting routing       = MailRouting::automatic;
};

}  // namespace symm

#endif
