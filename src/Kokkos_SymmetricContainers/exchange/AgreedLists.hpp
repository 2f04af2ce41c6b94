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

/// The lists that the members of a PE team have passed for a plan, or for the
/// plans that are joined. The members compare them, and tell each other where
/// their blocks begin.
class AgreedLists {
 public:
  /// Local: takes the memory for what other members say.
  static void prepare(std::vector<ExchangeLists>& lists, PeTeam const& team);

  /// Collective over the world. Precondition: prepare() has taken the lists.
  /// \param lists of each plan; the object completes them.
  /// \throws OutOfMemory, SystemError on every PE.
  AgreedLists(char const* call, std::vector<ExchangeLists>& lists,
              PeTeam const& team);

  /// Collective over the members: finds counts and starts of all blocks.
  /// \throws UsageError on this PE, if lists or boxes of two PEs differ. This
  ///         PE has taken part in all calls of the PE team then.
  void exchange();

  /// Collective over the world: the largest of each number.
  template <std::size_t n>
  [[nodiscard]] std::array<std::size_t, n> maxima_of_world(
      std::array<std::size_t, n> const& mine) const {
    return m_words.maxima_of_world(mine);
  }

  [[nodiscard]] std::size_t n_members() const { return m_n_members; }
  /// The number in the world of a member.
  [[nodiscard]] Pe world_pe(std::size_t member) const {
    return m_members.world_pe(static_cast<Pe>(member));
  }
  /// Whether elements go to that member, or come from it.
  [[nodiscard]] bool is_neighbor(std::size_t member) const;
  [[nodiscard]] std::size_t n_neighbors() const { return m_n_neighbors; }

  /// The slot of this PE at that member.
  [[nodiscard]] std::size_t slot_at(std::size_t member) const {
    return m_words.from(member, of_slot);
  }
  /// Where that member's block of owned elements for this PE begins at that
  /// member. \param p of the plans that are joined.
  [[nodiscard]] std::size_t owned_start_at(std::size_t member,
                                           std::size_t p) const {
    return m_words.from(member, word(of_owned, p));
  }
  /// The same of the ghosts that this PE fills.
  [[nodiscard]] std::size_t ghosts_start_at(std::size_t member,
                                            std::size_t p) const {
    return m_words.from(member, word(of_ghosts, p));
  }
  /// The words of that member about its box.
  [[nodiscard]] BoxWords box_of(std::size_t member) const {
    return BoxWords::of(m_words.from(member) + of_box);
  }

 private:
  /// What PEs tell each other: a slot, what is known of a box, and for each of
  /// the plans that are joined counts or starts of blocks.
  enum Word : std::size_t {
    of_slot,
    of_box,
    of_owned  = of_box + BoxWords::n_words,
    of_ghosts = of_owned + 1,
    n_of_plan = 2
  };
  /// \param p of the plans that are joined.
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
