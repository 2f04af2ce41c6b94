// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_DISSEMINATIONROUNDS_HPP
#define SYMM_TEAMS_DISSEMINATIONROUNDS_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"
#include "../memory/Words.hpp"
#include "../pes/PeTeamWords.hpp"
#include "PeTeam.hpp"

namespace symm::Impl {

/// The data that accompany a round's pair. `out_bytes` bytes at offset `out` in
/// this PE's room() are copied to offset `in` in the receiver's room(). There
/// must be space for one pair before `out`.
struct RoundData {
  std::size_t out       = 0;
  std::size_t out_bytes = 0;
  std::size_t in        = 0;
  std::size_t in_bytes  = 0;  // received by this PE
};

/// The messages of a dissemination barrier with ceil(log2(n)) rounds. In round
/// r, each member sends pairs of words, and possibly data, to the member 2^r
/// positions after it. In each epoch, this PE receives the pairs in its words
/// and the data in its room(). No member overwrites the pairs or the data until
/// this PE has begun the next epoch.
class DisseminationRounds {
 public:
  struct Pair {
    std::uint64_t first;
    std::uint64_t second;

    bool operator==(Pair const&) const = default;
  };

  DisseminationRounds(PeTeam const& team, char const* call)
      : m_team(team),
        m_call(call),
        m_words(team.words()),
        m_epoch(*m_words.epoch() + 1) {}

  [[nodiscard]] Pair get(std::size_t place) const {
    auto const* const words = pair(m_words.map.my_pe, place);
    return {words[0], words[1]};
  }
  void set(std::size_t place, Pair const& to) const {
    store_relaxed(pair(m_words.map.my_pe, place), to.first);
    store_relaxed(pair(m_words.map.my_pe, place) + 1, to.second);
  }
  /// The array of this PE's pairs, one for each member.
  [[nodiscard]] Pair* all() const {
    return reinterpret_cast<Pair*>(pair(m_words.map.my_pe, 0));
  }
  /// This PE's buffer for data in this epoch (PeTeamWords::room()).
  [[nodiscard]] std::byte* room() const {
    return m_words.room(m_words.map.my_pe, m_epoch);
  }

  /// Runs one round. Sends this PE's first `n_pairs` pairs, which the receiver
  /// stores starting at index `place`, and waits for the same number of pairs
  /// from another member. If data accompany the pairs, `n_pairs` must be 1.
  void run(int step, std::size_t n_pairs, std::size_t place,
           RoundData const& data = {}) {
    tell(member(step), n_pairs, place, data);
    hear(member(-step), n_pairs, place, data);
    ++m_round;
  }

  std::uint64_t end() const {
    store_relaxed(m_words.epoch(), m_epoch);
    return m_epoch;
  }

 private:
  /// The member `step` positions after this PE.
  [[nodiscard]] Pe member(int step) const {
    int const n = m_team.n_pes();
    return (m_team.my_pe() + n + step) % n;
  }
  [[nodiscard]] std::uint64_t* pair(Pe pe, std::size_t place) const {
    return m_words.passed(pe, 0, m_epoch) + 2 * place;
  }
  /// Identifies this round's messages. The number includes the PE team's slot,
  /// because the same two PEs may exchange messages in several PE teams at the
  /// same time.
  [[nodiscard]] std::uint64_t number() const {
    constexpr unsigned round_bits = 8;
    constexpr unsigned epoch_bits = 48;
    constexpr auto epochs         = (std::uint64_t{1} << epoch_bits) - 1;
    static_assert(
        round_bits + epoch_bits + 6 < 63,
        "the round, the epoch and one of 64 slots must fit into 62 bits");
    return static_cast<std::uint64_t>(m_team.slot())
               << (epoch_bits + round_bits) |
           (m_epoch & epochs) << round_bits | m_round;
  }

  void tell(Pe to, std::size_t n_pairs, std::size_t place,
            RoundData const& data) const;
  void hear(Pe from, std::size_t n_pairs, std::size_t place,
            RoundData const& data) const;

  PeTeam const& m_team;
  char const* m_call;
  PeTeamWords m_words;
  std::uint64_t m_epoch;
  std::uint64_t m_round = 0;
};

/// The pair that a member sends in compare_far(). If the member has received
/// only equal words so far, the pair consists of the word and its complement,
/// which no other call sends.
inline DisseminationRounds::Pair pair_of(std::uint64_t word, bool is_equal) {
  return {word, is_equal ? ~word : word};
}

/// A barrier that returns whether all members have passed the same word.
/// \param load provides the data. load.data(step) returns the data for a round,
///        and load.arrive(step) is called after the round.
template <class Load>
bool compare_far(PeTeam const& team, DisseminationRounds& rounds,
                 std::uint64_t word, Load const& load) {
  bool is_equal = true;
  // Pairs are stored at the same places as in exchange_words(), so a member
  // that is in exchange_words() receives a different word.
  for (int step = 1; step < team.n_pes(); step *= 2) {
    auto const place = static_cast<std::size_t>(step);
    rounds.set(0, pair_of(word, is_equal));
    rounds.run(step, 1, place, load.data(step));
    is_equal = is_equal && rounds.get(place) == pair_of(word, true);
    load.arrive(step);
  }
  rounds.end();
  return is_equal;
}

}  // namespace symm::Impl

#endif
