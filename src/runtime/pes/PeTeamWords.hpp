// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PE_TEAM_WORDS_HPP
#define SYMM_PE_TEAM_WORDS_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"

namespace symm::Impl {

/// The words of one PE team in every PE's memory, captured by value in kernels.
/// Only those of near PEs are mapped.
///
/// A PE writes its own epoch (the number of its synchronisations that have
/// ended) and the members' numbers in the world. Each member writes into every
/// PE's memory a flag (the epoch that it has reached) and a pair of words that
/// it passes. There are two pairs, used in turn: a member may be one epoch
/// ahead of one that still reads.
///
/// A gate is a word on which queues of a GPU wait: how often a member has
/// arrived, less how often this PE has begun to wait for it. It is open unless
/// it is negative.
///
/// For kernels there are packets, also two sets used in turn. A packet holds a
/// word and its epoch, written in one access, and so needs no flag. For the
/// host, in a job of several nodes, the first PE teams have two rooms, used in
/// turn, for the blocks that members pass.
struct PeTeamWords {
  enum class Buffers { none, packets, rooms };

  struct alignas(16) Packet {
    std::uint64_t word;
    std::uint64_t epoch;
  };

  HeapMap map;             // of the memory of all PE teams
  std::size_t offset = 0;  // of this PE team there

  static constexpr std::size_t n_fixed = 8;
  SYMM_FUNCTION static constexpr std::size_t n_words(int n_pes) {
    return n_fixed + 7 * static_cast<std::size_t>(n_pes);
  }

  /// Packets of one epoch, from all members; PacketExchange lays them out.
  static constexpr std::size_t n_packets = 896;

  /// Bytes of one epoch's room; FarPassing lays it out.
  static constexpr std::size_t room_bytes = std::size_t{257} << 10U;

  static constexpr std::size_t bytes(int n_pes, Buffers buffers) {
    return end_of_words(n_pes) + (buffers == Buffers::packets
                                      ? 2 * n_packets * sizeof(Packet)
                                  : buffers == Buffers::rooms ? 2 * room_bytes
                                                              : 0);
  }

  /// \param pe     the words are in its memory; number in the world.
  /// \param member number in the PE team.
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* flag(Pe pe, Pe member) const {
    return word(pe, n_fixed + index_of(member));
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* gate(Pe pe, Pe member) const {
    return word(pe, n_fixed + index_of(map.n_pes) + index_of(member));
  }
  /// \param which 0 or 1.
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* passed(
      Pe pe, Pe member, std::uint64_t epoch, std::size_t which = 0) const {
    return word(pe, n_fixed + (2 + epoch % 2 * 2) * index_of(map.n_pes) +
                        2 * index_of(member) + which);
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* epoch() const {
    return word(map.my_pe, 0);
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* member(Pe member) const {
    return word(map.my_pe,
                n_fixed + 6 * index_of(map.n_pes) + index_of(member));
  }
  [[nodiscard]] SYMM_FUNCTION Packet* packets(Pe pe,
                                              std::uint64_t epoch) const {
    return reinterpret_cast<Packet*>(map.part(pe) + offset +
                                     end_of_words(map.n_pes)) +
           epoch % 2 * n_packets;
  }
  /// For the host.
  [[nodiscard]] std::byte* room(Pe pe, std::uint64_t epoch) const {
    return reinterpret_cast<std::byte*>(map.part(pe) + offset +
                                        end_of_words(map.n_pes)) +
           epoch % 2 * room_bytes;
  }

 private:
  /// Rounded up to 128 bytes: the words share no cache line with what follows.
  SYMM_FUNCTION static constexpr std::size_t end_of_words(int n_pes) {
    return (n_words(n_pes) * sizeof(std::uint64_t) + 127) / 128 * 128;
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* word(Pe pe, std::size_t n) const {
    return reinterpret_cast<std::uint64_t*>(map.part(pe) + offset) + n;
  }
};

}  // namespace symm::Impl

#endif
