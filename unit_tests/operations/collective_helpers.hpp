// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_COLLECTIVE_HELPERS_HPP
#define SYMM_TEST_COLLECTIVE_HELPERS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/gpu.hpp>
#include <support/pes.hpp>

#include "collective_operations.hpp"

/// Collective operations against a serial reference that every PE computes from
/// what all PEs are known to have. All of a test's calls follow each other
/// without a barrier, with data that change.
namespace symm_test {

using SpaceExec = Space::execution_space;

/// Says "yes" to some of many cases, where they take long: every n-th; and
/// between nodes, too.
class Some {
 public:
  explicit Some(unsigned n) : m_n(are_all_near() ? n : std::max(n, 13U)) {}
  bool next() { return m_count++ % m_n == 0; }

 private:
  unsigned m_n;
  unsigned m_count = 0;
};

// Teams.

struct Team {
  symm::PeTeam team;              // none on PEs that are not in it
  std::vector<symm::Pe> members;  // as this test knows them
  char const* name;
};

/// Teams that this PE is in or not. Collective: constructor and destructor.
class Teams {
 public:
  Teams() {
    int const n         = symm::n_pes();
    symm::Pe const me   = symm::my_pe();
    auto const& world   = symm::team_world();
    auto const split_by = [&](char const* name, auto const& color,
                              auto const& key) {
      std::vector<std::pair<int, symm::Pe>> chosen;
      for (symm::Pe pe = 0; pe < n; ++pe) {
        if (color(pe) == color(me)) chosen.emplace_back(key(pe), pe);
      }
      std::sort(chosen.begin(), chosen.end());
      Team result{symm::team_split(world, color(me), key(me)), {}, name};
      if (result.team.is_valid()) {
        for (auto const& [its_key, pe] : chosen) result.members.push_back(pe);
      }
      teams.push_back(result);
    };
    Team all{world, {}, "world"};
    for (symm::Pe pe = 0; pe < n; ++pe) all.members.push_back(pe);
    teams.push_back(all);
    auto const zero   = [](symm::Pe) { return 0; };
    auto const number = [](symm::Pe pe) { return pe; };
    split_by("reversed", zero, [](symm::Pe pe) { return -pe; });
    split_by("in pairs", zero, [](symm::Pe pe) { return pe ^ 1; });
    split_by(
        "all but PE 2", [](symm::Pe pe) { return pe == 2 ? -1 : 0; }, number);
    split_by(
        "two at once", [](symm::Pe pe) { return pe % 2; }, number);
    Team strided{
        symm::team_split_strided(world, 0, 2, (n + 1) / 2), {}, "strided"};
    if (strided.team.is_valid()) {
      for (symm::Pe pe = 0; pe < n; pe += 2) strided.members.push_back(pe);
    }
    teams.push_back(strided);
  }
  Teams(Teams const&)            = delete;
  Teams& operator=(Teams const&) = delete;
  ~Teams() {
    for (std::size_t i = 1; i < teams.size(); ++i) {
      if (teams[i].team.is_valid()) symm::team_destroy(teams[i].team);
    }
  }

  std::vector<Team> teams;
};

// Elements.

struct Twelve {
  std::int32_t numbers[3];
};

/// The types of elements that typed tests of the operations take.
template <class OfBroadcast, class OfFcollect, class OfCollect,
          class OfAlltoall, class OfAlltoalls, class OfReduce>
struct ElementTypes {
  using Broadcast = OfBroadcast;
  using Fcollect  = OfFcollect;
  using Collect   = OfCollect;
  using Alltoall  = OfAlltoall;
  using Alltoalls = OfAlltoalls;
  using Reduce    = OfReduce;
};
template <class T>
using All = ElementTypes<T, T, T, T, T, T>;

/// Element i of what member `from` (a PE of the world) has in a call: small
/// numbers, so that products are numbers too; sums of floating-point numbers
/// depend on the order.
template <class T>
T element_of(symm::Pe from, unsigned salt, std::size_t i) {
  auto const bits = pattern({from, 0, salt}, i);
  // (A divisor that the compiler knows is a multiplication.)
  auto const part = [&]<unsigned n>(unsigned shift) {
    return static_cast<int>((bits >> shift) % n) - static_cast<int>(n / 2);
  };
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(part.template operator()<2'000'003>(0)) /
           static_cast<T>(part.template operator()<1'001>(32) * 2 + 1);
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return static_cast<T>(part.template operator()<181>(0));
  } else if constexpr (std::is_same_v<T, Kokkos::complex<double>>) {
    return {static_cast<double>(part.template operator()<7>(0)),
            static_cast<double>(part.template operator()<7>(32))};
  } else {
    T result{};
    auto* const bytes = reinterpret_cast<unsigned char*>(&result);
    for (std::size_t at = 0; at < sizeof(T); at += sizeof bits) {
      std::memcpy(bytes + at, &bits, std::min(sizeof(T) - at, sizeof bits));
    }
    return result;
  }
}

template <class T>
bool are_same_bits(T const& a, T const& b) {
  return std::memcmp(static_cast<void const*>(&a), static_cast<void const*>(&b),
                     sizeof(T)) == 0;
}

/// A block of a symmetric array with guards around it.
template <class T>
class Block {
 public:
  /// Collective.
  /// \param capacity in elements.
  explicit Block(std::size_t capacity)
      : m_all("block", capacity + 2 * margin + 1) {}

