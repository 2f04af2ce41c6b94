// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Exchanges of whole programs, on CPUs.
//
// - halo: a periodic box of edge^3 cells per PE in a grid of 2 x 1 x 1 or 2 x 2
//   x 1 PEs, ghosts 2 wide on all sides, 26 neighbours, three Views of three
//   doubles a cell.
// - gather: lists of ids in random order, per_pe and a few to each other PE, of
//   four Views with 60 bytes an element; scatter: sums of three doubles back.
// - plan: from imports, 10^6 of all PEs together.
// - migrate: 10^6 elements of 72 bytes in three Views on all PEs together, of
//   which some per cent go to other PEs in each step.
//
// "MPI" packs one message a neighbour, by persistent requests, or calls
// MPI_Alltoall for counts and MPI_Alltoallv for data. "by hand" is the same
// over put_signal, for these elements alone (exchange/Blocks.hpp).

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "exchange/Blocks.hpp"
#include "harness/Session.hpp"

namespace perf::exchange_benchmark {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Private = Kokkos::View<T, Kokkos::LayoutRight, Exec::memory_space>;
using Triples = Private<double* [3]>;
using Ints    = Private<int*>;
using Cells   = Private<double*** [3]>;

Ints to_view(std::vector<int> const& list) {
  Ints view("list", list.size());
  std::copy(list.begin(), list.end(), view.data());
  return view;
}

/// Elements of one PE after those of another.
struct Elements {
  Counts counts;
  std::vector<int> list;
};
Elements joined(std::vector<std::vector<int>> const& parts) {
  Elements all;
  for (auto const& part : parts) {
    all.counts.push_back(static_cast<std::int64_t>(part.size()));
    all.list.insert(all.list.end(), part.begin(), part.end());
  }
  return all;
}

// The halo.

constexpr int ghost_width = 2;

struct Box {
  int edge;
  int pe_grid[3];
  int place[3];

  Box(int its_edge, int me, int n_pes)
      : edge(its_edge), pe_grid{n_pes > 1 ? 2 : 1, n_pes / 2, 1}, place{} {
    if (n_pes == 1) pe_grid[1] = 1;
    for (int a = 2; a >= 0; me /= pe_grid[a--]) place[a] = me % pe_grid[a];
  }
  int neighbour(int const (&d)[3], int sign) const {
    int pe = 0;
    for (int a = 0; a < 3; ++a)
      pe = pe * pe_grid[a] + (place[a] + sign * d[a] + pe_grid[a]) % pe_grid[a];
    return pe;
  }
  /// The cells to send along d, or the ghosts that this fills here.
  void append(std::vector<int>& cells, int const (&d)[3], bool ghosts) const {
    int begin[3], end[3];
    for (int a = 0; a < 3; ++a) {
      int const low =
          ghosts ? (d[a] > 0 ? 0 : edge + 2) : (d[a] > 0 ? edge : 2);
      begin[a] = d[a] == 0 ? 2 : low;
      end[a]   = d[a] == 0 ? edge + 2 : low + 2;
    }
    int const e = edge + 2 * ghost_width;
    for (int i = begin[0]; i < end[0]; ++i)
      for (int j = begin[1]; j < end[1]; ++j)
        for (int k = begin[2]; k < end[2]; ++k)
          cells.push_back((i * e + j) * e + k);
  }
};

struct Fields {
  Cells f[3];
  explicit Fields(std::size_t e) {
    for (auto& x : f) x = Cells("f", e, e, e);
  }
  void fill(Box const& box, int me) {
    auto const e = static_cast<int>(f[0].extent(0));
    for (int v = 0; v < 3; ++v)
      for (int i = 0; i < e * e * e; ++i) {
        bool const owned =
            std::min({i / e / e, i / e % e, i % e}) >= 2 &&
            std::max({i / e / e, i / e % e, i % e}) < box.edge + 2;
        for (int c = 0; c < 3; ++c)
          f[v].data()[i * 3 + c] = owned ? me * 1e6 + i * 10 + v * 3 + c : -1;
      }
  }
  std::int64_t differences(Fields const& other) const {
    std::int64_t n = 0;
    for (int v = 0; v < 3; ++v)
      for (std::size_t i = 0; i < f[v].size(); ++i)
        n += f[v].data()[i] != other.f[v].data()[i] ? 1 : 0;
    return n;
  }
};

struct Cell {
  double f[3][3];
};

/// By blocks of cells.
template <class Blocks>
void exchange_cells(Blocks& blocks, Fields const& fields,
                    std::vector<int> const& sent,
                    std::vector<int> const& filled) {
  double *p0 = fields.f[0].data(), *p1 = fields.f[1].data(),
         *p2 = fields.f[2].data();
  blocks(
      [&](std::size_t k) {
        Cell cell;
        auto const at = 3 * static_cast<std::size_t>(sent[k]);
        for (std::size_t c = 0; c < 3; ++c) {
          cell.f[0][c] = p0[at + c];
          cell.f[1][c] = p1[at + c];
          cell.f[2][c] = p2[at + c];
        }
        return cell;
      },
      [&](std::size_t k, Cell const& cell) {
        auto const at = 3 * static_cast<std::size_t>(filled[k]);
        for (std::size_t c = 0; c < 3; ++c) {
          p0[at + c] = cell.f[0][c];
          p1[at + c] = cell.f[1][c];
          p2[at + c] = cell.f[2][c];
        }
      });
}

template <class Body>
auto repeat(Body const& body) {
  return [&body](std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) body();
  };
}

