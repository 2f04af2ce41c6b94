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
struct PeTeamWords {
  HeapMap map;             // of the memory of all teams
  std::size_t offset = 0;  // of this team there

  static constexpr std::size_t n_fixed = 8;
  static constexpr std::size_t n_words(int n_pes) {
    return n_fixed + 6 * static_cast<std::size_t>(n_pes);
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

 private:
  SYMM_FUNCTION static std::size_t index(int number) {
    return static_cast<std::size_t>(number);
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t* word(Pe pe, std::size_t n) const {
    return reinterpret_cast<std::uint64_t*>(map.part(pe) + offset) + n;
  }
};

}  // namespace symm::Impl

#endif
