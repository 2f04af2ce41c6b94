// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_GROUPS_HPP
#define KOKKOS_SYMMETRICSPACE_GROUPS_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>

#include "../../runtime/groups/Group.hpp"

namespace symm::Impl {

// Groups of Kokkos threads that share the work of an operation.

/// The result of lanes(). Valid as long as `member` is valid.
template <class Member>
struct Lanes {
  Member const& member;
};

/// A group of all threads of a Kokkos team with their vector lanes, or of the
/// lanes of one thread. (On the host, a thread has only one lane.) Valid as
/// long as `member` is valid.
template <class Member, bool has_all_threads>
class ThreadsOf : public SharedLoops<ThreadsOf<Member, has_all_threads>> {
 public:
  KOKKOS_FUNCTION explicit ThreadsOf(Member const& member) : m_member(member) {}

  [[nodiscard]] KOKKOS_FUNCTION std::size_t rank() const {
    KOKKOS_IF_ON_HOST(
        (return has_all_threads ? static_cast<std::size_t>(m_member.team_rank())
                                : 0;))
    KOKKOS_IF_ON_DEVICE((
        return (has_all_threads ? threadIdx.y * blockDim.x : 0) + threadIdx.x;))
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t size() const {
    KOKKOS_IF_ON_HOST(
        (return has_all_threads ? static_cast<std::size_t>(m_member.team_size())
                                : 1;))
    KOKKOS_IF_ON_DEVICE(
        (return (has_all_threads ? blockDim.y : 1) * blockDim.x;))
  }
  /// If the group consists of the lanes of one thread, an empty loop serves as
  /// the barrier: Kokkos ends each loop over lanes with a barrier across the
  /// lanes.
  KOKKOS_FUNCTION void barrier() const {
    if constexpr (has_all_threads) {
      m_member.team_barrier();
    } else {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(m_member, 0), [](int) {});
    }
  }

 private:
  Member const& m_member;
};

template <class Member>
requires Kokkos::is_team_handle_v<Member>
struct GroupOf<Member> {
  KOKKOS_FUNCTION static ThreadsOf<Member, true> of(Member const& member) {
    return ThreadsOf<Member, true>(member);
  }
};

template <class Member>
struct GroupOf<Lanes<Member>> {
  KOKKOS_FUNCTION static ThreadsOf<Member, false> of(
      Lanes<Member> const& lanes) {
    return ThreadsOf<Member, false>(lanes.member);
  }
};

}  // namespace symm::Impl

#endif
