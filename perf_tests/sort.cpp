// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Sorting random 64-bit keys of all PEs on CPUs. "std::sort" is PE 0 alone with
// the keys of all. The two with MPI are sample sorts, and sort on a PE as
// symm::sort does (several times as fast as std::sort). "MPI" sends keys by
// MPI_Alltoallv to the PE that they belong to, and sorts them there; "MPI,
// merged" sorts them first, sends them and merges.

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

namespace perf::sort_benchmark {
namespace {

using Key    = std::uint64_t;
using Vector = std::vector<Key>;

/// In one pass for each of few splitters.
std::size_t pe_of(Key key, Vector const& splitters) {
  std::size_t pe = 0;
  for (auto const splitter : splitters) pe += key >= splitter ? 1 : 0;
  return pe;
}

void sort_here(Vector& keys, Vector& scratch) {
  using Record = symm::Impl::KeyAlone<Key>;
  static_assert(sizeof(Record) == sizeof(Key));
  scratch.resize(std::max(scratch.size(), keys.size()));
  symm::Impl::RadixSort<Record>::sort(reinterpret_cast<Record*>(keys.data()),
                                      reinterpret_cast<Record*>(scratch.data()),
                                      keys.size(), true);
}

class MpiSort {
 public:
  explicit MpiSort(int n_pes) : m_n(static_cast<std::size_t>(n_pes)) {}

  void by_partition(Vector& keys) {
    auto const splitters = splitters_of(keys);
    Counts out(m_n);
    for (auto const key : keys) ++out[pe_of(key, splitters)];
    auto next = starts_of(out);
    m_out.resize(keys.size());
    for (auto const key : keys)
      m_out[static_cast<std::size_t>(next[pe_of(key, splitters)]++)] = key;
    exchange(m_out, out, keys);
    sort_here(keys, m_scratch);
  }

  void by_merge(Vector& keys) {
    auto const splitters = splitters_of(keys);
    sort_here(keys, m_scratch);
    Counts ends;
    for (auto const splitter : splitters)
      ends.push_back(std::lower_bound(keys.begin(), keys.end(), splitter) -
                     keys.begin());
    ends.push_back(static_cast<std::int64_t>(keys.size()));
    Counts out = ends;
    for (std::size_t pe = m_n; pe-- > 1;) out[pe] -= ends[pe - 1];
    auto runs = starts_of(exchange(keys, out, m_out));
    // Neighboring runs, again and again.
    while (runs.size() > 2) {
      keys.resize(m_out.size());
      Counts merged{0};
      for (std::size_t r = 0; r + 1 < runs.size(); r += 2) {
        auto const middle = m_out.begin() + runs[r + 1];
        auto const end =
            r + 2 < runs.size() ? m_out.begin() + runs[r + 2] : middle;
        std::merge(m_out.begin() + runs[r], middle, middle, end,
                   keys.begin() + runs[r]);
        merged.push_back(end - m_out.begin());
      }
      runs = merged;
      keys.swap(m_out);
    }
    keys.swap(m_out);
  }

 private:
  static constexpr std::size_t n_samples = 1024;

  /// Of samples of all PEs.
  Vector splitters_of(Vector const& keys) {
    Vector mine, all(n_samples * m_n);
    for (std::size_t k = 0; k < n_samples; ++k)
      mine.push_back(keys[k * keys.size() / n_samples]);
    check_mpi(MPI_Allgather(mine.data(), n_samples, MPI_UINT64_T, all.data(),
                            n_samples, MPI_UINT64_T, MPI_COMM_WORLD),
              "MPI_Allgather");
    std::sort(all.begin(), all.end());
    Vector splitters;
    for (std::size_t pe = 1; pe < m_n; ++pe)
      splitters.push_back(all[pe * n_samples]);
    return splitters;
  }

