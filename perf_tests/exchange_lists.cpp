// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Irregular exchanges on CPUs.
//
// - gather: lists of ids in random order, per_pe and a few to each other PE, of
//   four Views with 60 bytes an element; scatter: sums of three doubles back.
// - plan: from imports, 10^6 of all PEs together, or 10 of each.
//
// "MPI" packs one message a neighbor, by persistent requests, and exchanges
// the lists of a plan by MPI_Alltoall and MPI_Alltoallv. "by hand" is the same
// over put_signal, for these elements alone (exchange/Blocks.hpp).

#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "exchange/Blocks.hpp"
#include "exchange/Lists.hpp"
#include "harness/Session.hpp"

namespace perf::exchange_lists_benchmark {
namespace {

struct Particle {
  double x[3], v[3], s;
  int id;
};
struct Triple {
  double x[3];
};

struct Particles {
  Triples x, v;
  Private<double*> s;
  Ints id;

  explicit Particles(std::size_t n)
      : x("x", n), v("v", n), s("s", n), id("id", n) {}
  void fill(std::size_t n, int me) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        x(i, c) = static_cast<double>(i * 3 + c + static_cast<std::size_t>(me));
        v(i, c) = x(i, c) + 0.5;
      }
      s(i)  = x(i, 0) / 3;
      id(i) = static_cast<int>(i) * 8 + me;
    }
  }
  std::int64_t differences(Particles const& other) const {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < s.extent(0); ++i) {
      n += s(i) != other.s(i) || id(i) != other.id(i) ? 1 : 0;
      for (std::size_t c = 0; c < 3; ++c)
        n += x(i, c) != other.x(i, c) || v(i, c) != other.v(i, c) ? 1 : 0;
    }
    return n;
  }
};

template <class Blocks>
void gather(Blocks& blocks, Particles const& p, std::vector<int> const& ids,
            std::size_t n_owned) {
  blocks(
      [&](std::size_t k) {
        auto const i = static_cast<std::size_t>(ids[k]);
        return Particle{{p.x(i, 0), p.x(i, 1), p.x(i, 2)},
                        {p.v(i, 0), p.v(i, 1), p.v(i, 2)},
                        p.s(i),
                        p.id(i)};
      },
      [&](std::size_t k, Particle const& its) {
        auto const i = n_owned + k;
        for (std::size_t c = 0; c < 3; ++c) {
          p.x(i, c) = its.x[c];
          p.v(i, c) = its.v[c];
        }
        p.s(i)  = its.s;
        p.id(i) = its.id;
      });
}

template <class Blocks>
void scatter(Blocks& blocks, Triples const& x, std::vector<int> const& ids,
             std::size_t n_owned) {
  blocks(
      [&](std::size_t k) {
        auto const i = n_owned + k;
        return Triple{{x(i, 0), x(i, 1), x(i, 2)}};
      },
      [&](std::size_t k, Triple const& its) {
        auto const i = static_cast<std::size_t>(ids[k]);
        for (std::size_t c = 0; c < 3; ++c) x(i, c) += its.x[c];
      });
}

