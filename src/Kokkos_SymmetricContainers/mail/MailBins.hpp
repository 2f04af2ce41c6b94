// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_BINS_HPP
#define SYMM_MAIL_BINS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"
#include "../base/CollectiveClock.hpp"
#include "../base/TeamMembers.hpp"
#include "MailBlocks.hpp"
#include "MailboxOptions.hpp"

namespace symm::Impl {

class MailRoutes;

/// Collects messages in blocks, with one block in progress for each link.
class MailBins {
 public:
  /// The free part of the block in progress. Both pointers are null if there is
  /// no block.
  struct Bin {
    std::byte* next = nullptr;
    std::byte* end  = nullptr;
  };
  /// The size of a message, in bytes. `last` is the size on a link that leads
  /// to the receiver itself. `passed` is the size on any other link and
  /// includes the receiver's PE number.
  struct MessageBytes {
    std::size_t last;
    std::size_t passed;
  };

  /// Collective over the world.
  /// \param failure the reason why this PE cannot take part; empty if it can.
  ///        If set on any PE, all PEs throw it.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  MailBins(char const* call, TeamMembers const& members,
           MailboxOptions const& options, MessageBytes bytes,
           std::optional<Failure> failure);
  MailBins(MailBins const&)            = delete;
  MailBins& operator=(MailBins const&) = delete;
  ~MailBins();

  [[nodiscard]] bool is_direct() const { return m_is_direct; }
  [[nodiscard]] TeamMembers const& members() const { return m_members; }
  [[nodiscard]] std::size_t n_links() const { return m_is_last.size(); }
  [[nodiscard]] std::size_t n_inboxes() const { return m_is_last.size(); }
  /// The link for this PE's messages to `pe`.
  [[nodiscard]] std::size_t link_to(Pe pe) const;
  /// Whether the link leads directly to the receiver of its messages, so no PE
  /// passes these messages on. The result also applies to this PE's inbox with
  /// the same number: whether this PE is the receiver of all messages in the
  /// inbox.
  [[nodiscard]] bool is_last(std::size_t link) const {
    return m_is_last[link] != 0;
  }
  /// The size of one message on a link, in bytes.
  [[nodiscard]] std::size_t message_bytes(std::size_t link) const {
    return is_last(link) ? m_message_bytes.last : m_message_bytes.passed;
  }
  [[nodiscard]] MailBlocks& blocks() { return *m_blocks; }
  [[nodiscard]] Bin& bin(std::size_t link) { return m_bins[link]; }
  /// The number of messages that this PE has already passed on from the current
  /// block in the inbox.
  [[nodiscard]] std::uint64_t& n_passed_on(std::size_t inbox) {
    return m_n_passed_on[inbox];
  }

  /// Makes room for a message on a link: sends the block in progress, if any,
  /// and starts the next one.
  /// \returns whether there is room now; false while the receiver has not freed
  ///          a block.
  bool open(std::size_t link);
  /// Copies messages into a link's blocks, as long as there is room.
  /// \returns the number of bytes copied.
  std::size_t put(std::size_t link, std::span<std::byte const> messages);
  /// Sends every block in progress that contains messages.
  /// \returns whether any blocks were sent.
  bool flush();

  /// The number of messages in blocks that this PE has sent.
  [[nodiscard]] std::uint64_t n_sent() const { return m_n_sent; }
  /// Identifies the mailbox. The number is the same on all PEs and unique among
  /// mailboxes.
  [[nodiscard]] std::uint64_t number() const { return m_number; }
  [[nodiscard]] CollectiveClock const& clock() const { return *m_clock; }

  /// An upper bound, in bytes, on the memory that this PE allocates for a
  /// mailbox whose blocks have the default size.
  [[nodiscard]] static std::size_t memory_bytes(MailRoutes const& routes);

 private:
  static std::size_t default_block_bytes(MailRoutes const& routes);
  bool send(std::size_t link);

  TeamMembers m_members;
  std::unique_ptr<MailRoutes const> m_routes;
  bool m_is_direct = false;
  std::vector<char> m_is_last;
  MessageBytes m_message_bytes;
  std::optional<MailBlocks> m_blocks;
  std::vector<Bin> m_bins;
  std::vector<std::uint64_t> m_n_passed_on;
  std::uint64_t m_n_sent = 0;
  std::uint64_t m_number = 0;
  std::optional<CollectiveClock> m_clock;
};

}  // namespace symm::Impl

#endif