  /// \returns how many have come from each PE.
  static Counts exchange(Vector const& from, Counts const& out, Vector& to) {
    auto const in     = alltoall(out);
    auto const starts = starts_of(out), in_starts = starts_of(in);
    to.resize(static_cast<std::size_t>(in_starts.back()));
    auto const ints = [](Counts const& counts) {
      return std::vector<int>(counts.begin(), counts.end());
    };
    check_mpi(
        MPI_Alltoallv(from.data(), ints(out).data(), ints(starts).data(),
                      MPI_UINT64_T, to.data(), ints(in).data(),
                      ints(in_starts).data(), MPI_UINT64_T, MPI_COMM_WORLD),
        "MPI_Alltoallv");
    return in;
  }

  std::size_t m_n;
  Vector m_out, m_scratch;
};

Vector random_keys(std::size_t count, int pe) {
  std::mt19937_64 random(static_cast<unsigned>(pe) + 1);
  Vector keys(count);
  for (auto& key : keys) key = random();
  return keys;
}

void measure_sort(Session& session, int total) {
  int const me = session.my_pe(), n = session.n_pes();
  auto const count = static_cast<std::size_t>(total / n);
  auto const keys  = random_keys(count, me);
  Vector all;
  for (int pe = 0; pe < n; ++pe) {
    auto const its = random_keys(count, pe);
    all.insert(all.end(), its.begin(), its.end());
  }
  MpiSort mpi(n);
  Vector of_one, of_mpi(2 * count);
  Private<Key*> of_symm("keys", count);
  auto const reset_mpi  = [&] { of_mpi.assign(keys.begin(), keys.end()); };
  auto const reset_symm = [&] {
    std::copy(keys.begin(), keys.end(), of_symm.data());
  };
  auto const run_one = [&] {
    if (me == 0) std::sort(of_one.begin(), of_one.end());
  };
  auto const run_mpi    = [&] { mpi.by_partition(of_mpi); };
  auto const run_merged = [&] { mpi.by_merge(of_mpi); };
  auto const run_symm   = [&] { symm::sort(Exec(), of_symm); };

  auto sorted = all;
  std::sort(sorted.begin(), sorted.end());
  std::int64_t wrong        = 0;
  auto const check_mpi_keys = [&] {
    Counts counts(static_cast<std::size_t>(n));
    auto const mine = static_cast<std::int64_t>(of_mpi.size());
    check_mpi(MPI_Allgather(&mine, 1, MPI_INT64_T, counts.data(), 1,
                            MPI_INT64_T, MPI_COMM_WORLD),
              "MPI_Allgather");
    auto const first = starts_of(counts)[static_cast<std::size_t>(me)];
    wrong += std::equal(of_mpi.begin(), of_mpi.end(), sorted.begin() + first)
                 ? 0
                 : 1;
  };
  reset_mpi();
  run_mpi();
  check_mpi_keys();
  reset_mpi();
  run_merged();
  check_mpi_keys();
  reset_symm();
  run_symm();
  wrong += std::equal(of_symm.data(), of_symm.data() + count,
                      sorted.data() + static_cast<std::size_t>(me) * count)
               ? 0
               : 1;
  sorted = {};

  auto plan = session.plan();
  if (total > 1'000'000) plan.warm_up = 1;
  session.compare({{{"keys", total}}},
                  {{"std::sort", "", repeat(run_one), 1,
                    [&] {
                      if (me == 0) of_one = all;
                    }},
                   {"MPI", "std::sort", repeat(run_mpi), 1, reset_mpi},
                   {"MPI, merged", "MPI", repeat(run_merged), 1, reset_mpi},
                   {"symm::sort", "MPI", repeat(run_symm), 1, reset_symm}},
                  plan);
  session.verify("sort", wrong);
}

void measure(Session& session) {
  for (int const total : session.quick()
                             ? std::vector<int>{10'000}
                             : std::vector<int>{10'000, 1'000'000, 10'000'000})
    measure_sort(session, total);
  measure_sort(session, 10 * session.n_pes());
}

Registered const registered{"sort", measure};

}  // namespace
}  // namespace perf::sort_benchmark
