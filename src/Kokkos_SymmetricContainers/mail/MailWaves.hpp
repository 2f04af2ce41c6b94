// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_WAVES_HPP
#define SYMM_MAIL_WAVES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"
#include "../base/TeamMembers.hpp"

namespace symm::Impl {

/// What a PE, or several, have done in all phases.
struct MailCounts {
  std::uint64_t n_sent     = 0;
  std::uint64_t n_received = 0;
  std::uint64_t n_failures = 0;  // handlers that threw, and others

  friend bool operator==(MailCounts const&, MailCounts const&) = default;
  friend MailCounts operator+(MailCounts const& a, MailCounts const& b) {
    return {a.n_sent + b.n_sent, a.n_received + b.n_received,
            a.n_failures + b.n_failures};
  }
};

/// Finds when all messages have been handled on all PEs (Mattern's method of
/// four counters). A wave adds the counts of all PEs, as a barrier by
/// dissemination goes: in round k a PE tells PE me + 2^k what it knows. A PE
/// begins a wave when it has nothing to do. If a wave counts as many messages
/// sent as the wave before it had counted received, none was on its way in
/// between, and nobody had anything to do. All PEs find that alike.
///
/// A PE completes what its handlers have put before it begins a wave. So all
/// PEs see that when a phase has ended, as after a barrier.
class MailWaves {
 public:
  /// Collective over the world. \throws OutOfMemory, SystemError on every PE.
  MailWaves(char const* call, TeamMembers const& members);

  /// Goes on with the wave, as far as messages have come. Does not wait.
  /// \param mine the counts of this PE, which has nothing to do.
  /// \returns whether it went on, and waves still find new counts.
  bool advance(MailCounts const& mine);
  /// Whether all is handled: once, after the wave that found this.
  [[nodiscard]] bool take_end() { return std::exchange(m_is_end, false); }
  /// On all PEs, in all phases.
  [[nodiscard]] std::uint64_t n_failures() const { return m_all.n_failures; }

 private:
  /// What a PE knows in a round: the counts of 2^round PEs, itself the last of
  /// them; and those of as many as the lower bits of the number of PEs say.
  struct Sums {
    MailCounts all;
    MailCounts rest;
  };
  struct Words {
    Sums sums;
    Signal wave;
  };
  static constexpr std::size_t max_rounds = 31;
  /// A PE may be one wave ahead.
  using Rounds = std::array<std::array<Words, max_rounds>, 2>;

  [[nodiscard]] Words& words() { return m_rounds()[m_wave % 2][m_round]; }
  void tell();
  void end_wave();

  Kokkos::View<Rounds, SymmetricHostSpace> m_rounds;
  TeamMembers m_members;
  Pe m_me;
  int m_n_pes;
  std::size_t m_n_rounds;
  Signal m_wave       = 1;  // the present one
  bool m_has_begun    = false;
  std::size_t m_round = 0;
  Sums m_sums{};
  MailCounts m_mine{};     // that this PE has told last
  unsigned m_n_equal = 0;  // waves in turn that have counted the same
  MailCounts m_all{};      // in the wave before
  bool m_is_end = false;
};

}  // namespace symm::Impl

#endif
