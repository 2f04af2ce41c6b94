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

// A collective operation's arguments and checks on them.

/// Whether dest and source may overlap.
enum class Overlap {
  none,
  if_equal,  // only if dest and source have the same address
  unknown    // strided: nothing is checked
};

/// A call's arguments, in the form that the checks need. For collect(), the
/// counts and source sizes may differ between PEs, and `dest_bytes` is the size
/// of dest. If no PE has any elements, the addresses do not matter.
struct CollectiveCall {
  char const* name;
  std::size_t count;  // as the caller passed it
  void const* dest;
  std::size_t dest_bytes;
  void const* source;
  std::size_t source_bytes;
  Pe root                  = 0;
  Overlap overlap          = Overlap::none;
  std::size_t collect_size = 0;  // element size in collect(); otherwise 0
  Passing passing          = Passing::nothing;
  // The number of words that a kernel sends to each member if there are enough
  // packets; 0 if the call cannot use packets.
  std::size_t n_words = 0;
  bool has_one_sender = false;  // true if only one PE sends these words
  // Whether each member may receive only its share of every source (see
  // EnteredCall::are_shares). Used if the shares fit but the whole sources are
  // too large for Passing::to_combine.
  bool may_pass_shares = false;

  [[nodiscard]] SYMM_FUNCTION bool are_counts_equal() const {
    return collect_size == 0;
  }
};

/// The heap that contains a call's dest and source. The map is valid until
/// finalize().
struct CollectiveHeap {
  HeapMap const& map;
  MemoryKind memory;
};

/// Local. Checks a call that will be enqueued on a stream.
/// \param problem The error message if the caller has already found an error;
///        otherwise "".
/// \throws UsageError on this PE if the call is invalid.
CollectiveHeap check_collective(PeTeam const& team, CollectiveCall const& call,
                                std::string const& problem);

/// A call that all PEs in the PE team have made.
struct EnteredCall {
  CollectiveHeap heap;
  /// The sources, if they were piggybacked on the checks; otherwise nullopt.
  /// Only small sources in host memory are piggybacked.
  std::optional<PassedSources> passed;
  /// Whether `passed` contains only this PE's share of each source, as defined
  /// by share_of().
  bool are_shares = false;
};

/// A member's share of `count` elements. All shares have the same size, except
/// that the last members' shares may be smaller or empty.
struct MemberShare {
  std::size_t each;   // number of elements in the largest share
  std::size_t first;  // first element of this share
  std::size_t count;
};
[[nodiscard]] inline MemberShare share_of(std::size_t count, Pe member,
                                          int n_pes) {
  auto const n     = static_cast<std::size_t>(n_pes);
  auto const each  = count / n + (count % n != 0 ? 1 : 0);
  auto const first = std::min(count, each * static_cast<std::size_t>(member));
  return {each, first, std::min(each, count - first)};
}

/// Begins a collective operation on the host; includes a barrier. In collect(),
/// every PE has sent its count by the time this function returns.
/// \param type A number that identifies the operation and its types. It must be
///        the same on all PEs.
/// \throws UsageError on every PE of the PE team if the call is invalid on any
///         PE, or if the calls differ. If `team` is invalid, only this PE
///         throws.
EnteredCall enter_collective(PeTeam const& team, CollectiveCall const& call,
                             std::uint64_t type, std::string const& problem);

/// Ends a call whose sources were sent as shares. Sends this PE's share of the
/// result to all PEs; includes a barrier.
/// \param bytes The size of the largest share.
/// \param mine_bytes The size of this PE's share.
/// \returns all members' shares.
/// \throws UsageError on every PE of the PE team if any PE is in a different
///   call.
PassedSources pass_shares(PeTeam const& team, char const* call,
                          void const* mine, std::size_t bytes,
                          std::size_t mine_bytes);

/// Copies local memory in pieces and serves requests from other nodes between
/// the pieces. Only for multi-node jobs.
void copy_while_serving(void* to, void const* from, std::size_t bytes,
                        char const* call);

/// Like enter_collective(), but for a call without dest and source. Sends
/// `word` to all PEs.
/// \param failure Why this PE cannot do its part; the call then fails on all
///        PEs.
/// \returns the epoch. `word` is the second of the two words that each PE sent
///          in this epoch.
/// \throws UsageError on every PE of the PE team if any PE passes a `failure`,
///         or if the calls differ. A PE that passes a `failure` throws that
///         failure instead. If `team` is invalid, only this PE throws.
std::uint64_t pass_to_all(PeTeam const& team, char const* call,
                          std::uint64_t type, std::uint64_t word,
                          std::optional<Failure> const& failure = {});

}  // namespace symm::Impl

#endif
