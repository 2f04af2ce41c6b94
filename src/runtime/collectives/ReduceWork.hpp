// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_REDUCEWORK_HPP
#define SYMM_COLLECTIVES_REDUCEWORK_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/Words.hpp"
#include "../teams/PassedSources.hpp"
#include "../teams/PeTeam.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveWork.hpp"
#include "Combine.hpp"
#include "HostShare.hpp"
#include "PacketExchange.hpp"
#ifdef SYMM_FOR_DEVICE
#include "KernelReduce.hpp"
#include "PacketReduce.hpp"
#endif

namespace symm::Impl {

/// reduce() or, if is_scattered, reduce_scatter(). In reduce_scatter(), each
/// source contains one block per member.
template <class T, class Op, bool is_scattered = false>
struct ReduceWork {
  using Element = T;
  static constexpr char const* name =
      is_scattered ? "symm::reduce_scatter" : "symm::reduce";

  PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;  // number of elements in dest
  Op op;

  /// The number of elements in a 16-byte access; 1 if 16 is not a multiple of
  /// the element size.
  static constexpr std::size_t width = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

  [[nodiscard]] SYMM_FUNCTION CollectiveCall call() const {
    auto const bytes = bytes_of(sizeof(T), count);
    CollectiveCall result{name, count, dest, bytes, source, bytes};
    if constexpr (is_scattered) {
      result.source_bytes = bytes_of_all(team, sizeof(T), count);
      result.passing      = Passing::to_each;
    } else {
      result.overlap         = Overlap::if_equal;
      result.passing         = Passing::to_combine;
      result.may_pass_shares = true;
      if constexpr (has_packets) result.n_words = n_words_of(bytes);
    }
    return result;
  }
  static constexpr bool has_packets = are_units_of_words_v<T> && !is_scattered;
  [[nodiscard]] std::size_t max_blocks() const {
    return team.n_pes() == 2 ? 2 * max_collective_blocks : max_two_way_blocks;
  }
#ifdef SYMM_FOR_DEVICE
  /// Executes one part of the operation, possibly all of it, in a kernel, using
  /// packets. Every PE combines all sources, in the same order.
  template <PacketPhase phase, Group Threads>
  __device__ void run_by_packets(Threads const& group,
                                 PacketPart const& part) const
      requires(has_packets) {
    combine_packets<phase>(*this, group, part, team.n_pes());
  }
#endif
  /// Executes the entire operation on the host, using the sources that the PEs
  /// piggybacked on the checks.
  void run_on_passed(PassedSources const& sources) const {
    combine_passed(dest, count, op, team.n_pes(), sources);
  }
  /// Like run_on_passed(), but `sources` contains only this PE's share of each
  /// source.
  void run_on_shares(PassedSources const& sources) const
      requires(!is_scattered) {
    int const n         = team.n_pes();
    auto const my_share = share_of(count, team.my_pe(), n);
    combine_passed(dest + my_share.first, my_share.count, op, n, sources);
    auto const all =
        pass_shares(team, name, dest + my_share.first,
                    my_share.each * sizeof(T), my_share.count * sizeof(T));
    for (Pe pe = 0; pe < n; ++pe) {
      auto const share = share_of(count, pe, n);
      if (pe != team.my_pe())
        store_passed(dest + share.first, all, pe, share.count * sizeof(T));
    }
  }
  /// Processes one block of this PE's share; called by HostShare.
  template <class Blocks>
  void run_block(Blocks& blocks, T* result, std::size_t n) const {
    combine(result, n, op, team.n_pes(),
            [&](Pe pe) { return blocks.source(pe); });
    for (Pe pe = first_dest(); pe < end_dest(); ++pe) blocks.store(pe, result);
  }
  // The range of members that receive this PE's result.
  [[nodiscard]] SYMM_FUNCTION Pe first_dest() const {
    return is_scattered ? team.my_pe() : 0;
  }
  [[nodiscard]] SYMM_FUNCTION Pe end_dest() const {
    return is_scattered ? team.my_pe() + 1 : team.n_pes();
  }
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, HeapMap const& heap,
                                std::size_t part, std::size_t n_parts) const {
    auto const n  = static_cast<std::size_t>(team.n_pes());
    auto const me = static_cast<std::size_t>(team.my_pe());
    if constexpr (is_scattered) {
      // This PE's block has the same offset in every source.
      ReduceWork const work{team, dest, source + me * count, count, op};
      run_share(group, heap, work, part_of(count, part, n_parts, width * 8));
    } else {
      run_share(group, heap, *this,
                part_of(count, me * n_parts + part, n * n_parts, width * 8));
    }
  }

#ifdef SYMM_FOR_DEVICE
  // Used by run_share().
  template <Group Threads>
  __device__ void run_near(Threads const& group, HeapMap const& heap,
                           Range const& range) const {
    KernelReduce(*this, heap).run(group, range);
  }
  template <class Load, class Store>
  __device__ void run_element(Load const& load, Store const& store) const {
    reduce_packs_of<Pack<T, 1>, 1>(
        *this, [&](Pe pe, auto& packs) { packs[0] = load(pe); },
        [&](Pe pe, auto& packs) { store(pe, packs[0]); });
  }
#endif
};

}  // namespace symm::Impl

#endif