  /// Puts guards around `elements`, which begin `offset` elements behind what
  /// is 16-byte aligned.
  T* set(std::vector<T> const& elements, std::size_t offset) {
    m_first = margin + offset;
    m_count = elements.size();
    EXPECT_LE(m_count + 2 * margin + 1, m_all.size()) << "the test's fault";
    auto all = with_guards(elements);
    Kokkos::deep_copy(used(), Unmanaged(all.data(), all.size()));
    return m_all.data() + m_first;
  }
  /// "", or where the block or the guards are not as they should be.
  [[nodiscard]] std::string difference(std::vector<T> const& expected) const {
    std::vector<T> all(m_count + 2 * margin + 1);
    Kokkos::deep_copy(Unmanaged(all.data(), all.size()), used());
    auto const wanted = with_guards(expected);
    // One call: an element at a time takes long.
    if (std::memcmp(static_cast<void const*>(all.data()),
                    static_cast<void const*>(wanted.data()),
                    all.size() * sizeof(T)) == 0) {
      return "";
    }
    auto const at =
        std::mismatch(all.begin(), all.end(), wanted.begin(), are_same_bits<T>)
            .first;
    auto const i = static_cast<std::size_t>(at - all.begin());
    return i >= m_first && i - m_first < m_count
               ? "element " + std::to_string(i - m_first)
               : "guard at " + std::to_string(i);
  }
  [[nodiscard]] T* data() const { return m_all.data() + m_first; }

  static constexpr std::size_t margin = 64;

 private:
  using Unmanaged =
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  static T guard() {
    T result;
    std::memset(static_cast<void*>(&result), 0x6E, sizeof(T));
    return result;
  }
  [[nodiscard]] std::vector<T> with_guards(
      std::vector<T> const& elements) const {
    std::vector<T> all(m_count + 2 * margin + 1, guard());
    std::copy(elements.begin(), elements.end(),
              all.begin() + static_cast<std::ptrdiff_t>(m_first));
    return all;
  }
  [[nodiscard]] auto used() const {
    return Kokkos::subview(m_all, Kokkos::pair<std::size_t, std::size_t>(
                                      0, m_count + 2 * margin + 1));
  }

