// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_PACKETCOPY_HPP
#define SYMM_COLLECTIVES_PACKETCOPY_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "PacketExchange.hpp"

namespace symm::Impl {

#ifdef SYMM_FOR_DEVICE
/// Carries out a BroadcastWork.
template <PacketPhase phase, class Work, Group Threads>
__device__ void broadcast_packets(Work const& work, Threads const& group) {
  PacketExchange const exchange(
      group, work.team, PacketPlaces::of_one(work.team.n_pes(), work.root));
  bool const is_root        = work.team.my_pe() == work.root;
  std::size_t const count   = work.count;
  std::size_t const n_words = n_words_of(count * sizeof(*work.dest));
  if constexpr (phase != PacketPhase::receive) {
    exchange.send_to_all(is_root ? n_words : 1, [&](std::size_t k) {
      return is_root ? load_word(work.source, count, k) : 0;
    });
    exchange.pass_gates();
  }
  if constexpr (phase == PacketPhase::send) return;
  group.for_each(n_words, [&](std::size_t k) {
    store_word(work.dest, count, k, exchange.receive(work.root, k));
  });
  auto const n = static_cast<std::size_t>(work.team.n_pes());
  group.for_each(n, [&](std::size_t i) {
    static_cast<void>(exchange.receive(static_cast<Pe>(i), 0));
  });
  exchange.end();
}

/// Carries out a GatherWork.
template <bool is_alltoall, PacketPhase phase, class Work, Group Threads>
__device__ void gather_packets(Work const& work, Threads const& group) {
  PacketExchange const exchange(group, work.team,
                                PacketPlaces::of_all(work.team.n_pes()));
  std::size_t const count   = work.count;
  std::size_t const n_words = n_words_of(count * sizeof(*work.dest));
  if constexpr (phase != PacketPhase::receive) {
    if constexpr (is_alltoall) {
      exchange.send_to_each(n_words, [&](Pe member, std::size_t k) {
        return load_word(work.source + work.block(member), count, k);
      });
    } else {
      exchange.send_to_all(n_words, [&](std::size_t k) {
        return load_word(work.source, count, k);
      });
    }
    exchange.pass_gates();
  }
  if constexpr (phase == PacketPhase::send) return;
  auto const n = static_cast<std::size_t>(work.team.n_pes());
  group.for_each(n * n_words, [&](std::size_t i) {
    auto const from     = static_cast<Pe>(i / n_words);
    std::size_t const k = i % n_words;
    store_word(work.dest + work.block(from), count, k,
               exchange.receive(from, k));
  });
  exchange.end();
}
#endif

}  // namespace symm::Impl

#endif
