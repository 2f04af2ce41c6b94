// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "FarTeam.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../job/Runtime.hpp"
#include "../pes/PeTeamWords.hpp"
#include "../pes/Rendezvous.hpp"
#include "../transport/FarPes.hpp"
#include "../transport/Transport.hpp"
#include "HostWait.hpp"
#include "Words.hpp"

namespace symm::Impl {

namespace {

using Message = std::vector<std::byte>;

/// Why it is in vain to wait for a member; "" if it may come.
Text why_in_vain(PeTeam const& team, Pe member, char const* call) {
  auto const gone = HostWait::who_is_gone();
  Pe const pe     = team.world_pe(member);
  if (!gone.empty() || !Runtime::instance(call).rendezvous().is_in_finalize(
                           pe, HostWait::time_to_answer)) {
    return gone;
  }
  return Text("PE ", pe, " waits in symm::finalize()");
}

/// Returns when has_come() is true.
template <class HasCome>
void wait_for_member(char const* call, PeTeam const& team, Pe member,
                     HasCome const& has_come) {
  if (has_come()) return;
  HostWait wait(call);
  std::optional<Watch> watch;
  Pe const pe = team.world_pe(member);
  while (!has_come()) {
    if (!wait.pause()) continue;
    if (!watch && !team.words().map.is_near(pe)) {
      watch.emplace(*Transport::instance(), pe);
    }
    auto const why = why_in_vain(team, member, call);
    if (has_come()) return;  // what it has sent before counts
    if (!wait.must_report(why)) continue;
    wait.report(
        why, text_of(team),
        Text("\n  ", Runtime::instance(call).rendezvous().whereabouts(pe),
             " (or for a PE that it waits for)"));
  }
}

/// What members tell each other in the ceil(log2(n)) rounds of a barrier: in
/// round r each tells the one 2^r behind it some pairs of words. They are in
/// its words for this epoch, of which nobody writes before this PE has begun
/// the next.
class Rounds {
 public:
  struct Pair {
    std::uint64_t first;
    std::uint64_t second;

    bool operator==(Pair const&) const = default;
  };

  Rounds(PeTeam const& team, char const* call)
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
  /// All of them, of the members.
  [[nodiscard]] Pair* all() const {
    return reinterpret_cast<Pair*>(pair(m_words.map.my_pe, 0));
  }

  /// One round: the first pairs go to `place` and what is behind it there.
  void run(int step, std::size_t n_pairs, std::size_t place) {
    tell(member(step), n_pairs, place);
    hear(member(-step), n_pairs, place);
    ++m_round;
  }

  std::uint64_t end() const { return *m_words.epoch() = m_epoch; }

 private:
  /// The one so far behind this PE.
  [[nodiscard]] Pe member(int step) const {
    int const n = m_team.n_pes();
    return (m_team.my_pe() + n + step) % n;
  }
  [[nodiscard]] std::uint64_t* pair(Pe pe, std::size_t place) const {
    return m_words.passed(pe, 0, m_epoch) + 2 * place;
  }
  /// Of a message between two PEs of the team: other teams of both, which are
  /// in other slots, may be at it at the same time.
  [[nodiscard]] std::uint64_t number() const {
    constexpr unsigned round_bits = 8;
    constexpr unsigned epoch_bits = 48;
    constexpr auto epochs         = (std::uint64_t{1} << epoch_bits) - 1;
    static_assert(round_bits + epoch_bits + 6 < 63, "and 64 slots");
    return static_cast<std::uint64_t>(m_team.slot())
               << (epoch_bits + round_bits) |
           (m_epoch & epochs) << round_bits | m_round;
  }

  void tell(Pe to, std::size_t n_pairs, std::size_t place) const {
    Pe const pe            = m_team.world_pe(to);
    auto const* const mine = pair(m_words.map.my_pe, 0);
    if (!m_words.map.is_near(pe)) {
      Transport::instance()->send(pe, number(),
                                  std::as_bytes(std::span(mine, 2 * n_pairs)));
      return;
    }
    auto* const its = pair(pe, place);
    for (std::size_t i = 0; i < 2 * n_pairs; ++i) {
      store_relaxed(its + i, mine[i]);
    }
    store_release(m_words.flag(pe, m_team.my_pe()), m_epoch);
  }

  void hear(Pe from, std::size_t n_pairs, std::size_t place) const {
    Pe const pe = m_team.world_pe(from);
    if (m_words.map.is_near(pe)) {
      auto const* const flag = m_words.flag(m_words.map.my_pe, from);
      wait_for_member(m_call, m_team, from,
                      [&] { return load_acquire(flag) >= m_epoch; });
      return;
    }
    std::optional<Message> message;
    wait_for_member(m_call, m_team, from, [&] {
      using std::chrono::milliseconds;
      message =
          Transport::instance()->receive_within(pe, number(), milliseconds(0));
      return message.has_value();
    });
    // Of another call, none of whose words is anybody's here.
    auto const bytes = n_pairs * sizeof(Pair);
    if (message->size() != bytes) message->assign(bytes, std::byte{0xff});
    std::memcpy(pair(m_words.map.my_pe, place), message->data(), bytes);
  }

  PeTeam const& m_team;
  char const* m_call;
  PeTeamWords m_words;
  std::uint64_t m_epoch;
  std::uint64_t m_round = 0;
};

/// Who knows of no member with another word says so by its complement, which
/// no pair is that one of another call passes.
Rounds::Pair pair_of(std::uint64_t word, bool is_equal) {
  return {word, is_equal ? ~word : word};
}

}  // namespace

std::uint64_t exchange_words_far(PeTeam const& team, char const* call,
                                 std::uint64_t first, std::uint64_t second) {
  InCall const in(call);
  Rounds rounds(team, call);
  auto const n = static_cast<std::size_t>(team.n_pes());
  // What PEs know is in the order in which it comes: what member me - i (modulo
  // n) has passed is pair i. So what comes in a round goes behind all that is
  // there, and is in one piece.
  rounds.set(0, {first, second});
  for (std::size_t n_known = 1; n_known < n; n_known *= 2) {
    rounds.run(static_cast<int>(n_known), std::min(n_known, n - n_known),
               n_known);
  }
  // Pair i is then what member i has passed.
  auto* const pairs = rounds.all();
  auto const me     = static_cast<std::ptrdiff_t>(team.my_pe());
  std::reverse(pairs, pairs + n);
  std::rotate(pairs, pairs + (static_cast<std::ptrdiff_t>(n) - 1 - me),
              pairs + n);
  return rounds.end();
}

bool compare_word_far(PeTeam const& team, char const* call,
                      std::uint64_t word) {
  InCall const in(call);
  Rounds rounds(team, call);
  bool is_equal = true;
  // At the places of exchange_words_far(): a member that is in that one finds
  // another word than its own there.
  for (int step = 1; step < team.n_pes(); step *= 2) {
    auto const place = static_cast<std::size_t>(step);
    rounds.set(0, pair_of(word, is_equal));
    rounds.run(step, 1, place);
    is_equal = is_equal && rounds.get(place) == pair_of(word, true);
  }
  rounds.end();
  return is_equal;
}

bool has_shared_nodes() {
  return Runtime::instance("symm::has_shared_nodes").nodes().most_near() > 1;
}

}  // namespace symm::Impl