  Kokkos::View<T*, Space> m_all;
  std::size_t m_first = margin;
  std::size_t m_count = 0;
};

// Cases.

/// Where in 16 bytes the blocks begin, in elements.
struct Offsets {
  std::size_t dest   = 0;
  std::size_t source = 0;
};

inline std::vector<Offsets> all_offsets() {
  return {{0, 0}, {1, 1}, {0, 1}, {1, 0}};
}

/// Counts around the boundaries of packs, rows, tiles, of blocks of 4096 bytes,
/// and of what goes by packets. Nothing goes by packets between nodes, where a
/// reduction on GPUs takes a message for each element.
template <class T>
std::vector<std::size_t> small_counts() {
  std::vector<std::size_t> counts{0,  1,  2,  3,  5,   7,  8,
                                  15, 16, 17, 33, 127, 129};
  std::vector<std::size_t> sizes{4096, 16384};  // in bytes
  if constexpr (!is_on_host<Space>) {
    using Words  = symm::Impl::PeTeamWords;
    auto const n = static_cast<std::size_t>(symm::n_pes());
    for (auto const packets : {Words::few_packets, Words::many_packets}) {
      if (!are_all_near()) break;
      sizes.push_back(packets * sizeof(std::uint64_t) / n);
      sizes.push_back((packets - n) * sizeof(std::uint64_t));
    }
    // More than one thread block passes packets.
    sizes.push_back(std::size_t{16} << 10U);
  }
  for (std::size_t const bytes : sizes) {
    counts.push_back(bytes / sizeof(T) - 1);
    counts.push_back(bytes / sizeof(T));
    counts.push_back(bytes / sizeof(T) + 1);
  }
  return counts;
}

/// Counts around that of the most bytes in one block of a GPU, and many; over
/// nodes around that of the most bytes that go along with the host's checks:
/// from one PE or all to all, from each of 2 or 4 PEs to each, to be combined
/// by all, and by each its share.
template <class T>
std::vector<std::size_t> large_counts() {
  constexpr std::size_t limit = (std::size_t{64} << 10U) / sizeof(T);
  std::vector<std::size_t> counts{limit - 1, limit, limit + 1, 100'003};
  if (is_on_host<Space> && !are_all_near()) {
    constexpr std::size_t room =
        (symm::Impl::PeTeamWords::room_bytes - 32) / sizeof(T);
    auto const n = static_cast<std::size_t>(symm::n_pes());
    counts.insert(counts.end(), {room, room + 1, room / 2, 2 * room / 5,
                                 room / (2 * n), room / (2 * n) + 1});
    // Room for n blocks, and for half as many that come or leave in a round.
    auto const blocks =
        n + (1 + static_cast<std::size_t>(std::bit_width(n - 1))) * (n / 2);
    auto const share = room / blocks;
    counts.insert(counts.end(), {n * share, n * share + 1, n * share - 1,
                                 (n - 1) * share + 1});
  }
  return counts;
}

/// The last member.
inline symm::Pe root_of(Team const& team) {
  return team.members.empty() ? 0
                              : static_cast<symm::Pe>(team.members.size()) - 1;
}

/// Runs calls and looks at what they have done.
template <class T>
class Bench {
 public:
  /// Collective.
  /// \param capacity of a block, in elements.
  explicit Bench(std::size_t capacity) : m_dest(capacity), m_source(capacity) {}

  /// By all PEs; those that are not in the team only count the call. No
  /// barrier. \param form form(op, team, dest, source, count) makes the call,
  /// and waits.
  template <class Op, class Form>
  void run(Op const& op, Team const& team, std::size_t count,
           Offsets const& offsets, Form const& form) {
    run_call(op, team, count, offsets,
             [&](T* dest, T const* source, std::size_t own_count) {
               form(op, team.team, dest, source, own_count);
             });
  }

 private:
  using Call = std::function<void(T*, T const*, std::size_t)>;

  // Not of the form, and expect() not of the operation: less to compile.
  template <class Op>
  void run_call(Op const& op, Team const& team, std::size_t count,
                Offsets const& offsets, Call const& call) {
    ++m_salt;
    if (!team.team.is_valid()) return;
    int const n       = team.team.n_pes();
    symm::Pe const me = team.team.my_pe();
    auto const source = [&](symm::Pe member, std::size_t i) {
      return element_of<T>(team.members[static_cast<std::size_t>(member)],
                           m_salt, i);
    };
    std::vector<T> sent(op.n_source(n, count));
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = source(me, i);
    std::vector<T> received(op.n_dest(n, count));
    constexpr std::size_t period = 61;
    for (std::size_t i = 0; i < received.size(); ++i) {
      received[i] =
          i < period ? element_of<T>(77, m_salt, i) : received[i - period];
    }
    T* const from = m_source.set(sent, offsets.source);
    T* to         = from;
    if (!op.is_in_place) to = m_dest.set(received, offsets.dest);

    call(to, from, op.count_of(me, count));

    for (std::size_t i = 0; i < received.size(); ++i) {
      received[i] =
          op.template expected<T>(source, me, n, count, i, received[i]);
    }
    expect(received, sent, op.is_in_place, team, count, offsets);
  }
  void expect(std::vector<T> const& received, std::vector<T> const& sent,
              bool is_in_place, Team const& team, std::size_t count,
              Offsets const& offsets) {
    SCOPED_TRACE(testing::Message()
                 << "team '" << team.name << "', member " << team.team.my_pe()
                 << ", " << count << " elements, offsets " << offsets.dest
                 << " and " << offsets.source << ", call " << m_salt);
    if (is_in_place) {
      EXPECT_EQ(m_source.difference(received), "") << "in place";
    } else {
      EXPECT_EQ(m_dest.difference(received), "") << "dest";
      EXPECT_EQ(m_source.difference(sent), "") << "source";
    }
  }

  Block<T> m_dest;
  Block<T> m_source;
  unsigned m_salt = 0;
};

template <class T>
inline constexpr std::size_t most =
    4 * ((std::size_t{is_on_host<Space> ? 32 : 257} << 10U) / sizeof(T) + 16);

/// All small counts for all teams, with the offsets in turn; some of them where
/// calls take long.
template <class T, class Ops, class Form>
void run_all(Bench<T>& bench, Teams const& teams, Ops const& ops,
             Form const& form, unsigned one_of = 11) {
  Some some(Form::is_slow ? one_of : 1);
  auto const offsets = all_offsets();
  std::size_t turn   = 0;
  for (auto const& team : teams.teams) {
    for (auto const count : small_counts<T>()) {
      auto const& offset = offsets[turn++ % offsets.size()];
      if (!some.next()) continue;
      ops([&](auto const& op) { bench.run(op, team, count, offset, form); },
          team);
    }
  }
}

}  // namespace symm_test

#endif
