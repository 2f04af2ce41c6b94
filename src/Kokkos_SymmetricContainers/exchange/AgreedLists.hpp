// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_AGREED_LISTS_HPP
#define SYMM_EXCHANGE_AGREED_LISTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../base/MemberWords.hpp"
#include "../base/TeamMembers.hpp"
#include "BoxDecomposition.hpp"
#include "ExchangeLists.hpp"

namespace symm::Impl {

inline constexpr char const* exchange_plan = "symm::ExchangePlan";

/// The lists that a PE team's members passed for a plan, or for several joined
/// plans. The members compare their lists and send each other the starting
/// positions of their blocks.
class AgreedLists {
 public:
  /// Local: allocates memory in `lists` for the counts and starting positions
  /// of all members' blocks.
  static void prepare(std::vector<ExchangeLists>& lists, PeTeam const& team);

  /// Collective over the world. Precondition: prepare() has been called with
  /// these lists.
  /// \param lists each plan's lists; exchange() completes them.
  /// \throws OutOfMemory, SystemError on every PE.
  AgreedLists(char const* call, std::vector<ExchangeLists>& lists,
              PeTeam const& team);

  /// Collective over the members: determines the counts and starting positions
  /// of all blocks.
  /// \throws UsageError on this PE if two PEs' lists or boxes do not match.
  ///         Throws only after the last collective call over the PE team, so no
  ///         other PE waits for this PE.
  void exchange();

  /// Collective over all PEs. Returns the element-wise maximum of `numbers`
  /// over all PEs.
  template <std::size_t n>
  [[nodiscard]] std::array<std::size_t, n> maxima_of_world(
      std::array<std::size_t, n> const& numbers) const {
    return m_words.maxima_of_world(numbers);
  }

  [[nodiscard]] std::size_t n_members() const { return m_n_members; }
  /// The member's world PE number.
  [[nodiscard]] Pe world_pe(std::size_t member) const {
    return m_members.world_pe(static_cast<Pe>(member));
  }
  /// Whether this PE sends elements to the member or receives elements from it.
  [[nodiscard]] bool is_neighbor(std::size_t member) const;
  [[nodiscard]] std::size_t n_neighbors() const { return m_n_neighbors; }

  /// This PE's slot on the member (see BlockBuffers).
  [[nodiscard]] std::size_t slot_at(std::size_t member) const {
    return m_words.from(member, of_slot);
  }
  /// The position, in elements, at which the member's block of owned elements
  /// for this PE starts in the member's buffers.
  /// \param p the joined plan's number.
  [[nodiscard]] std::size_t owned_start_at(std::size_t member,
                                           std::size_t p) const {
    return m_words.from(member, word(of_owned, p));
  }
  /// Like owned_start_at(), but for the member's ghosts that this PE fills.
  [[nodiscard]] std::size_t ghosts_start_at(std::size_t member,
                                            std::size_t p) const {
    return m_words.from(member, word(of_ghosts, p));
  }
  /// The member's description of its own box.
  [[nodiscard]] BoxWords box_of(std::size_t member) const {
    return BoxWords::of(m_words.from(member) + of_box);
  }

 private:
  /// Indices of the words that this PE sends to another PE: the other PE's slot
  /// on this PE, the description of this PE's box, and two words for each
  /// joined plan. These two words first hold the element counts of the two
  /// blocks, then the starting positions of the blocks.
  enum Word : std::size_t {
    of_slot,
    of_box,
    of_owned  = of_box + BoxWords::n_words,
    of_ghosts = of_owned + 1,
    n_of_plan = 2
  };
  /// The index of a joined plan's word `of`.
  /// \param p the joined plan's number.
  [[nodiscard]] static std::size_t word(Word of, std::size_t p) {
    return of + n_of_plan * p;
  }

  void tell_counts() const;
  void agree_counts(std::size_t p);
  void tell_starts();
  void check_boxes() const;
  [[nodiscard]] BoxWords my_box() const;

  char const* m_call;
  std::vector<ExchangeLists>& m_lists;
  TeamMembers m_members;
  std::size_t m_n_members;
  MemberWords m_words;
  std::size_t m_n_neighbors = 0;
};

}  // namespace symm::Impl

#endif
