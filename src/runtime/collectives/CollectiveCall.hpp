// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_COLLECTIVECALL_HPP
#define SYMM_COLLECTIVES_COLLECTIVECALL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../base/Failure.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "../teams/PassedSources.hpp"
#include "../teams/PeTeam.hpp"

namespace symm::Impl {

// The arguments of a collective operation, and their checks.

/// Whether dest and source may have elements in common.
enum class Overlap {
  none,
  if_equal,  // if they are the same address
  unknown    // strided: nothing is checked
};

/// The arguments of a call, for its checks. The counts of collect() differ
/// between PEs, and so do the sizes of their sources. There, dest has room for
/// `dest_bytes`; without any element the addresses do not matter.
struct CollectiveCall {
  char const* name;
  std::size_t count;  // as the caller gave it
  void const* dest;
  std::size_t dest_bytes;
  void const* source;
  std::size_t source_bytes;
  Pe root                  = 0;
  Overlap overlap          = Overlap::none;
  std::size_t collect_size = 0;  // bytes of an element of collect(); others: 0
  Passing passing          = Passing::nothing;
  // Words that kernels pass to each member, if packets suffice; 0: none.
  std::size_t n_words = 0;
  bool has_one_sender = false;  // of these words
  // Sources for Passing::to_combine that are too large: each member gets its
  // share of all, as far as these fit (EnteredCall::are_shares).
  bool may_pass_shares = false;

  [[nodiscard]] SYMM_FUNCTION bool are_counts_equal() const {
    return collect_size == 0;
  }
};

/// The heap of both blocks of a call. Its map lives until finalize().
struct CollectiveHeap {
  HeapMap const& map;
  MemoryKind memory;
};

/// Local; the checks of the enqueued forms.
/// \param problem an error found by the caller, for UsageError; or "".
/// \throws UsageError on this PE.
CollectiveHeap check_collective(PeTeam const& team, CollectiveCall const& call,
                                std::string const& problem);

/// A call that all PEs of the PE team have made.
struct EnteredCall {
  CollectiveHeap heap;
  /// The sources that were passed with the checks: small ones in host memory.
  std::optional<PassedSources> passed;
  /// They are this PE's shares of the sources, as share_of() has them.
  bool are_shares = false;
};

/// Elements of a member's share of `count`: as many for each, and fewer or none
/// for the last members.
struct MemberShare {
  std::size_t each;   // elements of the largest
  std::size_t first;  // of this one
  std::size_t count;
};
[[nodiscard]] inline MemberShare share_of(std::size_t count, Pe member,
                                          int n_pes) {
  auto const n     = static_cast<std::size_t>(n_pes);
  auto const each  = count / n + (count % n != 0 ? 1 : 0);
  auto const first = std::min(count, each * static_cast<std::size_t>(member));
  return {each, first, std::min(each, count - first)};
}

/// The start of the host's collective operations, a barrier. In collect() every
/// PE has passed its count when it returns.
/// \param type a number for the operation and the types in it, to be equal on
///        all PEs.
/// \throws UsageError on every PE of the PE team; on this PE, if it is no team.
EnteredCall enter_collective(PeTeam const& team, CollectiveCall const& call,
                             std::uint64_t type, std::string const& problem);

/// The end of a call whose sources were passed as shares: passes what this PE
/// has made of its own to all, a barrier.
/// \param bytes      of the largest share. \param mine_bytes of this PE's.
/// \throws UsageError on every PE of the PE team, if a PE is in another call.
PassedSources pass_shares(PeTeam const& team, char const* call,
                          void const* mine, std::size_t bytes,
                          std::size_t mine_bytes);

/// Copies memory of this PE, and in between does what other nodes ask for. In a
/// job of several nodes.
void copy_while_serving(void* to, void const* from, std::size_t bytes,
                        char const* call);

/// enter_collective() for a call without blocks: passes `word` to all PEs.
/// \param failure a failure of this PE; then all PEs fail.
/// \returns the epoch: each PE's word is its second one there.
/// \throws UsageError on every PE of the PE team; on this PE `failure`, or
///         UsageError if it is no team.
std::uint64_t pass_to_all(PeTeam const& team, char const* call,
                          std::uint64_t type, std::uint64_t word,
                          std::optional<Failure> const& failure = {});

}  // namespace symm::Impl

#endif
