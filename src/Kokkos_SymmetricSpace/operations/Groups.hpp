// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_GROUPS_HPP
#define KOKKOS_SYMMETRICSPACE_GROUPS_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>

#include "../../runtime/shmem/Group.hpp"

namespace symm::Impl {

// Threads of Kokkos as groups that share the work of an operation.

/// What lanes() returns. Valid as long as `member`.
template <class Member>
struct Lanes {
  Member const& member;
};

/// A thread team with all its threads and lanes. Valid as long as `member`.
template <class Member>
class WholeTeam : public SharedLoops<WholeTeam<Member>> {
 public:
  KOKKOS_FUNCTION explicit WholeTeam(Member const& member) : m_member(member) {}

  [[nodiscard]] KOKKOS_FUNCTION std::size_t rank() const {
    KOKKOS_IF_ON_HOST((return static_cast<std::size_t>(m_member.team_rank());))
    KOKKOS_IF_ON_DEVICE((return threadIdx.y * blockDim.x + threadIdx.x;))
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t size() const {
    KOKKOS_IF_ON_HOST((return static_cast<std::size_t>(m_member.team_size());))
    KOKKOS_IF_ON_DEVICE((return blockDim.y * blockDim.x;))
  }
  KOKKOS_FUNCTION void barrier() const { m_member.team_barrier(); }

 private:
  Member const& m_member;
};

/// The vector lanes of one thread of a team; on the host that thread alone.
template <class Member>
class AllLanes : public SharedLoops<AllLanes<Member>> {
 public:
  KOKKOS_FUNCTION explicit AllLanes(Member const& member) : m_member(member) {}

  [[nodiscard]] KOKKOS_FUNCTION std::size_t rank() const {
    KOKKOS_IF_ON_HOST((return 0;))
    KOKKOS_IF_ON_DEVICE((return threadIdx.x;))
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t size() const {
    KOKKOS_IF_ON_HOST((return 1;))
    KOKKOS_IF_ON_DEVICE((return blockDim.x;))
  }
  /// Of the lanes alone: every loop of Kokkos over them ends with it.
  KOKKOS_FUNCTION void barrier() const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(m_member, 0), [](int) {});
  }

 private:
  Member const& m_member;
};

template <class Member>
requires Kokkos::is_team_handle_v<Member>
struct GroupOf<Member> {
  KOKKOS_FUNCTION static WholeTeam<Member> of(Member const& member) {
    return WholeTeam<Member>(member);
  }
};

template <class Member>
struct GroupOf<Lanes<Member>> {
  KOKKOS_FUNCTION static AllLanes<Member> of(Lanes<Member> const& lanes) {
    return AllLanes<Member>(lanes.member);
  }
};

}  // namespace symm::Impl

#endif
