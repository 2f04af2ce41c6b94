// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_HANDLED_MAIL_HPP
#define SYMM_MAIL_HANDLED_MAIL_HPP

#include <cstddef>
#include <cstdint>

namespace symm::Impl {

/// The interface that a mailbox presents to MailOfThread. put_waiting() and
/// receive() return whether they have moved anything.
class HandledMail {
 public:
  HandledMail(HandledMail const&)            = delete;
  HandledMail& operator=(HandledMail const&) = delete;

  /// Sends the handlers' waiting messages, as far as there is room.
  virtual bool put_waiting() = 0;
  /// Handles blocks that have arrived, until the mailbox must rest. If `one` is
  /// true, handles only one block.
  virtual bool receive(bool one) = 0;
  /// Whether at least half of the room for waiting messages is free.
  [[nodiscard]] virtual bool has_room_to_wait() const = 0;

  // Used by MailOfThread and MailboxBase only.
  std::uint64_t start = 0;    // which initialization of the library; 0 if
                              // not open
  bool makes_wait = false;    // whether its handlers make messages wait in
                              // other mailboxes; see must_rest()
  std::size_t n_waiting = 0;  // number of handlers' messages that wait here

 protected:
  HandledMail()          = default;
  virtual ~HandledMail() = default;
};

}  // namespace symm::Impl

#endif
