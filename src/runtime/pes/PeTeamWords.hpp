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
/// A PE writes its own epoch (the number of synchronizations that it has
/// completed) and the members' numbers in the world. Each member writes a flag
/// (the epoch that it has reached) and a pair of words to be passed into every
/// PE's memory. There are two pairs, used in turn, since a member may be one
/// epoch ahead of one that still reads.
///
/// A gate is a word on which queues of a GPU wait: how often a member has
/// arrived, minus how often this PE has begun to wait for that member. A gate
/// is open unless it is negative.
///
/// For kernels there are packets, also in two sets that are used in turn. A
/// packet holds a word and its epoch, written in one access, and so needs no
/// flag. For the host, in a job of several nodes, there are two rooms, used in
/// turn, for the blocks that members pass. The first PE teams have more packets
/// than later ones, which have no rooms.
struct PeTeamWords {
  enum class Buffers { none, packets, many_packets, rooms };

  struct alignas(16) Packet {
    std::uint64_t word;
    std::uint64_t epoch;
  };

  HeapMap map;                // of the memory of all PE teams
  std::size_t offset    = 0;  // of this PE team there
  std::size_t n_packets = 0;  // of one epoch, from all members

  static constexpr std::size_t n_fixed = 8;
  SYMM_FUNCTION static constexpr std::size_t n_words(int n_pes) {
    return n_fixed + 7 * static_cast<std::size_t>(n_pes);
  }

  /// Values of `n_packets`. PacketExchange defines the layout of packets. Many
  /// packets hold 256 KiB, and a flag for each of 64 members. Only the first PE
  /// teams have many packets, with Buffers::many_packets.
  static constexpr std::size_t many_packets = 32768 + 64;
  static constexpr std::size_t few_packets  = 896;
  /// \param is_first whether it is one of the first PE teams.
  static constexpr std::size_t n_packets_of(Buffers buffers, bool is_first) {
    if (buffers == Buffers::many_packets && is_first) return many_packets;
    bool const has_packets =
        buffers == Buffers::packets || buffers == Buffers::many_packets;
    return has_packets ? few_packets : 0;
  }

  /// Bytes of one epoch's room. teams/FarSync.cpp defines the layout.
  static constexpr std::size_t room_bytes = std::size_t{257} << 10U;

  static constexpr std::size_t bytes(int n_pes, Buffers buffers,
                                     bool is_first) {
    std::size_t of_epoch = n_packets_of(buffers, is_first) * sizeof(Packet);
    if (buffers == Buffers::rooms && is_first) of_epoch = room_bytes;
    return end_of_words(n_pes) + 2 * of_epoch;
  }

  /// \param pe     the PE whose memory has the words; number in the world.
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
  /// The number of thread blocks of a kernel that have done their part.
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* n_blocks_done() const {
    return word(map.my_pe, 1);
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
  /// Rounded up to 128 bytes: the words share no cache line with the buffers
  /// after them.
  SYMM_FUNCTION static constexpr std::size_t end_of_words(int n_pes) {
    return (n_words(n_pes) * sizeof(std::uint64_t) + 127) / 128 * 128;
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* word(Pe pe, std::size_t n) const {
    return reinterpret_cast<std::uint64_t*>(map.part(pe) + offset) + n;
  }
};

}  // namespace symm::Impl

#endif