void measure_halo(Session& session, int edge) {
  Box const box(edge, session.my_pe(), session.n_pes());
  auto const n = static_cast<std::size_t>(session.n_pes());
  std::vector<std::vector<int>> out(n), in(n);
  for (int d = 0; d < 27; ++d) {
    int const direction[3] = {d / 9 - 1, d / 3 % 3 - 1, d % 3 - 1};
    if (d == 13) continue;
    box.append(out[static_cast<std::size_t>(box.neighbour(direction, 1))],
               direction, false);
    box.append(in[static_cast<std::size_t>(box.neighbour(direction, -1))],
               direction, true);
  }
  auto const sent = joined(out), filled = joined(in);
  auto const e = static_cast<std::size_t>(edge + 2 * ghost_width);
  Fields of_mpi(e), of_hand(e), of_plan(e);
  for (auto* fields : {&of_mpi, &of_hand, &of_plan})
    fields->fill(box, session.my_pe());

  MpiBlocks<Cell> mpi(sent.counts);
  HandBlocks<Cell> by_hand(sent.counts);
  symm::BoxDecomposition decomposition;
  auto const owned          = static_cast<std::size_t>(edge);
  decomposition.owned       = {owned, owned, owned};
  decomposition.pe_grid     = {box.pe_grid[0], box.pe_grid[1], box.pe_grid[2]};
  decomposition.ghost_width = ghost_width;
  decomposition.periodic    = {true, true, true};
  auto plan                 = symm::ExchangePlan::from_box(decomposition);
  Exec const exec;
  auto const run_mpi = [&] {
    exchange_cells(mpi, of_mpi, sent.list, filled.list);
  };
  auto const run_by_hand = [&] {
    exchange_cells(by_hand, of_hand, sent.list, filled.list);
  };
  auto const& f       = of_plan.f;
  auto const run_plan = [&] { plan.gather(exec, f[0], f[1], f[2]); };
  session.compare({{{"halo, edge", edge}}},
                  {{"MPI", "", repeat(run_mpi)},
                   {"by hand", "MPI", repeat(run_by_hand)},
                   {"ExchangePlan", "MPI", repeat(run_plan)}});
  session.verify("halo, edge " + std::to_string(edge),
                 of_mpi.differences(of_plan) + of_mpi.differences(of_hand));
}

// Lists.

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

// Making a plan.

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

// Migration.

struct Body {
  double x[9];
};

/// Where element k goes in a step.
int destination(std::size_t k, int step, int per_cent, int me, int n) {
  auto h = (k * 2654435761U + static_cast<std::size_t>(step) * 40503U) >> 7U;
  if (n == 1 || static_cast<int>(h % 100) >= per_cent) return me;
  return (me + 1 + static_cast<int>(h / 100 % static_cast<unsigned>(n - 1))) %
         n;
}

struct Bodies {
  Triples x, v, a;
  std::size_t count;

  Bodies(std::size_t n, int me)
      : x("x", n * 5 / 4), v("v", n * 5 / 4), a("a", n * 5 / 4), count(n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        x(i, c) =
            static_cast<double>((i * 3 + c) * 8 + static_cast<std::size_t>(me));
        v(i, c) = x(i, c) + 1;
        a(i, c) = x(i, c) + 2;
      }
  }
  Body get(std::size_t i) const {
    return {{x(i, 0), x(i, 1), x(i, 2), v(i, 0), v(i, 1), v(i, 2), a(i, 0),
             a(i, 1), a(i, 2)}};
  }
  void set(std::size_t i, Body const& its) const {
    for (std::size_t c = 0; c < 3; ++c) {
      x(i, c) = its.x[c];
      v(i, c) = its.x[3 + c];
      a(i, c) = its.x[6 + c];
    }
  }
  void grow(std::size_t n) {
    if (x.extent(0) >= n) return;
    for (auto* view : {&x, &v, &a}) Kokkos::resize(*view, n + n / 8);
  }
};

