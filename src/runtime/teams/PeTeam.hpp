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

/// A set of PEs that perform collective operations together (OpenSHMEM 1.5,
/// 9.4). The members are numbered from 0. A PeTeam is a lightweight handle that
/// kernels can capture by value; all copies refer to the same PE team. After
/// team_destroy() or finalize(), host calls throw UsageError on this PE if they
/// are passed a remaining copy; kernels do not check.
///
/// A PE team runs one collective operation at a time, in the same order on all
/// its PEs. Operations that run on a GPU (in kernels, on execution space
/// instances, on GPU memory) and operations that run on the host form two
/// independent sequences.
class PeTeam {
 public:
  /// Creates an invalid PeTeam, which refers to no PE team. Functions that
  /// split PE teams return an invalid PeTeam on PEs that are in none of the new
  /// PE teams.
  PeTeam() = default;

  [[nodiscard]] SYMM_FUNCTION bool is_valid() const { return m_n_pes > 0; }
  /// The number of PEs; 0 if this PeTeam is invalid.
  [[nodiscard]] SYMM_FUNCTION int n_pes() const { return m_n_pes; }
  /// This PE's number in the PE team; -1 if this PeTeam is invalid.
  [[nodiscard]] SYMM_FUNCTION Pe my_pe() const { return m_my_pe; }

  /// The world PE number of member `pe`. put(), peer_view() and all other calls
  /// that are not collective take world PE numbers. Precondition: 0 <= pe <
  /// n_pes().
  [[nodiscard]] SYMM_FUNCTION Pe world_pe(Pe pe) const {
    Impl::expect(0 <= pe && pe < m_n_pes, "symm::PeTeam::world_pe",
                 "the PE must be from 0 to n_pes() - 1 of the team");
    if (m_stride != 0) return m_first + pe * m_stride;
    return static_cast<Pe>(*words().member(pe));
  }

  /// The words with which members synchronize. On the host, returns the words
  /// in host memory; in a kernel, the words in GPU memory. Precondition:
  /// is_valid().
  [[nodiscard]] SYMM_FUNCTION Impl::PeTeamWords words() const {
    SYMM_IF_ON_HOST((return m_on_host;))
    SYMM_IF_ON_DEVICE((return m_on_device;))
  }
  /// Whether any member is on another node.
  [[nodiscard]] SYMM_FUNCTION bool has_far_pes() const { return m_has_far_pes; }
  /// Whether members that arrive at a barrier open each other's gates
  /// (PeTeamWords). Enqueued operations then wait at the gates in the stream,
  /// and no kernel waits.
  [[nodiscard]] SYMM_FUNCTION bool has_gates() const { return m_has_gates; }
  /// Whether several thread blocks of a kernel may wait for other members,
  /// which must all be near. Only the world and node PE teams may run such
  /// kernels, one kernel each at a time. Together, these kernels have at most
  /// twice max_waiting_blocks waiting blocks, which is less than the number of
  /// multiprocessors on each GPU.
  [[nodiscard]] bool may_blocks_wait() const { return m_may_blocks_wait; }
  /// The PE team's words in GPU memory. If there is no GPU, their `n_packets`
  /// is 0.
  [[nodiscard]] SYMM_FUNCTION Impl::PeTeamWords const& words_on_gpu() const {
    return m_on_device;
  }
  /// The PE team's slot in PeTeamMemory; -1 if this PeTeam is invalid.
  [[nodiscard]] int slot() const { return m_slot; }
  /// The number that PeTeamSlots assigned to the PE team.
  [[nodiscard]] std::uint32_t number() const { return m_number; }

 private:
  friend struct Impl::MakePeTeam;

  /// \param lowest,highest the lowest and the highest world PE number among the
  ///        members.
  PeTeam(int slot, char const* call, Pe lowest, Pe highest);

  Impl::PeTeamWords m_on_host{};
  Impl::PeTeamWords m_on_device{};
  std::uint32_t m_number = 0;
  int m_slot             = -1;
  int m_n_pes            = 0;
  Pe m_my_pe             = -1;
  Pe m_first             = 0;
  int m_stride           = 0;  // 0 if the members' numbers are in words()
  bool m_has_far_pes     = false;
  bool m_has_gates       = false;
  bool m_may_blocks_wait = false;
};

}  // namespace symm

namespace symm::Impl {

/// Creates the PeTeam for a PE team that already occupies its slot. Local.
struct MakePeTeam {
  /// A PE team of all PEs, in the order of their world PE numbers.
  static PeTeam of_all(int slot, char const* call);
  /// The PEs on this node.
  static PeTeam of_node(int slot, char const* call);
  /// \param members world PE numbers, in the order of the PE team; this PE must
  ///        be one of them.
  static PeTeam of(int slot, char const* call, std::span<Pe const> members);
};

/// \throws UsageError on this PE if `team` is invalid or has been destroyed, or
///         if called before initialize() or after finalize().
void check_team(PeTeam const& team, char const* call);

/// Text for error messages: " of the PE team of PEs 0, 2, 4 (here member 1)".
[[nodiscard]] Text text_of(PeTeam const& team);

}  // namespace symm::Impl

#endif
