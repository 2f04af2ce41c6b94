// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// y = A x with a sparse matrix whose columns are prepared places, against the
// same kernel on a private vector that has the ghosts already.
//
// The matrix is that of 27 points: every PE has a box of edge^3 points, which
// are periodic, and stand one behind the other in the last direction. It is
// stored, and multiplied with, as in examples/cg_common: a thread a row, on
// GPUs with the entries of 32 rows side by side. Products differ by what a
// column is,
//
// - "private, 4 bytes", "private, 8 bytes": an int or std::int64_t, of an
//   ordinary View that has the PE's entries and, behind these, the ghosts;
// - "Place32", "Place", "global_view" (a PE and an index, 8 bytes): of a View
//   in the symmetric space, whose elements are read where they are;
// - "gather": as "private, 4 bytes", after symm::gather() of the ghosts, whose
//   time is in it. One PE has none.
//
// "copy" is a deep_copy that reads and writes together as many bytes as the
// product with columns of 4 bytes if each is read or written once.
//
// All PEs compute at the same time.
//
// Numbers are integers, of which sums are exact in any order; all results are
// compared with what follows from the numbers of the points.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/DeviceWords.hpp"
#include "harness/Session.hpp"

namespace perf::places_benchmark {
namespace {

using Exec     = Kokkos::DefaultExecutionSpace;
using Private  = Kokkos::View<double*, DeviceSpace>;
using Shared   = Kokkos::View<double*, symm::SymmetricSpace>;
using Interval = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
template <class Column>
using Columns = Kokkos::View<Column*, DeviceSpace>;

constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, DeviceSpace>::accessible;
constexpr int n_neighbors   = 27;
constexpr int rows_of_slice = on_host ? 1 : 32;

/// Points of all PEs.
struct Grid {
  int edge;
  int n_pes;
  int me;

  struct Point {
    int pe;
    int index;
    int ghost;  ///< where a private vector has it; -1: it is this PE's
  };

  [[nodiscard]] KOKKOS_FUNCTION int layer() const { return edge * edge; }
  [[nodiscard]] KOKKOS_FUNCTION int rows() const { return layer() * edge; }
  [[nodiscard]] int ghosts() const { return n_pes > 1 ? 2 * layer() : 0; }
  [[nodiscard]] std::size_t slices() const {
    return static_cast<std::size_t>((rows() + rows_of_slice - 1) /
                                    rows_of_slice);
  }
  /// With those of rows that the last slice lacks.
  [[nodiscard]] std::size_t entries() const {
    return slices() * rows_of_slice * n_neighbors;
  }
  /// Where neighbor n of `row` stands.
  [[nodiscard]] KOKKOS_FUNCTION static std::size_t entry_of(int row, int n) {
    auto const in_slices =
        static_cast<std::size_t>(row / rows_of_slice) * n_neighbors +
        static_cast<std::size_t>(n);
    return in_slices * rows_of_slice +
           static_cast<std::size_t>(row % rows_of_slice);
  }

  [[nodiscard]] KOKKOS_FUNCTION int wrapped(int i) const {
    return i < 0 ? i + edge : i < edge ? i : i - edge;
  }

  /// Neighbor 0 <= n < 27 of `row`; 13 is the point itself.
  [[nodiscard]] KOKKOS_FUNCTION Point neighbor(int row, int n) const {
    int const x     = wrapped(row % edge + n % 3 - 1);
    int const y     = wrapped(row / edge % edge + n / 3 % 3 - 1);
    int const z     = row / layer() + n / 9 - 1;
    int const index = (wrapped(z) * edge + y) * edge + x;
    if (n_pes == 1 || (0 <= z && z < edge)) return {me, index, -1};
    int const pe    = (z < 0 ? me + n_pes - 1 : me + 1) % n_pes;
    int const ghost = rows() + (z < 0 ? 0 : layer()) + y * edge + x;
    return {pe, index, ghost};
  }

