// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_COLLECTIVEWORK_HPP
#define SYMM_COLLECTIVES_COLLECTIVEWORK_HPP

#include <cstddef>
#include <cstdint>

#include "../access/GroupOperations.hpp"
#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../groups/GroupCopy.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/HostCopy.hpp"
#include "../memory/Words.hpp"
#include "../pes/PeTeamWords.hpp"
#include "../teams/FarTeam.hpp"
#include "../teams/PassedSources.hpp"
#include "../teams/PeTeam.hpp"
#include "CollectiveCall.hpp"
#include "FarBlocks.hpp"
#include "PacketExchange.hpp"
#include "Shares.hpp"
#ifdef SYMM_FOR_DEVICE
#include "KernelBroadcast.hpp"
#include "PacketCopy.hpp"
#endif

// Each PE's work in a collective operation, between two barriers. After the
// first barrier, every source is ready. After the second barrier, every PE is
// done. The same code runs on the host (one thread), in a kernel (one thread
// group), and in a kernel with several thread blocks. work(group, heap, part,
// n_parts) executes part `part` of the work.
//
// Each PE fetches data from its peers, and each PE starts with a different
// peer. In kernels, fcollect() and alltoall() store the data in the peers'
// memory instead. In a reduction, each PE reduces a share and stores the result
// on all PEs, so every result is computed only once and is bitwise identical on
// all PEs. In a broadcast, kernels also forward shares. Shares.hpp defines
// which elements each PE loads and stores so that each link carries as few
// bytes as possible.
//
// On the host, small sources are piggybacked on the exchange that checks the
// call. Each PE then copies them, or combines them in an order that is the same
// on all PEs, without further communication (run_on_passed()). Kernels do the
// same with packets (run_by_packets()).
//
// On the host, one thread of the group accesses far PEs through the Transport.
// The barrier at the end completes the operations that this thread has begun.

namespace symm::Impl {

/// The maximum number of thread blocks in an enqueued operation's kernel. The
/// second limit applies if each PE loads from several peers and stores to them
/// at the same time. With more blocks, such an operation is slower
/// (docs/laboratory.md, "Loads and stores of all PEs at once").
inline constexpr std::size_t max_collective_blocks = 64;
inline constexpr std::size_t max_two_way_blocks    = 32;

template <class Work>
std::size_t max_blocks_of(Work const& work) {
  if constexpr (requires { work.max_blocks(); }) {
    return work.max_blocks();
  } else {
    return max_collective_blocks;
  }
}

/// A member's copy of the block at the symmetric address `block`.
template <class T>
SYMM_INLINE_FUNCTION T* block_of(PeTeam const& team, HeapMap const& heap,
                                 T* block, Pe member) {
  check_element<T>();
  return heap.peer_ptr(block, team.world_pe(member));
}

/// The total size in bytes of one block per PE in a PE team; SIZE_MAX on
/// overflow. A block contains `count` elements of `size` bytes each.
SYMM_INLINE_FUNCTION std::size_t bytes_of_all(PeTeam const& team,
                                              std::size_t size,
                                              std::size_t count) {
  return count == 0 ? 0
                    : bytes_of(bytes_of(size, count),
                               static_cast<std::size_t>(team.n_pes()));
}

/// The elements in part `part` of a `count`-element block.
template <class T>
SYMM_INLINE_FUNCTION Range range_of_part(std::size_t count, std::size_t part,
                                         std::size_t n_parts) {
  constexpr std::size_t unit = sizeof(T) < 128 ? 128 / sizeof(T) : 1;
  return part_of(count, part, n_parts, unit);
}

/// Copies one part of a `count`-element block.
template <class T, Group Threads>
SYMM_INLINE_FUNCTION void copy_part(Threads const& group, T* dest,
                                    T const* source, std::size_t count,
                                    std::size_t part, std::size_t n_parts) {
  auto const range = range_of_part<T>(count, part, n_parts);
  if (range.count == 0 || dest == source) return;
  copy_bytes<alignof(T)>(group, dest + range.first, source + range.first,
                         range.count * sizeof(T));
}

/// Copies part of a block between this PE and a member. For a get, `source` is
/// the symmetric address of the member's block; for a put, `dest` is. If the
/// member is far, the copy is guaranteed to be complete only after quiet_far()
/// on the host, or after the barrier's quiet() in a kernel.
template <Direction direction, class T, Group Threads>
SYMM_INLINE_FUNCTION void copy_between(Threads const& group,
                                       HeapMap const& heap, PeTeam const& team,
                                       Pe member, T* dest, T const* source,
                                       std::size_t count, std::size_t part,
                                       std::size_t n_parts, char const* call) {
  check_element<T>();
  auto const range   = range_of_part<T>(count, part, n_parts);
  bool const is_here = member == team.my_pe() && dest == source;
  if (is_here) return;
  copy_elements<direction>(group, heap, dest + range.first,
                           source + range.first, range.count,
                           team.world_pe(member), call, Completion::none);
}

/// Copies part of a member's block, at the symmetric address `source`, to
/// `dest`.
template <class T, Group Threads>
SYMM_INLINE_FUNCTION void fetch_part(Threads const& group, HeapMap const& heap,
                                     PeTeam const& team, Pe member, T* dest,
                                     T const* source, std::size_t count,
                                     std::size_t part, std::size_t n_parts,
                                     char const* call) {
  copy_between<Direction::get>(group, heap, team, member, dest, source, count,
                               part, n_parts, call);
}

/// Calls FarBlocks::share() for the elements of `dest`.
template <class T, Group Threads, class BlockOf>
void share_blocks(Threads const& group, HeapMap const& heap, PeTeam const& team,
                  T* dest, BlockOf const& block_of, char const* call,
                  bool has_all = false) {
  auto const fetch = [&](Pe member, std::size_t first, std::size_t n) {
    fetch_part(group, heap, team, member, dest + first, dest + first, n, 0, 1,
               call);
  };
  FarBlocks(group, team, call, fetch).share(block_of, has_all);
}

/// Copies a member's source, which was piggybacked on the checks, to `to`.
template <class T>
void store_passed(T* to, PassedSources const& sources, Pe member,
                  std::size_t bytes) {
  if (bytes != 0) copy_host_memory<1>(to, sources.of(member), bytes);
}

template <class T>
struct BroadcastWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;
  Pe root;

