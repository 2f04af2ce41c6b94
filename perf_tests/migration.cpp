// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Migration on CPUs: 10^6 elements of 72 bytes in three Views on all PEs
// together, or 10 on each, of which some per cent go to other PEs in each step.
// "MPI" calls MPI_Alltoall for counts and MPI_Alltoallv for data.

#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "exchange/Blocks.hpp"
#include "exchange/Lists.hpp"
#include "harness/Session.hpp"

namespace perf::migration_benchmark {
namespace {

struct Body {
  double x[9];
};

constexpr int n_steps = 8;

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
  // Where elements go is known before the timed part.
  std::vector<Ints> dests;
  for (int k = 0; k < n_steps; ++k) {
    dests.emplace_back("dest", 2 * mine);
    for (std::size_t i = 0; i < 2 * mine; ++i)
      dests.back()(i) = destination(i, k, per_cent, me, n);
  }
  MpiMigration mpi;
  symm::Migration migration;
  Exec const exec;
  int step            = 0;
  auto const next     = [&] { return dests[std::size_t(step++ % n_steps)]; };
  auto const run_mpi  = [&] { mpi(of_mpi, next().data(), me, n); };
  auto const run_plan = [&] {
    of_plan.count = migration.migrate(
        exec,
        Kokkos::subview(next(),
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
      {{{"migrate, per cent", per_cent}, {"elements", n_bodies}}},
      {{"MPI", "", repeat(run_mpi)}, {"Migration", "MPI", repeat(run_plan)}});
  session.verify("migrate", wrong);
}

void measure(Session& session) {
  for (int const per_cent :
       session.quick() ? std::vector<int>{10} : std::vector<int>{1, 10, 50})
    measure_migration(session, per_cent, session.quick() ? 10'000 : 1'000'000);
  measure_migration(session, 50, 10 * session.n_pes());
}

Registered const registered{"migration", measure};

}  // namespace
}  // namespace perf::migration_benchmark
