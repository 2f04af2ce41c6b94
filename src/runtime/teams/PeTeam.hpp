// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_PETEAM_HPP
#define SYMM_TEAMS_PETEAM_HPP

#include <cstdint>
#include <span>

#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../pes/PeTeamWords.hpp"

namespace symm {

namespace Impl {
struct MakePeTeam;
}  // namespace Impl

/// A set of PEs, numbered from 0 in an order of its own, that take part in a
/// collective operation (OpenSHMEM 1.5, 9.4). A small value, to be captured in
/// kernels; all copies stand for one PE team, which team_destroy() or
/// finalize() ends. Host calls refuse a copy that is left over then (UsageError
/// on this PE); kernels do not notice.
///
/// A PE team has one collective operation at a time, in the same order on all
/// its PEs. Those that run on a GPU (in kernels, on execution space instances,
/// on memory of GPUs) and those that run on the host are two independent
/// sequences.
class PeTeam {
 public:
  /// No team: a PE that a split leaves out gets this.
  PeTeam() = default;

  [[nodiscard]] SYMM_FUNCTION bool is_valid() const { return m_n_pes > 0; }
  /// 0, if it is none.
  [[nodiscard]] SYMM_FUNCTION int n_pes() const { return m_n_pes; }
  /// This PE's number in the PE team; -1, if it is none.
  [[nodiscard]] SYMM_FUNCTION Pe my_pe() const { return m_my_pe; }

  /// The number in the world of member `pe`, as put(), peer_view() and all
  /// other calls that are not collective take it. Precondition: 0 <= pe <
  /// n_pes().
  [[nodiscard]] SYMM_FUNCTION Pe world_pe(Pe pe) const {
    Impl::expect(0 <= pe && pe < m_n_pes, "symm::PeTeam::world_pe",
                 "there is no such PE in the team");
    if (m_stride != 0) return m_first + pe * m_stride;
    return static_cast<Pe>(*words().member(pe));
  }

  /// Its words, in memory of GPUs or of the host. Precondition: it is a team.
  [[nodiscard]] SYMM_FUNCTION Impl::PeTeamWords words() const {
    SYMM_IF_ON_HOST((return m_on_host;))
    SYMM_IF_ON_DEVICE((return m_on_device;))
  }
  /// Whether any of its PEs is on another node.
  [[nodiscard]] SYMM_FUNCTION bool has_far_pes() const { return m_has_far_pes; }
  /// Whether its PEs open gates to each other when they arrive: enqueued
  /// operations wait at these, and no kernel waits.
  [[nodiscard]] SYMM_FUNCTION bool has_gates() const { return m_has_gates; }
  /// Its words in memory of GPUs; without GPUs there are no packets.
  [[nodiscard]] SYMM_FUNCTION Impl::PeTeamWords const& words_on_gpu() const {
    return m_on_device;
  }
  /// -1, if it is none.
  [[nodiscard]] int slot() const { return m_slot; }
  /// The number of PeTeamSlots.
  [[nodiscard]] std::uint32_t number() const { return m_number; }

 private:
  friend struct Impl::MakePeTeam;

  /// \param lowest,highest its lowest and highest number in the world.
  PeTeam(int slot, char const* call, Pe lowest, Pe highest);

  Impl::PeTeamWords m_on_host{};
  Impl::PeTeamWords m_on_device{};
  std::uint32_t m_number = 0;
  int m_slot             = -1;
  int m_n_pes            = 0;
  Pe m_my_pe             = -1;
  Pe m_first             = 0;
  int m_stride           = 0;  // 0: the numbers are in words()
  bool m_has_far_pes     = false;
  bool m_has_gates       = false;
};

}  // namespace symm

namespace symm::Impl {

/// The PE team that has begun in `slot`. Local.
struct MakePeTeam {
  /// The world, or a PE team equal to it.
  static PeTeam of_all(int slot, char const* call);
  /// The PEs of this node.
  static PeTeam of_node(int slot, char const* call);
  /// \param members their numbers in the world, in the order of the PE team;
  ///        this PE is one of them.
  static PeTeam of(int slot, char const* call, std::span<Pe const> members);
};

/// \throws UsageError on this PE, if it is no team, or destroyed; before
///         initialize() and after finalize().
void check_team(PeTeam const& team, char const* call);

/// For messages: " of the PE team of PEs 0, 2, 4 (here member 1)".
[[nodiscard]] Text text_of(PeTeam const& team);

}  // namespace symm::Impl

#endif
