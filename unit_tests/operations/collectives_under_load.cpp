// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Enqueues random collective operations of two PE teams on two instances. Each
// PE is late at random times, other kernels fill its GPU, and heap memory is
// allocated and freed in between. Every result is checked.
//
//   symm_test_collectives_under_load [ROUNDS [SEED]]
//
// With ROUNDS = 0 the program runs until it is killed (kill_in_turn.py).

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using symm::Pe;
using Exec  = Kokkos::DefaultExecutionSpace;
using Words = Kokkos::View<std::uint64_t*, symm::SymmetricSpace>;
using Count = Kokkos::View<std::int64_t, Exec::memory_space>;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;

constexpr bool is_on_gpu =
    !Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                                Exec::memory_space>::accessible;

/// Words per block: packets, one thread block, several that wait, and more than
/// several may wait for.
constexpr std::size_t counts[] = {1,     3,      100,     1'000,
                                  5'000, 20'000, 130'000, 600'000};
/// Rounds between two barriers; each of them has its own destination.
constexpr int n_dests = 4;

enum class Kind { broadcast, fcollect, alltoall, reduce };

/// Word i of the source of world PE `pe` in round `round`.
KOKKOS_INLINE_FUNCTION std::uint64_t word_of(std::uint64_t round, Pe pe,
                                             std::size_t i) {
  return (round << 40U) + (static_cast<std::uint64_t>(pe) << 32U) + i;
}

/// The members of a PE team are first, first + stride, ... in the world.
struct Members {
  Pe first, stride;
  int n, mine;
  [[nodiscard]] KOKKOS_FUNCTION Pe world_pe(Pe member) const {
    return first + stride * member;
  }
};

struct Round {
  Kind kind;
  std::uint64_t number;
  std::size_t count;
  Pe root;  // a member
};

struct Expected {
  Members members;
  Round round;

  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t operator()(std::size_t i) const {
    auto const word = [&](Pe member, std::size_t at) {
      return word_of(round.number, members.world_pe(member), at);
    };
    auto const block = static_cast<Pe>(i / round.count);
    auto const at    = i % round.count;
    if (round.kind == Kind::broadcast) return word(round.root, i);
    if (round.kind == Kind::fcollect) return word(block, at);
    if (round.kind == Kind::alltoall)
      return word(block,
                  static_cast<std::size_t>(members.mine) * round.count + at);
    std::uint64_t sum = 0;
    for (Pe member = 0; member < members.n; ++member) sum += word(member, i);
    return sum;
  }
};

/// A PE team, the instance that its operations are enqueued on, and its Views.
class Lane {
 public:
  Lane(symm::PeTeam team, Members const& members, Exec exec,
       std::size_t max_count)
      : m_team(std::move(team)), m_members(members), m_exec(std::move(exec)) {
    auto const n = max_count * static_cast<std::size_t>(symm::n_pes());
    m_source     = Words("source", n);
    for (auto& dest : m_dests) dest = Words("dest", n);
  }

  void enqueue(Round round) {
    round.root %= m_members.n;
    auto const n     = static_cast<std::size_t>(m_members.n);
    auto const all   = round.count * n;
    auto const& dest = m_dests[round.number % n_dests];
    auto* const to   = dest.data();
    auto* const from = m_source.data();
    if (round.number % n_dests == 0) symm::barrier(m_exec, m_team);
    auto const number = round.number;
    auto const source = m_source;
    Pe const me       = symm::my_pe();
    Kokkos::parallel_for(
        "fill", Range(m_exec, 0, all),
        KOKKOS_LAMBDA(std::size_t i) { source(i) = word_of(number, me, i); });
    std::size_t n_results = all;
    switch (round.kind) {
      case Kind::broadcast:
        symm::broadcast(m_exec, m_team, to, from, round.count, round.root);
        n_results = round.count;
        break;
      case Kind::fcollect:
        symm::fcollect(m_exec, m_team, to, from, round.count);
        break;
      case Kind::alltoall:
        symm::alltoall(m_exec, m_team, to, from, round.count);
        break;
      case Kind::reduce:
        symm::reduce(m_exec, m_team, to, from, round.count, symm::Sum{});
        n_results = round.count;
        break;
    }
    Expected const expected{m_members, round};
    auto const n_wrong = m_n_wrong;
    Kokkos::parallel_for(
        "check", Range(m_exec, 0, n_results), KOKKOS_LAMBDA(std::size_t i) {
          if (dest(i) != expected(i)) Kokkos::atomic_inc(&n_wrong());
        });
  }

