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
/// Each PE has, for itself, an epoch (the number of its latest synchronisation)
/// and the members' numbers in the world; and for each member, written by that,
/// a flag (the epoch it has reached) and two pairs of words that it passes
/// along, used in turn: one may be ahead by one epoch while another still
/// reads. Only those of near PEs are there.
///
/// Where kernels use them there are packets, too, also used in turn: words that
/// come with the epoch that they belong to, in one access, and so need no flag
/// behind them. Where the host uses them in a job of several nodes the first
/// teams have room for the blocks that members pass along, in turn, too.
struct PeTeamWords {
  enum class Behind { nothing, packets, rooms };

  struct alignas(16) Packet {
    std::uint64_t word;
    std::uint64_t epoch;
  };

  HeapMap map;             // of the memory of all teams
  std::size_t offset = 0;  // of this team there

  static constexpr std::size_t n_fixed = 8;
  SYMM_FUNCTION static constexpr std::size_t n_words(int n_pes) {
    return n_fixed + 6 * static_cast<std::size_t>(n_pes);
  }

  /// Of one epoch, from all members. PacketExchange says who has which.
  static constexpr std::size_t n_packets = 896;

  /// Of one epoch; FarPassing has what is where in it.
  static constexpr std::size_t room_bytes = std::size_t{257} << 10U;

  static constexpr std::size_t bytes(int n_pes, Behind behind) {
    return end_of_words(n_pes) + (behind == Behind::packets
                                      ? 2 * n_packets * sizeof(Packet)
                                  : behind == Behind::rooms ? 2 * room_bytes
                                                            : 0);
  }

  /// \param pe of the world, whose words; \param member of the team.
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* flag(Pe pe, Pe member) const {
    return word(pe, n_fixed + index(member));
  }
  /// \param which 0 or 1.
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* passed(
      Pe pe, Pe member, std::uint64_t epoch, std::size_t which = 0) const {
    return word(pe, n_fixed + (1 + epoch % 2 * 2) * index(map.n_pes) +
                        2 * index(member) + which);
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* epoch() const {
    return word(map.my_pe, 0);
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* member(Pe member) const {
    return word(map.my_pe, n_fixed + 5 * index(map.n_pes) + index(member));
  }
  [[nodiscard]] SYMM_FUNCTION Packet* packets(Pe pe,
                                              std::uint64_t epoch) const {
    return reinterpret_cast<Packet*>(map.part(pe) + offset +
                                     end_of_words(map.n_pes)) +
           epoch % 2 * n_packets;
  }
  /// The host's.
  [[nodiscard]] std::byte* room(Pe pe, std::uint64_t epoch) const {
    return reinterpret_cast<std::byte*>(map.part(pe) + offset +
                                        end_of_words(map.n_pes)) +
           epoch % 2 * room_bytes;
  }

 private:
  /// The next one is in a line of its own.
  SYMM_FUNCTION static constexpr std::size_t end_of_words(int n_pes) {
    return (n_words(n_pes) * sizeof(std::uint64_t) + 127) / 128 * 128;
  }
  SYMM_FUNCTION static std::size_t index(int number) {
    return static_cast<std::size_t>(number);
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* word(Pe pe, std::size_t n) const {
    return reinterpret_cast<std::uint64_t*>(map.part(pe) + offset) + n;
  }
};

}  // namespace symm::Impl

#endif
