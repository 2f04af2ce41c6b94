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

/// Message counts of one or more PEs, summed over all phases. (Each finish()
/// ends a phase.)
struct MailCounts {
  std::uint64_t n_sent     = 0;
  std::uint64_t n_received = 0;
  std::uint64_t n_failures = 0;  // failures of handlers, and other failures

  friend bool operator==(MailCounts const&, MailCounts const&) = default;
  friend MailCounts operator+(MailCounts const& a, MailCounts const& b) {
    return {a.n_sent + b.n_sent, a.n_received + b.n_received,
            a.n_failures + b.n_failures};
  }
};

/// Detects when all messages have been handled on all PEs (Mattern's
/// four-counter method). A wave sums all PEs' counts in the pattern of a
/// dissemination barrier: in round k, a PE sends its partial sums to PE me +
/// 2^k, modulo the number of PEs. A PE starts a wave when it is idle. The phase
/// has ended if the number of messages sent, as counted in one wave, equals the
/// number received, as counted in the previous wave. In that case, no message
/// was in flight between the two waves, and every PE was idle. All PEs reach
/// the same result.
///
/// Before a PE starts a wave, it completes its handlers' puts. Therefore, when
/// a phase has ended, all PEs see these puts, as after a barrier.
class MailWaves {
 public:
  /// Collective over the world. \throws OutOfMemory, SystemError on every PE.
  MailWaves(char const* call, TeamMembers const& members);

  /// Starts a wave unless one is in progress. Then advances the wave as far as
  /// possible with the signals that have arrived. Does not wait. Precondition:
  /// this PE is idle.
  /// \param mine this PE's counts.
  /// \returns whether the wave has advanced. After several waves with equal
  ///          counts, returns false until the phase ends.
  bool advance(MailCounts const& mine);
  /// Whether all messages have been handled. Returns true only once, after the
  /// wave that detected the end.
  [[nodiscard]] bool take_end() { return std::exchange(m_is_end, false); }
  /// The total number of failures on all PEs in all phases.
  [[nodiscard]] std::uint64_t n_failures() const { return m_all.n_failures; }

 private:
  /// The dissemination's partial sums. `all` is the sum over the 2^round PEs up
  /// to and including this PE. `rest` is the sum over the n_pes % 2^round PEs
  /// up to and including this PE. (PE 0 follows the last PE.)
  struct Sums {
    MailCounts all;
    MailCounts rest;
  };
  struct Words {
    Sums sums;
    Signal wave;
  };
  static constexpr std::size_t max_rounds = 31;
  /// Two sets of words because a PE may be one wave ahead of another.
  using Rounds = std::array<std::array<Words, max_rounds>, 2>;

  [[nodiscard]] Words& words() { return m_rounds()[m_wave % 2][m_round]; }
  void tell();
  void end_wave();

  Kokkos::View<Rounds, SymmetricHostSpace> m_rounds;
  TeamMembers m_members;
  Pe m_me;
  int m_n_pes;
  std::size_t m_n_rounds;
  Signal m_wave       = 1;  // sequence number of the current wave
  bool m_has_begun    = false;
  std::size_t m_round = 0;
  Sums m_sums{};
  MailCounts m_mine{};     // this PE's counts in its latest wave
  unsigned m_n_equal = 0;  // number of successive waves with equal counts
  MailCounts m_all{};      // counts of all PEs in the previous wave
  bool m_is_end = false;
};

}  // namespace symm::Impl

#endif
