// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_HANDLED_MAIL_HPP
#define SYMM_MAIL_HANDLED_MAIL_HPP

#include <cstddef>
#include <cstdint>

namespace symm::Impl {

/// A mailbox, as a MailOfThread handles its messages. Each function returns
/// whether it has moved anything.
class HandledMail {
 public:
  HandledMail(HandledMail const&)            = delete;
  HandledMail& operator=(HandledMail const&) = delete;

  /// Sends messages of handlers that wait, as far as there is room.
  virtual bool put_waiting() = 0;
  /// Handles blocks that have come, until the mailbox must rest or if `one` is
  /// enough.
  virtual bool receive(bool one) = 0;
  /// Whether half of the room for messages that wait is free.
  [[nodiscard]] virtual bool has_room_to_wait() const = 0;

  // Of MailOfThread and MailboxBase.
  std::uint64_t start   = 0;      // of the library; 0: the mailbox is not open
  bool makes_wait       = false;  // other mailboxes: see must_rest()
  std::size_t n_waiting = 0;      // messages of handlers, for this mailbox

 protected:
  HandledMail()          = default;
  virtual ~HandledMail() = default;
};

}  // namespace symm::Impl

#endif
