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
  if (!gone.empty() ||
      !Runtime::instance(call).rendezvous().is_in_finalize(pe)) {
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

/// One exchange of a PE. What it knows is in its words for this epoch, in the
/// order in which it comes: what member me - i (modulo n) has passed is pair i.
/// So what comes in a round goes behind all that is there, and is in one piece.
class Exchange {
 public:
  Exchange(PeTeam const& team, char const* call)
      : m_team(team),
        m_call(call),
        m_words(team.words()),
        m_epoch(*m_words.epoch() + 1) {}

  std::uint64_t run(std::uint64_t first, std::uint64_t second) {
    store_relaxed(pairs_of(m_words.map.my_pe), first);
    store_relaxed(pairs_of(m_words.map.my_pe) + 1, second);
    auto const n = static_cast<std::size_t>(m_team.n_pes());
    for (std::size_t n_known = 1; n_known < n; n_known *= 2, ++m_round) {
      auto const n_pairs = std::min(n_known, n - n_known);
      auto const step    = static_cast<int>(n_known);
      tell(member(step), n_known, n_pairs);
      hear(member(-step), n_known, n_pairs);
    }
    sort_by_members();
    *m_words.epoch() = m_epoch;
    return m_epoch;
  }

 private:
  /// The one so far behind this PE.
  [[nodiscard]] Pe member(int step) const {
    int const n = m_team.n_pes();
    return (m_team.my_pe() + n + step) % n;
  }
  [[nodiscard]] std::uint64_t* pairs_of(Pe pe) const {
    return m_words.passed(pe, 0, m_epoch);
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

  /// The first pairs of this PE go behind the first `n_known` of the member.
  void tell(Pe to, std::size_t n_known, std::size_t n_pairs) const {
    Pe const pe            = m_team.world_pe(to);
    auto const* const mine = pairs_of(m_words.map.my_pe);
    if (!m_words.map.is_near(pe)) {
      Transport::instance()->send(pe, number(),
                                  std::as_bytes(std::span(mine, 2 * n_pairs)));
      return;
    }
    auto* const its = pairs_of(pe) + 2 * n_known;
    for (std::size_t i = 0; i < 2 * n_pairs; ++i) {
      store_relaxed(its + i, mine[i]);
    }
    store_release(m_words.flag(pe, m_team.my_pe()), m_epoch);
  }

  void hear(Pe from, std::size_t n_known, std::size_t n_pairs) const {
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
    // Of a team of another size, none of whose words is anybody's here.
    auto const bytes = 2 * n_pairs * sizeof(std::uint64_t);
    if (message->size() != bytes) message->assign(bytes, std::byte{0xff});
    std::memcpy(pairs_of(m_words.map.my_pe) + 2 * n_known, message->data(),
                bytes);
  }

  /// Pair i is then what member i has passed. (Nobody writes here before this
  /// PE has begun the next exchange.)
  void sort_by_members() const {
    struct Pair {
      std::uint64_t words[2];
    };
    auto const n      = static_cast<std::size_t>(m_team.n_pes());
    auto* const pairs = reinterpret_cast<Pair*>(pairs_of(m_words.map.my_pe));
    auto const me     = static_cast<std::ptrdiff_t>(m_team.my_pe());
    std::reverse(pairs, pairs + n);
    std::rotate(pairs, pairs + (static_cast<std::ptrdiff_t>(n) - 1 - me),
                pairs + n);
  }

  PeTeam const& m_team;
  char const* m_call;
  PeTeamWords m_words;
  std::uint64_t m_epoch;
  std::uint64_t m_round = 0;
};

}  // namespace

std::uint64_t exchange_words_far(PeTeam const& team, char const* call,
                                 std::uint64_t first, std::uint64_t second) {
  return Exchange(team, call).run(first, second);
}

}  // namespace symm::Impl
