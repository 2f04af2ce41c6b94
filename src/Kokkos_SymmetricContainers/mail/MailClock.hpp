// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_CLOCK_HPP
#define SYMM_MAIL_CLOCK_HPP

#include <cstdint>

#include <Kokkos_SymmetricSpace_Edge.hpp>

namespace symm::Impl {

/// Counts the calls of all PEs that have ended here: barriers, collective calls
/// and ends of phases of mailboxes. No PE returns from one before all have
/// begun it, and all make them in the same order. So if a PE has sent a message
/// at a later time than it is here, this PE is still in a call that the sender
/// has left.
class MailClock {
 public:
  explicit MailClock(char const* call);

  [[nodiscard]] std::uint64_t now() const;
  /// A phase of a mailbox has ended on this PE.
  static void end_phase() noexcept;

 private:
  MetCalls m_met;
  std::uint64_t const* m_epoch;  // of the world's PE team
};

}  // namespace symm::Impl

#endif
