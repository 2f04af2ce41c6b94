// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Halos of a staggered grid in two dimensions, on CPUs: edge^2 cells a PE in a
// grid of 2 x 1 or 2 x 2 PEs, ghosts 2 wide, corners included; 15 fields of
// doubles, of them 7 in cells, 4 at nodes, 2 on each kind of faces.
//
// "MPI" packs one message a neighbor for all fields, by loops over the rows of
// each part, and sends it by a persistent request. "plans" has one plan for
// each of the four kinds of fields, "joined" all four in one.

#include <mpi.h>

#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exchange/Lists.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/Session.hpp"

namespace perf::exchange_fields_benchmark {
namespace {

using Field = Private<double**>;

constexpr int width = 2;
/// Whether a kind of fields has a point more along each axis.
constexpr std::array<std::array<int, 2>, 4> kinds{
    {{0, 0}, {1, 0}, {0, 1}, {1, 1}}};
constexpr std::array<int, 4> n_fields{7, 2, 2, 4};

struct Layout {
  Layout(int its_edge, int me, int n_pes)
      : edge(its_edge),
        pe_grid{n_pes > 1 ? 2 : 1, n_pes > 2 ? n_pes / 2 : 1},
        place{me / pe_grid[1], me % pe_grid[1]} {}
  [[nodiscard]] int neighbor(std::array<int, 2> const& d) const {
    int pe = 0;
    for (std::size_t a = 0; a < 2; ++a) {
      int const at = place[a] + d[a];
      if (at < 0 || at >= pe_grid[a]) return -1;
      pe = pe * pe_grid[a] + at;
    }
    return pe;
  }

  int edge;
  std::array<int, 2> pe_grid;
  std::array<int, 2> place;
};

/// The fields of each kind.
using Fields = std::array<std::vector<Field>, 4>;

double value(std::size_t kind, std::size_t f, int i, int j) {
  return static_cast<double>(kind * 8 + f) * 1e8 + i * 1e4 + j;
}
Fields make_fields(Layout const& its) {
  Fields fields;
  for (std::size_t kind = 0; kind < 4; ++kind) {
    int const ni = its.edge + kinds[kind][0], nj = its.edge + kinds[kind][1];
    for (int f = 0; f < n_fields[kind]; ++f) {
      Field field("field", static_cast<std::size_t>(ni + 2 * width),
                  static_cast<std::size_t>(nj + 2 * width));
      Kokkos::deep_copy(field, -1);
      for (int i = 0; i < ni; ++i)
        for (int j = 0; j < nj; ++j)
          field(i + width, j + width) =
              value(kind, static_cast<std::size_t>(f),
                    its.place[0] * its.edge + i, its.place[1] * its.edge + j);
      fields[kind].push_back(field);
    }
  }
  return fields;
}
std::int64_t differences(Fields const& a, Fields const& b) {
  std::int64_t n = 0;
  for (std::size_t kind = 0; kind < 4; ++kind)
    for (std::size_t f = 0; f < a[kind].size(); ++f)
      for (std::size_t k = 0; k < a[kind][f].size(); ++k)
        n += a[kind][f].data()[k] != b[kind][f].data()[k] ? 1 : 0;
  return n;
}

class MpiHalo {
 public:
  MpiHalo(Layout const& its, Fields const& fields) : m_fields(fields) {
    for (int n = 0; n < 9; ++n) {
      std::array<int, 2> const d{n / 3 - 1, n % 3 - 1};
      Pe const pe = its.neighbor(d);
      if (n == 4 || pe < 0) continue;
      Neighbor neighbor;
      std::size_t bytes_out = 0, bytes_in = 0;
      for (std::size_t kind = 0; kind < 4; ++kind) {
        neighbor.sent[kind]   = part(its.edge, kinds[kind], d, false);
        neighbor.filled[kind] = part(its.edge, kinds[kind], d, true);
        bytes_out += fields[kind].size() * neighbor.sent[kind].size();
        bytes_in += fields[kind].size() * neighbor.filled[kind].size();
      }
      neighbor.out.resize(bytes_out);
      neighbor.in.resize(bytes_in);
      m_neighbors.push_back(std::move(neighbor));
      auto& kept = m_neighbors.back();
      add(MPI_Recv_init, kept.in, pe, 8 - n);
      add(MPI_Send_init, kept.out, pe, n);
    }
  }
  MpiHalo(MpiHalo const&)            = delete;
  MpiHalo& operator=(MpiHalo const&) = delete;
  ~MpiHalo() {
    for (auto& request : m_requests) MPI_Request_free(&request);
  }