  /// The vector at point `index` of PE `pe`.
  [[nodiscard]] KOKKOS_FUNCTION static double entry(int pe, int index) {
    auto const number = static_cast<std::uint32_t>(index) * 2'654'435'761U +
                        static_cast<std::uint32_t>(pe) * 40'503U;
    return number >> 20U;
  }
  [[nodiscard]] KOKKOS_FUNCTION static double coefficient(int n) {
    return n == n_neighbors / 2 ? 26 : -1;
  }
};

struct PeAndIndex {
  int pe;
  int index;
};

/// A vector whose columns are of this kind.
struct Everywhere {
  symm::GlobalView<Shared> view;

  KOKKOS_FORCEINLINE_FUNCTION double& operator()(PeAndIndex column) const {
    return view(column.pe, column.index);
  }
};

/// Neighbor i % 27 of row i / 27.
struct SetEntry {
  Grid grid;
  Kokkos::View<double*, DeviceSpace> value;
  Columns<int> pe;
  Columns<int> index;
  Columns<int> column;
  Columns<std::int64_t> long_column;
  Columns<PeAndIndex> pair;
  Columns<int> ghost_pe;
  Columns<int> ghost_index;
  Private x;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const n     = static_cast<int>(i % n_neighbors);
    auto const row   = static_cast<int>(i / n_neighbors);
    auto const point = grid.neighbor(row, n);
    auto const e     = Grid::entry_of(row, n);
    value(e)         = Grid::coefficient(n);
    pe(e)            = point.pe;
    index(e)         = point.index;
    column(e)        = point.ghost < 0 ? point.index : point.ghost;
    long_column(e)   = column(e);
    pair(e)          = {point.pe, point.index};
    if (point.ghost < 0) return;
    x(point.ghost)     = Grid::entry(point.pe, point.index);
    int const ghost    = point.ghost - grid.rows();
    ghost_pe(ghost)    = point.pe;
    ghost_index(ghost) = point.index;
  }
};

struct SetRow {
  Grid grid;
  Private x;
  Shared shared;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    x(row) = shared(row) = Grid::entry(grid.me, static_cast<int>(row));
  }
};

struct SetSlice {
  Kokkos::View<std::size_t*, DeviceSpace> begin;

  KOKKOS_FUNCTION void operator()(std::int64_t slice) const {
    begin(slice) =
        static_cast<std::size_t>(slice) * rows_of_slice * n_neighbors;
  }
};

struct CountWrong {
  Grid grid;
  Private y;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& wrong) const {
    double sum = 0;
    for (int n = 0; n < n_neighbors; ++n) {
      auto const point = grid.neighbor(static_cast<int>(row), n);
      sum += Grid::coefficient(n) * Grid::entry(point.pe, point.index);
    }
    if (y(row) != sum) ++wrong;
  }
};

/// The kernel that is compared. `x(column)` is an element of the vector.
template <class Column, class X>
struct Multiply {
  Kokkos::View<std::size_t*, DeviceSpace> begin;  ///< of slices
  Kokkos::View<double*, DeviceSpace> value;
  Columns<Column> column;
  X x;
  Private y;

  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    constexpr std::size_t n = rows_of_slice;
    std::size_t const end   = begin(row / n + 1);
    double sum              = 0;
    for (std::size_t e = begin(row / n) + row % n; e < end; e += n)
      sum += value(e) * x(column(e));
    y(row) = sum;
  }
};

