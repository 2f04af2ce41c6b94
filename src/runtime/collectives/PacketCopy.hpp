// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_PACKETCOPY_HPP
#define SYMM_COLLECTIVES_PACKETCOPY_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "PacketExchange.hpp"

namespace symm::Impl {

#ifdef SYMM_FOR_DEVICE
/// The number of consecutive words that belong to the same PacketPart. Their
/// packets fill one cache line.
inline constexpr std::size_t unit_of_parts = 8;

/// Executes a BroadcastWork with packets.
template <PacketPhase phase, class Work, Group Threads>
__device__ void broadcast_packets(Work const& work, Threads const& group,
                                  PacketPart const& part) {
  PacketExchange const exchange(
      group, part, work.team,
      PacketPlaces::of_one(work.team.n_pes(), work.root));
  using Place             = typename decltype(exchange)::Place;
  bool const is_root      = work.team.my_pe() == work.root;
  std::size_t const count = work.count;
  auto const range =
      part.of(n_words_of(count * sizeof(*work.dest)), unit_of_parts);
  Range const flags{0, part.part == 0 ? std::size_t{1} : 0};
  if constexpr (phase != PacketPhase::receive) {
    // (Selecting one of two Range objects would force both into memory.)
    Range const sent{is_root ? range.first : 0,
                     is_root ? range.count : flags.count};
    exchange.send_to_all(sent, [&](std::size_t k) {
      return is_root ? load_word(work.source, count, k) : 0;
    });
    exchange.pass_gates();
  }
  if constexpr (phase == PacketPhase::send) return;
  exchange.receive_each(
      range.count,
      [&](std::size_t i) {
        return Place{work.root, range.first + i};
      },
      [&](std::size_t i, std::uint64_t word) {
        store_word(work.dest, count, range.first + i, word);
      });
  exchange.receive_each(
      flags.count * static_cast<std::size_t>(work.team.n_pes()),
      [](std::size_t i) {
        return Place{static_cast<Pe>(i), 0};
      },
      [](std::size_t, std::uint64_t) {});
  exchange.end();
}

/// Executes a GatherWork with packets.
template <bool is_alltoall, PacketPhase phase, class Work, Group Threads>
__device__ void gather_packets(Work const& work, Threads const& group,
                               PacketPart const& part) {
  PacketExchange const exchange(group, part, work.team,
                                PacketPlaces::of_all(work.team));
  using Place             = typename decltype(exchange)::Place;
  std::size_t const count = work.count;
  auto const range =
      part.of(n_words_of(count * sizeof(*work.dest)), unit_of_parts);
  if constexpr (phase != PacketPhase::receive) {
    if constexpr (is_alltoall) {
      exchange.send_to_each(range, [&](Pe member, std::size_t k) {
        return load_word(work.source + work.block(member), count, k);
      });
    } else {
      exchange.send_to_all(range, [&](std::size_t k) {
        return load_word(work.source, count, k);
      });
    }
    exchange.pass_gates();
  }
  if constexpr (phase == PacketPhase::send) return;
  // (A 32-bit division takes a third as long as a 64-bit division.)
  auto const each = static_cast<unsigned>(range.count);
  auto const at   = [&](std::size_t i) {
    auto const number = static_cast<unsigned>(i);
    return Place{static_cast<Pe>(number / each), range.first + number % each};
  };
  exchange.receive_each(
      range.count * static_cast<std::size_t>(work.team.n_pes()), at,
      [&](std::size_t i, std::uint64_t word) {
        auto const [from, k] = at(i);
        store_word(work.dest + work.block(from), count, k, word);
      });
  exchange.end();
}
#endif

}  // namespace symm::Impl

#endif
