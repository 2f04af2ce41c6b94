// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_COLLECTIVECALL_HPP
#define SYMM_SHMEM_COLLECTIVECALL_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../base/Failure.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "PassedSources.hpp"
#include "PeTeam.hpp"

namespace symm::Impl {

// What a collective operation is given, and its checks.

/// Whether dest and source may have elements in common.
enum class Overlap {
  none,
  if_equal,  // if they are the same address
  unknown    // strided: nothing is checked
};

/// What a call has been given, for its checks. The counts of collect() differ
/// between PEs, and with them the size of a source; dest then has room for
/// `dest_bytes`, and without any element the addresses do not count.
struct CollectiveCall {
  char const* name;
  std::size_t count;  // as the caller gave it
  void const* dest;
  std::size_t dest_bytes;
  void const* source;
  std::size_t source_bytes;
  Pe root                  = 0;
  Overlap overlap          = Overlap::none;
  std::size_t collect_size = 0;  // of an element of collect(); others: 0
  Passing passing          = Passing::nothing;
  // What kernels pass by packets to each member, if they are not too many for
  // that; 0: nothing.
  std::size_t n_words = 0;
  bool has_one_sender = false;  // of them

  [[nodiscard]] SYMM_FUNCTION bool are_counts_equal() const {
    return collect_size == 0;
  }
};

/// The heap of both blocks of a call. Its map is there until finalize().
struct CollectiveHeap {
  HeapMap const& map;
  MemoryKind memory;
};

/// Local; the checks of the enqueued forms.
/// \param problem what the caller has found to be wrong, for UsageError; or "".
/// \throws UsageError on this PE.
CollectiveHeap check_collective(PeTeam const& team, CollectiveCall const& call,
                                std::string const& problem);

/// A call that all PEs of the team have made.
struct EnteredCall {
  CollectiveHeap heap;
  /// Those that went along with the checks: small ones in host memory.
  std::optional<PassedSources> passed;
};

/// The host's way into a collective operation, a barrier. In collect() every PE
/// has passed its count then.
/// \param type a number for the operation and the types in it, to be equal on
///        all PEs.
/// \throws UsageError on every PE of the team; on this PE, if it is no team.
EnteredCall enter_collective(PeTeam const& team, CollectiveCall const& call,
                             std::uint64_t type, std::string const& problem);

/// The same for a call without blocks: passes `word` to all PEs.
/// \param failure what has failed here; then all PEs fail.
/// \returns the epoch: each PE's word is its second one there.
/// \throws UsageError on every PE of the team; on this PE, if it is no team, or
///         what has failed here.
std::uint64_t pass_to_all(PeTeam const& team, char const* call,
                          std::uint64_t type, std::uint64_t word,
                          std::optional<Failure> const& failure = {});

}  // namespace symm::Impl

#endif
