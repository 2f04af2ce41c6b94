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

/// The maximum number of a kernel's thread blocks that wait for other PEs. This
/// limit allows several PE teams' kernels to wait on a GPU at the same time and
/// leaves room for the kernels that they are waiting for.
inline constexpr std::size_t max_waiting_blocks = 32;

/// Locates one PE team's words in every PE's memory. Kernels capture this
/// object by value. Only near PEs' words are mapped.
///
/// Each PE stores its epoch (the number of synchronizations that it has
/// completed) and the members' world PE numbers in its own memory. Into every
/// PE's memory, each member writes a flag (the epoch that it has reached) and a
/// pair of words to exchange. Each member has two such pairs, used in alternate
/// epochs, because a member may be one epoch ahead of a peer that is still
/// reading.
///
/// A gate is a word on which GPU queues wait. The gate's value is the number of
/// times that a member has arrived, minus the number of times that this PE has
/// begun to wait for that member. A gate is closed while its value is negative.
///
/// Kernels exchange data in packets. There are also two sets of packets, used
/// in alternate epochs. A packet contains a word and the epoch, written in a
/// single access, so no flag is needed. In multi-node jobs, hosts exchange
/// blocks through two buffers called rooms, which are also used in alternate
/// epochs. Only PE teams in the first slots have rooms or many packets.
struct PeTeamWords {
  enum class Buffers { none, packets, many_packets, rooms };

  struct alignas(16) Packet {
    std::uint64_t word;
    std::uint64_t epoch;
  };

  HeapMap map;                // covers all PE teams' memory
  std::size_t offset    = 0;  // this PE team's offset in that memory
  std::size_t n_packets = 0;  // number of packets per epoch, from all members

  static constexpr std::size_t n_fixed = 8;
  SYMM_FUNCTION static constexpr std::size_t n_words(int n_pes) {
    return n_fixed + 7 * static_cast<std::size_t>(n_pes);
  }

  /// Values of `n_packets`. PacketExchange defines the packets' layout.
  /// `many_packets` is enough for 256 KiB, plus a flag for each of 64 members.
  /// Only PE teams in the first slots have that many packets, and only with
  /// Buffers::many_packets.
  static constexpr std::size_t many_packets = 32768 + 64;
  static constexpr std::size_t few_packets  = 896;
  /// \param is_first Whether the PE team is in one of the first slots.
  static constexpr std::size_t n_packets_of(Buffers buffers, bool is_first) {
    if (buffers == Buffers::many_packets && is_first) return many_packets;
    bool const has_packets =
        buffers == Buffers::packets || buffers == Buffers::many_packets;
    return has_packets ? few_packets : 0;
  }

  /// The size of one epoch's room, in bytes. teams/FarSync.cpp defines the
  /// rooms' layout.
  static constexpr std::size_t room_bytes = std::size_t{257} << 10U;

  static constexpr std::size_t bytes(int n_pes, Buffers buffers,
                                     bool is_first) {
    std::size_t of_epoch = n_packets_of(buffers, is_first) * sizeof(Packet);
    if (buffers == Buffers::rooms && is_first) of_epoch = room_bytes;
    return end_of_words(n_pes) + 2 * of_epoch;
  }

  /// \param pe The PE whose memory contains the word, as a world PE number.
  /// \param member The member that writes the flag, numbered within the PE
  ///        team.
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* flag(Pe pe, Pe member) const {
    return word(pe, n_fixed + index_of(member));
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* gate(Pe pe, Pe member) const {
    return word(pe, n_fixed + index_of(map.n_pes) + index_of(member));
  }
  /// A word of the pair that `member` writes into PE `pe`'s memory.
  /// \param which Which word of the pair: 0 or 1.
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* passed(
      Pe pe, Pe member, std::uint64_t epoch, std::size_t which = 0) const {
    return word(pe, n_fixed + (2 + epoch % 2 * 2) * index_of(map.n_pes) +
                        2 * index_of(member) + which);
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* epoch() const {
    return word(map.my_pe, 0);
  }
  /// The number of a kernel's thread blocks that have finished their work.
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
  /// Callable only on the host.
  [[nodiscard]] std::byte* room(Pe pe, std::uint64_t epoch) const {
    return reinterpret_cast<std::byte*>(map.part(pe) + offset +
                                        end_of_words(map.n_pes)) +
           epoch % 2 * room_bytes;
  }

 private:
  /// The number of bytes that the words take up, rounded up to a multiple of
  /// 128 so that the words share no cache line with the buffers that follow.
  SYMM_FUNCTION static constexpr std::size_t end_of_words(int n_pes) {
    return (n_words(n_pes) * sizeof(std::uint64_t) + 127) / 128 * 128;
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* word(Pe pe, std::size_t n) const {
    return reinterpret_cast<std::uint64_t*>(map.part(pe) + offset) + n;
  }
};

}  // namespace symm::Impl

#endif