  /// Waits for the instance. \returns the number of wrong words so far.
  [[nodiscard]] std::int64_t n_wrong() const {
    std::int64_t n = -1;
    Kokkos::deep_copy(m_exec, n, m_n_wrong);
    m_exec.fence("collectives under load");
    return n;
  }

 private:
  symm::PeTeam m_team;
  Members m_members;
  Exec m_exec;
  Words m_source, m_dests[n_dests];
  Count m_n_wrong{"wrong words"};
};

/// Keeps every multiprocessor of this PE's GPU busy for some 100 us.
void fill_gpu(Exec const& exec, Count const& sink) {
  std::size_t const n = is_on_gpu ? 1U << 19U : 1U << 6U;
  Kokkos::parallel_for(
      "fill GPU", Range(exec, 0, n), KOKKOS_LAMBDA(std::size_t i) {
        double x = static_cast<double>(i);
        for (int k = 0; k < 500; ++k) x = x * 1.0000001 + 1.0;
        if (x < 0.0) Kokkos::atomic_inc(&sink());
      });
}

bool run(int n_rounds, unsigned seed) {
  Pe const me     = symm::my_pe();
  int const n_pes = symm::n_pes();
  auto const streams =
      Kokkos::Experimental::partition_space(Exec(), std::vector<int>{1, 1, 1});
  Count const sink("sink");

  // The PEs of even and of odd number.
  auto const world           = symm::team_world();
  auto const halves          = symm::team_split(world, me % 2, me);
  std::size_t const n_counts = is_on_gpu ? 8 : 6;
  std::size_t const largest  = counts[n_counts - 1];
  Lane of_world(world, {0, 1, n_pes, me}, streams[0], largest);
  Lane of_half(halves, {me % 2, 2, (n_pes + 1 - me % 2) / 2, me / 2},
               streams[1], largest);

  std::mt19937 shared(seed);  // equal on all PEs
  std::mt19937 own(seed * 1000 + static_cast<unsigned>(me));  // differs
  auto const draw = [](std::mt19937& from, unsigned n) {
    return static_cast<unsigned>(from() % n);
  };
  auto const random_round = [&](int number) {
    auto const kind = static_cast<Kind>(draw(shared, 4));
    // Large blocks are rare.
    auto const size = draw(shared, draw(shared, 4) == 0 ? n_counts : 6);
    return Round{kind, static_cast<std::uint64_t>(number), counts[size],
                 static_cast<Pe>(draw(shared, 64))};
  };
  for (int number = 0; n_rounds == 0 || number < n_rounds; ++number) {
    if (draw(own, 8) == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(draw(own, 500)));
    if (draw(own, 4) == 0) fill_gpu(streams[2], sink);
    of_world.enqueue(random_round(number));
    if (draw(own, 4) == 0) fill_gpu(streams[2], sink);
    of_half.enqueue(random_round(number));
    if (draw(shared, 16) == 0) Words const temporary("temporary", largest);
    if (draw(shared, 16) != 0 && number + 1 != n_rounds) continue;
    auto const n_wrong = symm::reduce(
        world, of_world.n_wrong() + of_half.n_wrong(), symm::Sum{});
    if (n_wrong == 0) continue;
    if (me == 0)
      std::fprintf(stderr, "%lld words are wrong by round %d; seed %u\n",
                   static_cast<long long>(n_wrong), number, seed);
    return false;
  }
  streams[2].fence("collectives under load");
  return true;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    int const n_rounds  = argc > 1 ? std::atoi(argv[1]) : 100;
    auto const seed     = argc > 2 ? std::stoul(argv[2]) : 1UL;
    bool const is_right = run(n_rounds, static_cast<unsigned>(seed));
    if (is_right && symm::my_pe() == 0)
      std::printf("%d rounds are right\n", n_rounds);
    return is_right ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