  [[nodiscard]] SYMM_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of(sizeof(T), count);
    CollectiveCall result{
        "symm::broadcast", count, dest, bytes, source, bytes, root,
        Overlap::if_equal};
    result.passing        = Passing::by_root;
    result.n_words        = n_words_of(bytes);
    result.has_one_sender = true;
    return result;
  }
  static constexpr bool has_packets = true;
  [[nodiscard]] static std::size_t max_blocks() { return max_two_way_blocks; }
#ifdef SYMM_FOR_DEVICE
  /// Executes one part of the operation, possibly all of it, in a kernel, using
  /// packets.
  template <PacketPhase phase, Group Threads>
  __device__ void run_by_packets(Threads const& group,
                                 PacketPart const& part) const {
    broadcast_packets<phase>(*this, group, part);
  }
#endif
  /// Executes the entire operation on the host, using the sources that the PEs
  /// piggybacked on the checks.
  void run_on_passed(PassedSources const& sources) const {
    store_passed(dest, sources, root, count * sizeof(T));
  }
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, HeapMap const& heap,
                                std::size_t part, std::size_t n_parts) const {
#ifdef SYMM_FOR_DEVICE
    KernelBroadcast const by_kernel(*this, heap);
    if (team.my_pe() != root && by_kernel.is_for()) {
      by_kernel.run(group, part, n_parts);
      return;
    }
#else
    if (is_shared_by_nodes()) {
      share(group, heap);
      return;
    }
    if (team.my_pe() == root && team.has_far_pes()) {
      copy_roots(group, range_of_part<T>(count, part, n_parts));
      return;
    }
#endif
    fetch_part(group, heap, team, root, dest, source, count, part, n_parts,
               "symm::broadcast");
  }

 private:
  /// Whether members exchange shares. If they did not, the root would have to
  /// send the whole block to every member.
  [[nodiscard]] bool is_shared_by_nodes() const {
    return team.n_pes() > 2 && do_nodes_combine(team, count * sizeof(T));
  }
  /// Copies the root's source to the root's own dest while other members fetch
  /// from the source.
  template <Group Threads>
  void copy_roots(Threads const& group, Range const& range) const {
    if (group.rank() != 0 || dest == source) return;
    copy_while_serving(dest + range.first, source + range.first,
                       range.count * sizeof(T), "symm::broadcast");
  }
  /// Each member fetches a share from the root. Then the members exchange their
  /// shares.
  template <Group Threads>
  void share(Threads const& group, HeapMap const& heap) const {
    auto const n        = static_cast<std::size_t>(team.n_pes());
    auto const share_of = [&](Pe member) {
      return part_of(count, static_cast<std::size_t>(member), n, 1);
    };
    bool const is_root = team.my_pe() == root;
    auto const range   = is_root ? Range{0, count} : share_of(team.my_pe());
    if (is_root) {
      copy_roots(group, range);
    } else {
      fetch_part(group, heap, team, root, dest + range.first,
                 source + range.first, range.count, 0, 1, "symm::broadcast");
    }
    share_blocks(group, heap, team, dest, share_of, "symm::broadcast", is_root);
  }
};

