// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_BLOCKS_HPP
#define SYMM_MAIL_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"
#include "../base/BlockBuffers.hpp"

namespace symm::Impl {

class MailRoutes;
class TeamMembers;

/// A block's header, which precedes the block's messages.
struct alignas(16) MailHeader {
  std::uint64_t n_messages;
  std::uint64_t time;  // the sender's CollectiveClock::now()
};

/// Sends and receives blocks of messages (see BlockBuffers: each link has a
/// slot). Signals may arrive in any order, so each turn of a slot has its own
/// signal. The receiver adds 1 to a counter on the sender for each block that
/// it frees.
class MailBlocks {
 public:
  static constexpr unsigned n_turns = 4;

  /// Local: allocates all of this PE's private memory.
  /// \param call the mailbox's name; must outlive this object.
  /// \param block_bytes the size of a block in bytes; must be the same on all
  ///        members.
  /// \param least_block_bytes the size, in bytes, of a block that has room for
  ///        one message.
  /// \throws UsageError, OutOfMemory on this PE.
  MailBlocks(char const* call, MailRoutes const& routes,
             TeamMembers const& members, std::size_t block_bytes,
             std::size_t least_block_bytes);
  /// Collective over the world: allocates the symmetric memory.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  void begin(char const* call, MailRoutes const& routes);

  [[nodiscard]] std::size_t block_bytes() const { return m_block_bytes; }
  /// The address at which this PE writes the next block for a link; null if the
  /// receiver has not freed that memory yet.
  [[nodiscard]] std::byte* next_block(std::size_t link) const;
  /// Sends the block that next_block() returned.
  /// \param message_bytes the size of one message in bytes.
  void send(std::size_t link, MailHeader header, std::size_t message_bytes);

  /// The next block in an inbox; null if none has arrived.
  [[nodiscard]] std::byte const* received(std::size_t inbox) const;
  /// Frees the block that received() returned so that the sender may overwrite
  /// it.
  void free(std::size_t inbox);

 private:
  struct Link {
    BlockRoute route;
    Signal n_sent = 0;
  };
  struct Inbox {
    Signal* freed  = nullptr;  // symmetric address of the sender's counter
    Pe pe          = 0;
    Signal n_freed = 0;
  };

  /// The address at which this PE writes block `number` for a link.
  [[nodiscard]] std::byte* place(BlockRoute const& route, Signal number) const;

  std::size_t m_block_bytes;
  std::size_t m_n_far = 0;  // number of links to far PEs, each with n_turns
                            // blocks in the outbox
  BlockBuffers<SymmetricHostSpace, n_turns> m_buffers;
  // For each link, the number of this PE's blocks that the receiver has freed.
  Kokkos::View<Signal*, SymmetricHostSpace> m_freed;
  std::vector<Link> m_links;
  std::vector<Inbox> m_from;
};

}  // namespace symm::Impl

#endif