/// Over MPI, with elements in the same places afterwards.
class MpiMigration {
 public:
  void operator()(Bodies& bodies, int const* dest, int me, int n) {
    Counts out(static_cast<std::size_t>(n));
    m_leaving.clear();
    for (std::size_t k = 0; k < bodies.count; ++k) {
      if (dest[k] == me) continue;
      m_leaving.push_back(k);
      ++out[static_cast<std::size_t>(dest[k])];
    }
    auto const in     = alltoall(out);
    auto const starts = starts_of(out), in_starts = starts_of(in);
    auto next = starts;
    m_out.resize(m_leaving.size());
    for (auto const k : m_leaving)
      m_out[static_cast<std::size_t>(
          next[static_cast<std::size_t>(dest[k])]++)] = bodies.get(k);
    m_in.resize(static_cast<std::size_t>(in_starts.back()));
    auto const bytes = [](Counts const& counts) {
      std::vector<int> result;
      for (auto const count : counts)
        result.push_back(static_cast<int>(count * std::int64_t{sizeof(Body)}));
      return result;
    };
    check_mpi(
        MPI_Alltoallv(m_out.data(), bytes(out).data(), bytes(starts).data(),
                      MPI_BYTE, m_in.data(), bytes(in).data(),
                      bytes(in_starts).data(), MPI_BYTE, MPI_COMM_WORLD),
        "MPI_Alltoallv");
    auto const n_now = bodies.count - m_leaving.size() + m_in.size();
    bodies.grow(n_now);
    for (std::size_t k = 0; k < m_in.size(); ++k)
      bodies.set(k < m_leaving.size() ? m_leaving[k]
                                      : bodies.count + k - m_leaving.size(),
                 m_in[k]);
    auto to = m_in.size();
    for (auto k = n_now; k < bodies.count; ++k)
      if (dest[k] == me) bodies.set(m_leaving[to++], bodies.get(k));
    bodies.count = n_now;
  }

 private:
  std::vector<std::size_t> m_leaving;
  std::vector<Body> m_out, m_in;
};

void measure_migration(Session& session, int per_cent, int n_bodies) {
  int const me = session.my_pe(), n = session.n_pes();
  auto const mine = static_cast<std::size_t>(n_bodies / n);
  Bodies of_mpi(mine, me), of_plan(mine, me);
  Ints dest("dest", 2 * mine);
  MpiMigration mpi;
  symm::Migration migration;
  Exec const exec;
  int step          = 0;
  auto const choose = [&](std::size_t count) {
    if (dest.extent(0) < count) Kokkos::realloc(dest, 2 * count);
    for (std::size_t k = 0; k < count; ++k)
      dest(k) = destination(k, step, per_cent, me, n);
    ++step;
  };
  auto const run_mpi = [&] {
    choose(of_mpi.count);
    mpi(of_mpi, dest.data(), me, n);
  };
  auto const run_plan = [&] {
    choose(of_plan.count);
    of_plan.count = migration.migrate(
        exec,
        Kokkos::subview(dest,
                        std::pair<std::size_t, std::size_t>(0, of_plan.count)),
        of_plan.x, of_plan.v, of_plan.a);
  };
  std::int64_t wrong = 0;
  for (int k = 0; k < 3; ++k) {
    step = k;
    run_mpi();
    step = k;
    run_plan();
    wrong += of_mpi.count != of_plan.count ? 1 : 0;
    for (std::size_t i = 0; wrong == 0 && i < of_mpi.count; ++i)
      for (std::size_t c = 0; c < 9; ++c)
        wrong += of_mpi.get(i).x[c] != of_plan.get(i).x[c] ? 1 : 0;
  }
  session.compare(
      {{{"migrate, per cent", per_cent}}},
      {{"MPI", "", repeat(run_mpi)}, {"Migration", "MPI", repeat(run_plan)}});
  session.verify("migrate", wrong);
}

void measure(Session& session) {
  std::vector<int> edges{8, 16, 32, 64}, per_pe{10, 1000, 100'000},
      per_cents{1, 10, 50};
  int total = 1'000'000;
  if (session.quick()) {
    edges     = {8};
    per_pe    = {100};
    per_cents = {10};
    total     = 10'000;
  }
  for (int const edge : edges) measure_halo(session, edge);
  for (int const count : per_pe) measure_lists(session, count);
  measure_plan(session, total);
  for (int const per_cent : per_cents)
    measure_migration(session, per_cent, total);
}

Registered const registered{"exchange", measure};

}  // namespace
}  // namespace perf::exchange_benchmark