void measure_lists(Session& session, int per_pe) {
  int const me = session.my_pe(), n = session.n_pes();
  auto const n_owned = static_cast<std::size_t>(std::max(1000, 4 * per_pe));
  std::mt19937_64 random(static_cast<std::uint64_t>(me));
  std::vector<std::vector<int>> out(static_cast<std::size_t>(n));
  for (int pe = 0; pe < n; ++pe)
    for (int k = 0; pe != me && k < per_pe + (me * 3 + pe * 5) % 7; ++k)
      out[static_cast<std::size_t>(pe)].push_back(
          static_cast<int>(random() % n_owned));
  auto const sent = joined(out);
  std::vector<int> pes;
  for (int pe = 0; pe < n; ++pe)
    pes.insert(pes.end(), out[static_cast<std::size_t>(pe)].size(), pe);

  auto plan = symm::ExchangePlan::from_exports(n_owned, to_view(sent.list),
                                               to_view(pes));
  MpiBlocks<Particle> mpi(sent.counts);
  HandBlocks<Particle> by_hand(sent.counts);
  MpiBlocks<Triple> mpi_back(alltoall(sent.counts));
  HandBlocks<Triple> by_hand_back(alltoall(sent.counts));
  auto const n_all = n_owned + plan.n_ghosts();
  Particles of_mpi(n_all), of_hand(n_all), of_plan(n_all);
  for (auto* particles : {&of_mpi, &of_hand, &of_plan})
    particles->fill(n_owned, me);
  Exec const exec;
  auto const run_mpi     = [&] { gather(mpi, of_mpi, sent.list, n_owned); };
  auto const run_by_hand = [&] {
    gather(by_hand, of_hand, sent.list, n_owned);
  };
  auto const run_plan = [&] {
    plan.gather(exec, of_plan.x, of_plan.v, of_plan.s, of_plan.id);
  };
  session.compare({{{"gather, per PE", per_pe}}},
                  {{"MPI", "", repeat(run_mpi)},
                   {"by hand", "MPI", repeat(run_by_hand)},
                   {"ExchangePlan", "MPI", repeat(run_plan)}});
  session.verify("gather, " + std::to_string(per_pe),
                 of_mpi.differences(of_plan) + of_mpi.differences(of_hand));

  auto const back_mpi = [&] {
    scatter(mpi_back, of_mpi.x, sent.list, n_owned);
  };
  auto const back_by_hand = [&] {
    scatter(by_hand_back, of_hand.x, sent.list, n_owned);
  };
  auto const back_plan = [&] { plan.scatter(exec, symm::Sum{}, of_plan.x); };
  // Once each: elements have the same bits.
  for (auto* particles : {&of_mpi, &of_hand, &of_plan})
    particles->fill(n_owned, me);
  back_mpi();
  back_by_hand();
  back_plan();
  auto const wrong = of_mpi.differences(of_plan) + of_mpi.differences(of_hand);
  session.compare({{{"scatter, per PE", per_pe}}},
                  {{"MPI", "", repeat(back_mpi)},
                   {"by hand", "MPI", repeat(back_by_hand)},
                   {"ExchangePlan", "MPI", repeat(back_plan)}});
  session.verify("scatter, " + std::to_string(per_pe), wrong);
}

void measure_plan(Session& session, int entries) {
  int const me = session.my_pe(), n = session.n_pes();
  std::size_t const n_owned = 1'000'000;
  std::mt19937_64 random(static_cast<std::uint64_t>(me));
  std::vector<int> indices, pes;
  for (int k = 0; k < entries / n; ++k) {
    indices.push_back(static_cast<int>(random() % n_owned));
    pes.push_back(static_cast<int>(random() % static_cast<unsigned>(n)));
  }
  auto const index_view = to_view(indices), pe_view = to_view(pes);
  std::int64_t ghosts_of_mpi = 0, ghosts_of_plan = 0;
  auto const run_mpi = [&] {
    Counts wanted(static_cast<std::size_t>(n));
    for (int const pe : pes) ++wanted[static_cast<std::size_t>(pe)];
    auto const first = starts_of(wanted);
    auto next        = first;
    std::vector<int> sorted(indices.size()), places(indices.size());
    for (std::size_t k = 0; k < pes.size(); ++k) {
      auto const to =
          static_cast<std::size_t>(next[static_cast<std::size_t>(pes[k])]++);
      sorted[to] = indices[k];
      places[to] = static_cast<int>(k);
    }
    auto const sent        = alltoall(wanted);
    auto const sent_starts = starts_of(sent);
    std::vector<int> ids(static_cast<std::size_t>(sent_starts.back()));
    auto const as_int = [](Counts const& counts) {
      return std::vector<int>(counts.begin(), counts.end());
    };
    check_mpi(MPI_Alltoallv(sorted.data(), as_int(wanted).data(),
                            as_int(first).data(), MPI_INT, ids.data(),
                            as_int(sent).data(), as_int(sent_starts).data(),
                            MPI_INT, MPI_COMM_WORLD),
              "MPI_Alltoallv");
    keep(ids.data());
    ghosts_of_mpi = static_cast<std::int64_t>(places.size());
  };
  auto const run_plan = [&] {
    auto const plan =
        symm::ExchangePlan::from_imports(n_owned, index_view, pe_view);
    ghosts_of_plan = static_cast<std::int64_t>(plan.n_ghosts());
  };
  session.compare({{{"plan, entries", entries}}},
                  {{"MPI", "", repeat(run_mpi)},
                   {"ExchangePlan", "MPI", repeat(run_plan)}});
  session.verify("plan", ghosts_of_mpi != ghosts_of_plan ? 1 : 0);
}

void measure(Session& session) {
  for (int const count : session.quick() ? std::vector<int>{100}
                                         : std::vector<int>{10, 1000, 100'000})
    measure_lists(session, count);
  measure_plan(session, session.quick() ? 10'000 : 1'000'000);
  measure_plan(session, 10 * session.n_pes());
}

Registered const registered{"exchange_lists", measure};

}  // namespace
}  // namespace perf::exchange_lists_benchmark