/// fcollect() or, if is_alltoall, alltoall(). `dest` receives one block from
/// each member, in member order.
template <class T, bool is_alltoall>
struct GatherWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;  // number of elements in a block

  [[nodiscard]] SYMM_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of_all(team, sizeof(T), count);
    CollectiveCall result{is_alltoall ? "symm::alltoall" : "symm::fcollect",
                          count,
                          dest,
                          bytes,
                          source,
                          is_alltoall ? bytes : bytes_of(sizeof(T), count)};
    result.passing = is_alltoall ? Passing::to_each : Passing::to_all;
    result.n_words = n_words_of(bytes_of(sizeof(T), count));
    return result;
  }
  static constexpr bool has_packets = true;
#ifdef SYMM_FOR_DEVICE
  /// See BroadcastWork::run_by_packets().
  template <PacketPhase phase, Group Threads>
  __device__ void run_by_packets(Threads const& group,
                                 PacketPart const& part) const {
    gather_packets<is_alltoall, phase>(*this, group, part);
  }
#endif
  /// See BroadcastWork::run_on_passed().
  void run_on_passed(PassedSources const& sources) const {
    for (Pe pe = 0; pe < team.n_pes(); ++pe)
      store_passed(dest + block(pe), sources, pe, count * sizeof(T));
  }
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, HeapMap const& heap,
                                std::size_t part, std::size_t n_parts) const {
    Pe const me = team.my_pe();
    if constexpr (!is_alltoall) {
#ifndef SYMM_FOR_DEVICE
      if (is_shared_by_nodes()) {
        copy_part(group, dest + block(me), source, count, 0, 1);
        share_blocks(
            group, heap, team, dest,
            [&](Pe pe) {
              return Range{block(pe), count};
            },
            "symm::fcollect");
        return;
      }
#endif
    }
    char const* const name = is_alltoall ? "symm::alltoall" : "symm::fcollect";
#ifdef SYMM_FOR_DEVICE
    // Over NVLink, stores are faster than loads if all PEs issue them at once.
    constexpr auto direction = Direction::put;
#else
    constexpr auto direction = Direction::get;
#endif
    for_each_block(team.n_pes(), me, part, n_parts,
                   [&](Pe pe, std::size_t of_block, std::size_t n_of_block) {
                     // The source member and the destination member.
                     Pe const from = direction == Direction::put ? me : pe;
                     Pe const to   = direction == Direction::put ? pe : me;
                     copy_between<direction>(
                         group, heap, team, pe, dest + block(from),
                         source + (is_alltoall ? block(to) : 0), count,
                         of_block, n_of_block, name);
                   });
  }

  /// The index of the first element in a member's block.
  [[nodiscard]] SYMM_FUNCTION std::size_t block(Pe pe) const {
    return static_cast<std::size_t>(pe) * count;
  }

 private:
  [[nodiscard]] bool is_shared_by_nodes() const {
    return do_nodes_combine(team, count * sizeof(T)) && has_shared_nodes();
  }
};

/// collect(): blocks of different sizes. Before this work begins, every member
/// has sent its count to all members.
template <class T>
struct CollectWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;
  // The size of dest in bytes; SIZE_MAX if unknown, 0 if dest is null.
  std::size_t dest_bytes = dest == nullptr ? 0 : ~std::size_t{0};

  [[nodiscard]] SYMM_FUNCTION CollectiveCall call() const {
    return {"symm::collect",
            count,
            dest,
            dest_bytes,
            source,
            bytes_of(sizeof(T), count),
            0,
            Overlap::none,
            sizeof(T)};
  }
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, HeapMap const& heap,
                                std::size_t part, std::size_t n_parts) const {
    auto const words          = team.words();
    std::uint64_t const epoch = load_relaxed(words.epoch());
    std::size_t first         = 0;
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      std::size_t const n =
          load_relaxed(words.passed(words.map.my_pe, pe, epoch));
      if (n > dest_bytes / sizeof(T) - first) {  // already checked on the host
        (KernelText() << "symm::collect: dest is too small").abort();
      }
      fetch_part(group, heap, team, pe, dest + first, source, n, part, n_parts,
                 "symm::collect");
      first += n;
    }
  }
};

}  // namespace symm::Impl

#endif
