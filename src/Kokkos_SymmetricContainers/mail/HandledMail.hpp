// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_HANDLED_MAIL_HPP
#define SYMM_MAIL_HANDLED_MAIL_HPP

#include <cstddef>
#include <cstdint>

namespace symm::Impl {

/// The interface that a mailbox presents to MailOfThread. put_waiting() and
/// receive() return whether they moved any messages.
class HandledMail {
 public:
  HandledMail(HandledMail const&)            = delete;
  HandledMail& operator=(HandledMail const&) = delete;

  /// Moves waiting messages from handlers and from other threads into blocks,
  /// as long as there is room.
  virtual bool put_waiting() = 0;
  /// Handles blocks that have arrived, until MailOfThread::must_rest() returns
  /// true. If `one` is true, handles at most one block.
  virtual bool receive(bool one) = 0;
  /// Whether at least half of the space for waiting messages is free.
  [[nodiscard]] virtual bool has_room_to_wait() const = 0;

  // Used by MailOfThread and MailboxBase only.
  std::uint64_t start = 0;    // value of number_of_start() when the mailbox was
                              // opened; 0 if not open
  bool makes_wait = false;    // whether messages from this mailbox's handler
                              // have had to wait in other mailboxes
  std::size_t n_waiting = 0;  // number of handler-sent messages waiting in this
                              // mailbox

 protected:
  HandledMail()          = default;
  virtual ~HandledMail() = default;
};

}  // namespace symm::Impl

#endif