  void operator()() {
    for (auto& its : m_neighbors) {
      auto* to = its.out.data();
      for (std::size_t kind = 0; kind < 4; ++kind)
        for (auto const& field : m_fields[kind])
          for (int i = its.sent[kind].begin[0]; i < its.sent[kind].end[0]; ++i)
            to = std::copy(&field(i, its.sent[kind].begin[1]),
                           &field(i, its.sent[kind].end[1]), to);
    }
    auto const n = static_cast<int>(m_requests.size());
    check_mpi(MPI_Startall(n, m_requests.data()), "MPI_Startall");
    check_mpi(MPI_Waitall(n, m_requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
    for (auto const& its : m_neighbors) {
      auto const* from = its.in.data();
      for (std::size_t kind = 0; kind < 4; ++kind)
        for (auto const& field : m_fields[kind])
          for (int i = its.filled[kind].begin[0]; i < its.filled[kind].end[0];
               ++i) {
            auto const length =
                its.filled[kind].end[1] - its.filled[kind].begin[1];
            std::copy(from, from + length,
                      &field(i, its.filled[kind].begin[1]));
            from += length;
          }
    }
  }

 private:
  using Pe = int;
  struct Part {
    std::array<int, 2> begin;
    std::array<int, 2> end;
    [[nodiscard]] std::size_t size() const {
      return static_cast<std::size_t>((end[0] - begin[0]) *
                                      (end[1] - begin[1]));
    }
  };
  struct Neighbor {
    std::array<Part, 4> sent;
    std::array<Part, 4> filled;
    std::vector<double> out;
    std::vector<double> in;
  };

  /// Points that both PEs have are not sent: both compute them.
  static Part part(int edge, std::array<int, 2> const& more,
                   std::array<int, 2> const& d, bool is_filled) {
    Part result;
    for (std::size_t a = 0; a < 2; ++a) {
      int const n = edge + more[a];
      int begin = width, end = width + n;
      if (d[a] > 0) {
        begin = is_filled ? width + n : edge;
        end   = begin + width;
      } else if (d[a] < 0) {
        begin = is_filled ? 0 : width + more[a];
        end   = begin + width;
      }
      result.begin[a] = begin;
      result.end[a]   = end;
    }
    return result;
  }
  template <class Init>
  void add(Init const& init, std::vector<double>& buffer, Pe pe, int tag) {
    m_requests.emplace_back();
    check_mpi(init(buffer.data(), static_cast<int>(buffer.size()), MPI_DOUBLE,
                   pe, tag, MPI_COMM_WORLD, &m_requests.back()),
              "MPI_Send_init, MPI_Recv_init");
  }

  Fields m_fields;
  std::vector<Neighbor> m_neighbors;
  std::vector<MPI_Request> m_requests;
};

symm::ExchangePlan plan_of(Layout const& its, std::size_t kind) {
  symm::GridBoxes boxes;
  for (std::size_t a = 0; a < 2; ++a)
    boxes.grid[a] =
        static_cast<std::size_t>(its.pe_grid[a] * its.edge + kinds[kind][a]);
  auto const extent = [&](std::size_t a) {
    return static_cast<std::size_t>(its.edge + kinds[kind][a]);
  };
  boxes.boxes.push_back({{its.place[0] * its.edge, its.place[1] * its.edge},
                         {extent(0), extent(1)}});
  boxes.ghost_width   = {width, width};
  boxes.has_box_index = false;
  boxes.shares_points = false;
  return symm::ExchangePlan::from_boxes(boxes);
}

void measure_edge(Session& session, int edge) {
  Layout const its(edge, session.my_pe(), session.n_pes());
  auto const of_mpi = make_fields(its), of_plans = make_fields(its),
             of_joined = make_fields(its);
  MpiHalo mpi(its, of_mpi);
  std::vector<symm::ExchangePlan> plans;
  for (std::size_t kind = 0; kind < 4; ++kind)
    plans.push_back(plan_of(its, kind));
  auto joined = symm::ExchangePlan::joined({plans.begin(), plans.end()});
  Exec const exec;
  auto const run_mpi   = [&] { mpi(); };
  auto const run_plans = [&] {
    for (std::size_t kind = 0; kind < 4; ++kind)
      plans[kind].begin_gather(exec, of_plans[kind]);
    for (std::size_t kind = 0; kind < 4; ++kind)
      plans[kind].end_gather(exec, of_plans[kind]);
  };
  auto const run_joined = [&] {
    using symm::of_plan;
    joined.gather(exec, of_plan(0, of_joined[0]), of_plan(1, of_joined[1]),
                  of_plan(2, of_joined[2]), of_plan(3, of_joined[3]));
  };
  session.compare({{{"15 fields, edge", edge}}},
                  {{"MPI", "", repeat(run_mpi)},
                   {"plans", "MPI", repeat(run_plans)},
                   {"joined", "MPI", repeat(run_joined)}});
  session.verify(
      "fields, edge " + std::to_string(edge),
      differences(of_mpi, of_plans) + differences(of_mpi, of_joined));
}

void measure(Session& session) {
  for (int const edge :
       session.quick() ? std::vector<int>{24} : std::vector<int>{24, 96, 480})
    measure_edge(session, edge);
}

Registered const registered{"exchange_fields", measure};

}  // namespace
}  // namespace perf::exchange_fields_benchmark