/// A matrix, vectors, and what is compared.
class Measurement {
 public:
  Measurement(Session const& session, int edge)
      : m_grid{edge, session.n_pes(), session.my_pe()},
        m_begin("begin", m_grid.slices() + 1),
        m_value("value", m_grid.entries()),
        m_private("private vector",
                  static_cast<std::size_t>(m_grid.rows() + m_grid.ghosts())),
        m_shared("shared vector", static_cast<std::size_t>(m_grid.rows())) {
    Columns<int> const pe("PE", m_grid.entries());
    Columns<int> const index("index", m_grid.entries());
    Columns<int> const column("column", m_grid.entries());
    Columns<std::int64_t> const long_column("column", m_grid.entries());
    Columns<PeAndIndex> const pair("column", m_grid.entries());
    auto const n_ghosts = static_cast<std::size_t>(m_grid.ghosts());
    Columns<int> const ghost_pe("PE", n_ghosts);
    Columns<int> const ghost_index("index", n_ghosts);
    Kokkos::parallel_for("rows", Interval(0, m_grid.rows()),
                         SetRow{m_grid, m_private, m_shared});
    Kokkos::parallel_for(
        "slices", Interval(0, static_cast<std::int64_t>(m_begin.extent(0))),
        SetSlice{m_begin});
    Kokkos::parallel_for(
        "entries", Interval(0, std::int64_t{m_grid.rows()} * n_neighbors),
        SetEntry{m_grid, m_value, pe, index, column, long_column, pair,
                 ghost_pe, ghost_index, m_private});
    auto const at = symm::placed_view(m_shared);
    add_copy();
    add("private, 4 bytes", "copy", column, m_private);
    add("private, 4 bytes, again", "private, 4 bytes", column, m_private);
    add("Place32", "private, 4 bytes",
        symm::places<symm::Place32>(m_shared, pe, index), at);
    add("private, 8 bytes", "", long_column, m_private);
    add("private, 8 bytes, again", "private, 8 bytes", long_column, m_private);
    add("Place", "private, 8 bytes", symm::places(m_shared, pe, index), at);
    add("global_view", "private, 8 bytes", pair,
        Everywhere{symm::global_view(m_shared)});
    if (n_ghosts > 0) {
      Private const x("private vector", m_private.extent(0));
      auto const ghosts = Kokkos::subview(
          x, std::pair(m_shared.extent(0), m_private.extent(0)));
      Kokkos::deep_copy(
          Kokkos::subview(x, std::pair(std::size_t{0}, m_shared.extent(0))),
          m_shared);
      add("gather", "private, 4 bytes", column, x,
          [ghosts, u = m_shared,
           places = symm::places(m_shared, ghost_pe, ghost_index)] {
            symm::gather(Exec(), ghosts, u, places);
          });
    }
    symm::barrier_all(Exec());
  }

  /// Collective.
  void run(Session& session) {
    session.compare({{{"PEs", m_grid.n_pes}, {"edge", m_grid.edge}}},
                    m_contestants);
    std::int64_t wrong = 0;
    for (Private const& y : m_results) {
      std::int64_t here = 0;
      Kokkos::parallel_reduce("count wrong", Interval(0, m_grid.rows()),
                              CountWrong{m_grid, y}, here);
      wrong += here;
    }
    symm::barrier_all();  // nobody reads the shared vector any more
    session.verify("products, edge " + std::to_string(m_grid.edge), wrong);
  }

 private:
  void add_copy() {
    std::size_t const bytes =
        m_begin.extent(0) * sizeof(std::size_t) +
        m_grid.entries() * (sizeof(double) + sizeof(int)) +
        2 * m_shared.extent(0) * sizeof(double);
    Private const from("from", bytes / 2 / sizeof(double));
    Private const to("to", from.extent(0));
    m_contestants.push_back({"copy", "", [=](std::int64_t iterations) {
                               for (std::int64_t n = 0; n < iterations; ++n)
                                 Kokkos::deep_copy(Exec(), to, from);
                               Exec().fence();
                             }});
  }

  /// \param before  what is done before each product.
  template <class Column, class X>
  void add(
      std::string const& name, std::string const& baseline,
      Columns<Column> const& column, X const& x,
      std::function<void()> const& before = [] {}) {
    auto const& y =
        m_results.emplace_back("y", static_cast<std::size_t>(m_grid.rows()));
    Multiply<Column, X> const multiply{m_begin, m_value, column, x, y};
    m_contestants.push_back(
        {name, baseline, [=](std::int64_t iterations) {
           for (std::int64_t n = 0; n < iterations; ++n) {
             before();
             Kokkos::parallel_for("multiply", multiply.y.extent(0), multiply);
           }
           Exec().fence();
         }});
  }

  Grid m_grid;
  Kokkos::View<std::size_t*, DeviceSpace> m_begin;
  Kokkos::View<double*, DeviceSpace> m_value;
  Private m_private;
  Shared m_shared;
  std::deque<Private> m_results;
  std::vector<Contestant> m_contestants;
};

void measure(Session& session) {
  std::vector<int> edges{16, 32, 64};
  if (!on_host) edges = {64, 128, 192};
  if (session.quick()) edges = {12};
  for (int const edge : edges) Measurement(session, edge).run(session);
}

Registered const registered{"places", measure};

}  // namespace
}  // namespace perf::places_benchmark
