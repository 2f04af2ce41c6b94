// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Topological sort (bale): the rows and columns of an upper triangular matrix
// have been permuted. Which orders make it upper triangular again? A row with
// only one column left gets that column as its pivot, in the last free place.
// The column is then removed from the other rows. Rows and columns are
// distributed over the PEs. The PEs notify each other about removed columns
// with messages.
//
//     mpiexec -n PES toposort [ROWS]

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

using Lists = std::vector<std::vector<int>>;

// Row or column `i` is number i / n_pes on this PE.
symm::Pe pe_of(int i) { return i % symm::n_pes(); }
std::size_t here(int i) { return static_cast<std::size_t>(i / symm::n_pes()); }
int global(std::size_t k) {
  return static_cast<int>(k) * symm::n_pes() + symm::my_pe();
}

// The columns in this PE's rows. Row i of an upper triangular matrix becomes
// row a * i, and column j becomes column b * j + 1, both modulo the number of
// rows.
Lists make_rows(int n) {
  auto const prime_to_n = [n](int from) {
    while (std::gcd(from, n) != 1) ++from;
    return static_cast<std::int64_t>(from);
  };
  auto const a = prime_to_n(n / 3 + 1);
  auto const b = prime_to_n(n / 5 + 1);
  Lists rows(static_cast<std::size_t>((n - symm::my_pe() + symm::n_pes() - 1) /
                                      symm::n_pes()));
  std::uint64_t random = 1;
  for (int i = 0; i < n; ++i) {
    auto const row = static_cast<int>(a * i % n);
    std::vector<int> columns{i};  // the diagonal
    for (int k = 0; k < 5; ++k) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      columns.push_back(
          i + static_cast<int>((random >> 33U) % static_cast<unsigned>(n - i)));
    }
    if (pe_of(row) != symm::my_pe()) continue;
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (int const j : columns)
      rows[here(row)].push_back(static_cast<int>((b * j + 1) % n));
  }
  return rows;
}

// For each column on this PE, the rows that have it.
Lists transpose(Lists const& rows) {
  struct Entry {
    int row, column;
  };
  Lists columns(rows.size());
  symm::Mailbox<Entry> entries("entries", [&](Entry const& its) {
    columns[here(its.column)].push_back(its.row);
  });
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (int const column : rows[k])
      entries.send(pe_of(column), {global(k), column});
  entries.finish();
  return columns;
}

class Sort {
 public:
  Sort(Lists const& rows, Lists const& columns)
      : m_columns(columns), m_pivots(rows.size()) {
    for (auto const& row : rows) {
      m_left.push_back({row.size(), std::accumulate(row.begin(), row.end(),
                                                    std::int64_t{0})});
    }
  }

  // For each row on this PE, its pivot column. A row comes before those of
  // lower levels.
  struct Pivot {
    int column, level;
  };
  std::vector<Pivot> operator()() {
    std::vector<std::size_t> first;  // before messages add more
    for (std::size_t k = 0; k < m_left.size(); ++k)
      if (m_left[k].count == 1) first.push_back(k);
    for (auto const k : first) take_last(k, 0);
    m_news.finish();  // including all messages that handlers send
    return m_pivots;
  }

 private:
  struct Left {
    std::size_t count;
    std::int64_t sum;  // sum of the columns' numbers; for a single column, its
                       // number
  };
  struct News {  // the news that a row has taken the column
    int row;     // row that is told; -1 for news to the column's PE
    int column;
    int level;
  };

  void take_last(std::size_t k, int level) {
    auto const column = static_cast<int>(m_left[k].sum);
    m_pivots[k]       = {column, level};
    m_news.send(pe_of(column), {-1, column, level});
  }
  void handle(News const& its) {
    if (its.row < 0) {
      for (int const row : m_columns[here(its.column)])
        m_news.send(pe_of(row), {row, its.column, its.level});
      return;
    }
    auto const k = here(its.row);
    auto& left   = m_left[k];
    if (left.count == 1) return;  // the row has taken this column itself
    auto& level = m_pivots[k].level;
    left.sum -= its.column;
    level = std::max(level, its.level + 1);
    if (--left.count == 1) take_last(k, level);
  }

  Lists const& m_columns;
  std::vector<Left> m_left;  // for each row
  std::vector<Pivot> m_pivots;
  symm::Mailbox<News> m_news{"news", [this](News const& its) { handle(its); }};
};

using Ints = Kokkos::View<int*, Kokkos::HostSpace>;
using Exec = Kokkos::DefaultHostExecutionSpace;

// Whether all entries are on or above the diagonal.
bool is_upper_triangular(int n, Lists const& rows,
                         std::vector<Sort::Pivot> const& pivots) {
  Exec const exec;
  // In order of levels, the k-th of all pivots goes to place n - 1 - k.
  Ints levels("levels", pivots.size());
  Ints its_rows("rows", pivots.size()), columns("columns", pivots.size());
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    levels(k)   = pivots[k].level;
    its_rows(k) = global(k);
    columns(k)  = pivots[k].column;
  }
  auto const count = symm::sort(exec, levels, its_rows, columns);
  auto const first =
      symm::exscan(symm::team_world(), static_cast<int>(count), symm::Sum{});

  using Places      = Kokkos::View<int*, symm::SymmetricHostSpace>;
  auto const per_pe = static_cast<std::size_t>(n / symm::n_pes() + 1);
  Places place_of_row("rows", per_pe), place_of_column("columns", per_pe);
  Kokkos::deep_copy(place_of_row, n);
  Kokkos::deep_copy(place_of_column, -1);
  symm::barrier_all();
  for (std::size_t k = 0; k < count; ++k) {
    int const place = n - 1 - first - static_cast<int>(k);
    symm::p(&place_of_row(here(its_rows(k))), place, pe_of(its_rows(k)));
    symm::p(&place_of_column(here(columns(k))), place, pe_of(columns(k)));
  }
  symm::barrier_all();

  std::vector<int> entries;  // columns in all of this PE's rows
  for (auto const& row : rows)
    entries.insert(entries.end(), row.begin(), row.end());
  Ints pes("pes", entries.size()), indices("indices", entries.size());
  Ints places("places", entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e) {
    pes(e)     = pe_of(entries[e]);
    indices(e) = static_cast<int>(here(entries[e]));
  }
  symm::gather(exec, places, place_of_column, pes, indices);
  symm::barrier_all();  // all PEs have read
  int n_wrong   = 0;
  std::size_t e = 0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t entry = 0; entry < rows[k].size(); ++entry)
      n_wrong += place_of_row(k) <= places(e++) ? 0 : 1;
  return symm::reduce(symm::team_world(), n_wrong, symm::Sum{}) == 0;
}

bool run(int n) {
  auto const rows    = make_rows(n);
  auto const columns = transpose(rows);
  Sort sort(rows, columns);
  Kokkos::Timer timer;
  auto const pivots    = sort();
  double const seconds = timer.seconds();
  bool const is_right  = is_upper_triangular(n, rows, pivots);
  if (symm::my_pe() == 0) {
    std::printf("toposort: %d rows, %.2f million a second: %s\n", n,
                n / seconds / 1e6, is_right ? "correct" : "WRONG");
  }
  return is_right;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  return run(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 50'000) ? 0 : 1;
}
