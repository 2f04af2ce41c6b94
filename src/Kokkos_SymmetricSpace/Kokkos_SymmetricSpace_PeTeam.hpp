// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_PETEAM_HPP
#define KOKKOS_SYMMETRICSPACE_PETEAM_HPP

#include <cstdint>
#include <span>

#include <Kokkos_Core.hpp>

#include "../runtime/base/Types.hpp"
#include "../runtime/pes/PeTeamMemory.hpp"

namespace symm {

/// A set of PEs, numbered from 0 in an order of its own: who takes part in a
/// collective operation (OpenSHMEM 1.5, 9.4). A small value, to be captured in
/// kernels; all copies stand for one team, which team_destroy() or finalize()
/// ends. Host calls refuse a copy that is left over then (UsageError on this
/// PE); kernels do not notice.
///
/// A team has one collective operation at a time, in the same order on all its
/// PEs. Those that run on a GPU (in kernels, on execution space instances, on
/// memory of GPUs) and those that run on the host are two sequences that do not
/// know of each other.
class PeTeam {
 public:
  /// No team: what PEs get that a split leaves out.
  KOKKOS_DEFAULTED_FUNCTION PeTeam() = default;

  [[nodiscard]] KOKKOS_FUNCTION bool is_valid() const { return m_n_pes > 0; }
  /// 0, if it is none.
  [[nodiscard]] KOKKOS_FUNCTION int n_pes() const { return m_n_pes; }
  /// This PE's number in it; -1, if it is none.
  [[nodiscard]] KOKKOS_FUNCTION Pe my_pe() const { return m_my_pe; }

  /// The number in the world of member `pe`: what put(), peer_view() and all
  /// that is no collective operation take. Precondition: 0 <= pe < n_pes().
  [[nodiscard]] KOKKOS_FUNCTION Pe world_pe(Pe pe) const {
    KOKKOS_EXPECTS(0 <= pe && pe < m_n_pes);
    if (m_stride != 0) return m_first + pe * m_stride;
    return static_cast<Pe>(*words().member(pe));
  }

  /// Where it synchronises: in memory of GPUs, or of the host. Precondition:
  /// it is a team.
  [[nodiscard]] KOKKOS_FUNCTION PeTeamWords words() const {
    KOKKOS_IF_ON_HOST((return m_on_host;))
    KOKKOS_IF_ON_DEVICE((return m_on_device;))
  }
  /// -1, if it is none.
  [[nodiscard]] int slot() const { return m_slot; }
  /// That of PeTeamSlots.
  [[nodiscard]] std::uint32_t number() const { return m_number; }

  /// The team that has begun in `slot`, for those that make teams. Local.
  /// \param members their numbers in the world, in the order of the team; this
  ///        PE is one of them.
  static PeTeam make(int slot, std::span<Pe const> members);
  /// The world, or what is equal to it.
  static PeTeam make_of_all(int slot, char const* call);

 private:
  PeTeamWords m_on_host{};
  PeTeamWords m_on_device{};
  std::uint32_t m_number = 0;
  int m_slot             = -1;
  int m_n_pes            = 0;
  Pe m_my_pe             = -1;
  Pe m_first             = 0;
  int m_stride           = 0;  // 0: the numbers are in words()
};

/// All PEs. Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] PeTeam team_world();

/// The PEs that reach each other's memory by loads and stores: at present all.
/// Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] PeTeam team_node();

/// The number in `to` of member `pe` of `from`; -1, if it is not in it, or one
/// of them is no team. Local.
[[nodiscard]] Pe team_translate(PeTeam const& from, Pe pe, PeTeam const& to);

/// \throws UsageError on this PE, if it is no team, or destroyed; before
///         initialize() and after finalize().
void check_team(PeTeam const& team, char const* call);

}  // namespace symm

#endif
