// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_MEMBER_WORDS_HPP
#define SYMM_BASE_MEMBER_WORDS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_job.hpp"
#include "TeamMembers.hpp"

namespace symm::Impl {

/// Words that a container's members send each other before they send blocks:
/// counts, positions, and values that must be the same on all members. One more
/// word says whether the sender has failed, so a single exchange informs all
/// members of any failure.
class MemberWords {
 public:
  /// Creates an object without memory.
  MemberWords() = default;
  /// Collective over the world.
  /// \param n_words the number of words that each member sends to every member
  ///        in one exchange.
  /// \throws OutOfMemory, SystemError on every PE.
  MemberWords(std::string const& label, std::size_t n_words)
      : m_n(n_words + 1),
        m_words(label, 2 * m_n * static_cast<std::size_t>(n_pes())) {}

  [[nodiscard]] bool has_memory() const { return m_n > 0; }

  [[nodiscard]] std::int64_t& to(std::size_t member, std::size_t word) const {
    return m_words(m_n * member + word);
  }
  void to_all(TeamMembers const& members, std::size_t word,
              std::uint64_t value) const {
    for (int k = 0; k < members.n(); ++k)
      to(static_cast<std::size_t>(k), word) = static_cast<std::int64_t>(value);
  }
  /// The words that `member` sent to this PE.
  [[nodiscard]] std::int64_t const* from(std::size_t member) const {
    return m_words.data() + m_words.extent(0) / 2 + m_n * member;
  }
  [[nodiscard]] std::size_t from(std::size_t member, std::size_t word) const {
    return static_cast<std::size_t>(from(member)[word]);
  }
  /// The first member that sent a value other than `mine` as word `word`; empty
  /// if there is none. Skips members that have failed.
  [[nodiscard]] std::optional<std::size_t> other(TeamMembers const& members,
                                                 std::size_t word,
                                                 std::uint64_t mine) const {
    for (std::size_t k = 0; k < static_cast<std::size_t>(members.n()); ++k)
      if (!has_failed(k) && from(k, word) != mine) return k;
    return {};
  }

  /// Sends the words that were set through to(), and receives the other
  /// members' words. Collective over the members; acts as a barrier.
  /// \param failed whether this PE has failed.
  /// \returns whether any member has failed; the same on all members.
  bool exchange(TeamMembers const& members, bool failed = false) const {
    to_all(members, m_n - 1, failed ? 1 : 0);
    alltoall(members.team(), m_words.data() + m_words.extent(0) / 2,
             m_words.data(), m_n);
    for (std::size_t k = 0; k < static_cast<std::size_t>(members.n()); ++k)
      if (has_failed(k)) return true;
    return false;
  }
  [[nodiscard]] bool has_failed(std::size_t member) const {
    return from(member)[m_n - 1] != 0;
  }

  /// Collective over all PEs. Returns the element-wise maximum of `numbers`
  /// over all PEs. Overwrites any words that were set through to().
  template <std::size_t n>
  [[nodiscard]] std::array<std::size_t, n> maxima_of_world(
      std::array<std::size_t, n> numbers) const {
    auto* const words = m_words.data();
    std::copy(numbers.begin(), numbers.end(), words);
    reduce(team_world(), words + n, words, n, Max{});
    std::copy(words + n, words + 2 * n, numbers.begin());
    return numbers;
  }

 private:
  std::size_t m_n = 0;  // words per member, including the failure word
  Kokkos::View<std::int64_t*, SymmetricHostSpace> m_words;
};

}  // namespace symm::Impl

#endif
