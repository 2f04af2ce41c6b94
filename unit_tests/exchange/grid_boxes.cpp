// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Plans of boxes anywhere in a grid, against a search of all boxes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::ExchangePlan;
using symm::GridBoxes;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using Place     = std::array<long, 3>;
using FieldView = Kokkos::View<double****, Kokkos::LayoutLeft, Memory>;

/// The boxes of all PEs, which every PE knows.
struct Job {
  std::vector<GridBoxes> of_pes;
  std::size_t rank = 3;

  [[nodiscard]] Place begin_of(Pe pe, std::size_t b) const {
    auto const& first = boxes(pe)[b].first;
    return {first[0], rank > 1 ? first[1] : 0, rank > 2 ? first[2] : 0};
  }
  [[nodiscard]] Place extents_of(Pe pe, std::size_t b) const {
    auto const& its = boxes(pe)[b].extents;
    Place result{1, 1, 1};
    for (std::size_t a = 0; a < rank; ++a)
      result[a] = static_cast<long>(its[a]);
    return result;
  }
  [[nodiscard]] std::vector<GridBoxes::Box> const& boxes(Pe pe) const {
    return of(pe).boxes;
  }
  [[nodiscard]] GridBoxes const& of(Pe pe) const {
    return of_pes[static_cast<std::size_t>(pe)];
  }
  [[nodiscard]] long width(Pe pe, std::size_t a) const {
    return a < rank ? static_cast<long>(of(pe).ghost_width[a]) : 0;
  }
  [[nodiscard]] long depth(Pe pe, std::size_t a) const {
    if (a >= rank) return 0;
    auto const& its = of(pe);
    return its.depth ? static_cast<long>((*its.depth)[a]) : width(pe, a);
  }
  [[nodiscard]] bool periodic(std::size_t a) const {
    return a < rank && of(0).periodic[a];
  }
  [[nodiscard]] long grid(std::size_t a) const {
    return a < rank ? static_cast<long>(of(0).grid[a]) : 1;
  }
};

template <class Body>
void for_each_point(Place const& begin, Place const& end, Body const& body) {
  Place x;
  for (x[0] = begin[0]; x[0] < end[0]; ++x[0])
    for (x[1] = begin[1]; x[1] < end[1]; ++x[1])
      for (x[2] = begin[2]; x[2] < end[2]; ++x[2]) body(x);
}

/// Where a point of the grid is: in a box of a PE, from its first point on.
struct Holder {
  Pe pe;
  std::size_t box;
  Place at;
};
/// The first holder, by a look at every point of every box.
std::optional<Holder> owner_of(Job const& job, Place const& x) {
  auto const is_same = [&](std::size_t a, long mine, long its) {
    return job.periodic(a) ? (mine - its) % job.grid(a) == 0 : mine == its;
  };
  for (Pe pe = 0; pe < static_cast<Pe>(job.of_pes.size()); ++pe) {
    for (std::size_t b = 0; b < job.boxes(pe).size(); ++b) {
      auto const begin   = job.begin_of(pe, b);
      auto const extents = job.extents_of(pe, b);
      Holder holder{pe, b, {}};
      bool is_in = true;
      for (std::size_t a = 0; a < 3 && is_in; ++a) {
        auto& at = holder.at[a];
        while (at < extents[a] && !is_same(a, x[a], begin[a] + at)) ++at;
        is_in = at < extents[a];
      }
      if (is_in) return holder;
    }
  }
  return {};
}

/// As in the View of the owner, before the exchange.
double value_of(Holder const& holder) {
  auto const& at = holder.at;
  return 1 + holder.pe +
         10. * (static_cast<double>(holder.box) +
                100. * static_cast<double>((at[0] * 50 + at[1]) * 50 + at[2]));
}

FieldView field_of(Job const& job, Pe me) {
  Place extents{1, 1, 1};
  for (std::size_t b = 0; b < job.boxes(me).size(); ++b)
    for (std::size_t a = 0; a < job.rank; ++a)
      extents[a] =
          std::max(extents[a], job.extents_of(me, b)[a] + 2 * job.width(me, a));
  return FieldView("field", job.boxes(me).size(),
                   static_cast<std::size_t>(extents[0]),
                   static_cast<std::size_t>(extents[1]),
                   static_cast<std::size_t>(extents[2]));
}

/// Calls body(holder, x, n_outside) for each point of the boxes of a PE and
/// the layers of ghosts that are filled.
template <class Body>
void for_each_filled(Job const& job, Pe me, Body const& body) {
  for (std::size_t b = 0; b < job.boxes(me).size(); ++b) {
    auto const first   = job.begin_of(me, b);
    auto const extents = job.extents_of(me, b);
    if (extents[0] * extents[1] * extents[2] == 0) continue;
    Place begin, end;
    for (std::size_t a = 0; a < 3; ++a) {
      begin[a] = -job.depth(me, a);
      end[a]   = extents[a] + job.depth(me, a);
    }
    for_each_point(begin, end, [&](Place const& at) {
      Place x;
      int n_outside = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        x[a] = first[a] + at[a];
        if (at[a] < 0 || at[a] >= extents[a]) ++n_outside;
        // Beyond the end of a grid that is not periodic there is nothing.
      }
      body(Holder{me, b, at}, x, n_outside);
    });
  }
}

template <class View>
auto& element(View const& view, Job const& job, Holder const& holder) {
  std::array<std::size_t, 3> index{};
  for (std::size_t a = 0; a < 3; ++a)
    index[a] = static_cast<std::size_t>(holder.at[a] + job.width(holder.pe, a));
  return view(holder.box, index[0], index[1], index[2]);
}

int max_outside(GridBoxes const& boxes) {
  using enum symm::BoxDecomposition::Neighbors;
  return boxes.neighbors == faces             ? 1
         : boxes.neighbors == faces_and_edges ? 2
                                              : 3;
}

/// \param n_outside axes along which the point is outside of its box.
bool is_left_out(GridBoxes const& boxes, int n_outside) {
  return n_outside > max_outside(boxes) ||
         (n_outside == 0 && !boxes.shares_points);
}

/// The plan's View without the axes that the grid has not.
auto view_of_rank(FieldView const& field, std::integral_constant<int, 3>) {
  return field;
}
auto view_of_rank(FieldView const& field, std::integral_constant<int, 2>) {
  return Kokkos::subview(field, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL, 0);
}
auto view_of_rank(FieldView const& field, std::integral_constant<int, 1>) {
  return Kokkos::subview(field, Kokkos::ALL, Kokkos::ALL, 0, 0);
}

/// Wrong elements after gather() and after scatter().
template <int rank>
std::array<std::size_t, 2> wrong_of(Job const& job, symm::PeTeam const& team) {
  Pe const me       = team.my_pe();
  auto const& mine  = job.of(me);
  auto const field  = field_of(job, me);
  auto const passed = view_of_rank(field, std::integral_constant<int, rank>());
  auto plan         = ExchangePlan::from_boxes(mine, team);
  auto const before = Kokkos::create_mirror(Kokkos::HostSpace(), field);
  Kokkos::deep_copy(before, -1);
  for_each_filled(job, me, [&](Holder const& here, Place const&, int outside) {
    if (outside == 0) element(before, job, here) = value_of(here);
  });
  Exec const exec;
  auto const copy = Kokkos::create_mirror_view(Memory(), before);
  Kokkos::deep_copy(copy, before);
  Kokkos::deep_copy(field, copy);
  plan.gather(exec, passed);
  exec.fence();

  // The same on the host.
  auto const expected = Kokkos::create_mirror(Kokkos::HostSpace(), before);
  Kokkos::deep_copy(expected, before);
  for_each_filled(job, me,
                  [&](Holder const& here, Place const& x, int outside) {
                    if (is_left_out(mine, outside)) return;
                    if (auto const owner = owner_of(job, x))
                      element(expected, job, here) = value_of(*owner);
                  });
  auto const count_other = [&] {
    auto const now =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field);
    std::size_t n = 0;
    for (std::size_t k = 0; k < now.span(); ++k)
      n += now.data()[k] == expected.data()[k] ? 0U : 1U;
    return n;
  };
  std::array<std::size_t, 2> wrong{count_other(), 0};

  // All elements are 1: an owned one becomes the number of its copies and 1.
  Kokkos::deep_copy(field, 1);
  Kokkos::deep_copy(expected, 1);
  plan.scatter(exec, symm::Sum{}, passed);
  exec.fence();
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    for_each_filled(
        job, pe, [&](Holder const& here, Place const& x, int outside) {
          if (is_left_out(job.of(pe), outside)) return;
          auto const owner = owner_of(job, x);
          if (!owner || owner->pe != me) return;
          bool const is_owner = owner->pe == here.pe &&
                                owner->box == here.box && owner->at == here.at;
          if (!is_owner) element(expected, job, *owner) += 1;
        });
  }
  wrong[1] = count_other();
  return wrong;
}

std::array<std::size_t, 2> wrong_of(Job const& job, symm::PeTeam const& team) {
  return job.rank == 1   ? wrong_of<1>(job, team)
         : job.rank == 2 ? wrong_of<2>(job, team)
                         : wrong_of<3>(job, team);
}

/// Tiles of a grid, or some of them, each on any PE. \param shared points that
/// two tiles side by side share.
Job random_job(unsigned seed, int n_pes) {
  std::mt19937 random(seed);
  auto const below = [&](unsigned n) { return random() % n; };
  Job job;
  job.rank = 1 + below(3);
  job.of_pes.resize(static_cast<std::size_t>(n_pes));
  std::array<std::vector<long>, 3> cuts;
  std::array<bool, 3> periodic{};
  std::array<long, 3> shared{};
  for (std::size_t a = 0; a < job.rank; ++a) {
    cuts[a]          = {0};
    auto const tiles = 1 + below(job.rank == 1 ? 6 : 3);
    for (unsigned t = 0; t < tiles; ++t)
      cuts[a].push_back(cuts[a].back() + 1 + static_cast<long>(below(5)));
    periodic[a] = below(2) == 0;
    shared[a]   = static_cast<long>(below(2));
  }
  using enum symm::BoxDecomposition::Neighbors;
  std::array const neighbors{faces, faces_and_edges, all};
  auto const its_neighbors = neighbors[below(3)];
  for (auto& its : job.of_pes) {
    for (std::size_t a = 0; a < job.rank; ++a) {
      // The last shared point is the first one, or one more.
      its.grid[a]        = static_cast<std::size_t>(cuts[a].back() +
                                             (periodic[a] ? 0 : shared[a]));
      its.ghost_width[a] = below(4);
    }
    its.periodic      = periodic;
    its.neighbors     = its_neighbors;
    its.shares_points = below(3) > 0;
    if (below(2) == 0) {
      its.depth.emplace();
      for (std::size_t a = 0; a < 3; ++a)
        (*its.depth)[a] = below(static_cast<unsigned>(its.ghost_width[a] + 1));
    }
  }
  auto const n_of = [&](std::size_t a) {
    return a < job.rank ? cuts[a].size() - 1 : 1;
  };
  bool const has_gaps = below(3) == 0;
  for (std::size_t i = 0; i < n_of(0); ++i) {
    for (std::size_t j = 0; j < n_of(1); ++j) {
      for (std::size_t k = 0; k < n_of(2); ++k) {
        if (has_gaps && below(3) == 0) continue;
        std::array<std::size_t, 3> const tile{i, j, k};
        GridBoxes::Box box;
        for (std::size_t a = 0; a < job.rank; ++a) {
          auto const* const cut = cuts[a].data() + tile[a];
          box.first[a]          = cut[0];
          box.extents[a] =
              static_cast<std::size_t>(cut[1] - cut[0] + shared[a]);
          // Any image of it is the same box.
          if (periodic[a] && below(4) == 0)
            box.first[a] += cuts[a].back() * (static_cast<long>(below(3)) - 1);
        }
        job.of_pes[below(static_cast<unsigned>(n_pes))].boxes.push_back(box);
      }
    }
  }
  return job;
}

TEST(GridBoxes, gather_and_scatter_equal_a_search_of_all_boxes) {
  auto const& team = symm::team_world();
  for (unsigned seed = 1; seed <= 60; ++seed) {
    auto const wrong = wrong_of(random_job(seed, team.n_pes()), team);
    EXPECT_EQ(wrong[0], 0U) << "gather, seed " << seed;
    EXPECT_EQ(wrong[1], 0U) << "scatter, seed " << seed;
  }
}

/// All along one axis, in equal parts, the last PEs shorter or without points.
Job strip(Place const& grid, std::size_t axis, std::array<bool, 3> periodic,
          std::size_t width) {
  Job job;
  job.of_pes.resize(static_cast<std::size_t>(symm::n_pes()));
  auto const part = (grid[axis] + symm::n_pes() - 1) / symm::n_pes();
  long first      = 0;
  for (auto& its : job.of_pes) {
    for (std::size_t a = 0; a < 3; ++a)
      its.grid[a] = static_cast<std::size_t>(grid[a]);
    its.periodic    = periodic;
    its.ghost_width = {width, width, width};
    GridBoxes::Box box{{}, its.grid};
    auto const end    = std::min(first + part, grid[axis]);
    box.first[axis]   = first;
    box.extents[axis] = static_cast<std::size_t>(end - first);
    first             = end;
    its.boxes         = {box};
  }
  return job;
}

TEST(GridBoxes, are_thinner_than_ghosts_or_empty) {
  int const n = symm::n_pes();
  struct Case {
    char const* name;
    Job job;
  };
  for (auto const& [name, job] : std::vector<Case>{
           {"flat, periodic", strip({8, 9, 1}, 0, {true, true, true}, 1)},
           {"flat, a wall", strip({8, 9, 1}, 1, {true, true, false}, 1)},
           {"one cell, two ghosts",
            strip({64, 1, 1}, 0, {true, true, true}, 2)},
           {"ghosts of 3, boxes of 2",
            strip({2L * n, 5, 4}, 0, {true, false, false}, 3)},
           {"round the grid twice",
            strip({n + 1L, 2, 1}, 0, {true, true, true}, 5)},
           {"PEs without cells", strip({5, 2, 6}, 1, {false, true, false}, 2)},
           {"one PE along a periodic axis",
            strip({12, 5, 4}, 0, {false, true, false}, 2)}}) {
    auto const wrong = wrong_of(job, symm::team_world());
    EXPECT_EQ(wrong[0], 0U) << "gather, " << name;
    EXPECT_EQ(wrong[1], 0U) << "scatter, " << name;
  }
}

TEST(GridBoxes, have_no_index_of_the_box_if_a_PE_has_one) {
  GridBoxes its;
  its.grid          = {12, 3U * static_cast<std::size_t>(symm::n_pes())};
  its.periodic      = {false, true, false};
  its.has_box_index = false;
  its.ghost_width   = {0, 2, 0};
  its.boxes         = {{{0, 3 * symm::my_pe()}, {12, 3}}};
  auto plan         = ExchangePlan::from_boxes(its);
  Kokkos::View<double* [7], Kokkos::LayoutRight, Memory> u("u", 12);
  Kokkos::deep_copy(u, symm::my_pe());
  Exec const exec;
  plan.gather(exec, u);
  exec.fence();
  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  int const n = symm::n_pes(), me = symm::my_pe();
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(on_host(i, 1), (me + n - 1) % n);
    EXPECT_EQ(on_host(i, 2), me);
    EXPECT_EQ(on_host(i, 5), (me + 1) % n);
  }
}

TEST(GridBoxes, of_PE_teams_are_made_in_one_call) {
  int const n = symm::n_pes(), me = symm::my_pe();
  // Of more than one PE, the first takes no part; the others from the last on.
  auto team = symm::team_split(symm::team_world(),
                               n > 1 && me == 0 ? -1 : me % 2, n - me);
  std::array<std::size_t, 2> wrong{};
  if (team.is_valid()) {
    auto const seed = 100U + static_cast<unsigned>(me % 2);
    wrong           = wrong_of(random_job(seed, team.n_pes()), team);
  } else {
    (void)ExchangePlan::from_boxes({}, team);
  }
  EXPECT_EQ(wrong[0], 0U);
  EXPECT_EQ(wrong[1], 0U);
  if (team.is_valid()) symm::team_destroy(team);
}

TEST(GridBoxes, that_are_wrong_on_one_PE_are_an_error_on_all) {
  auto const last = symm::n_pes() - 1;
  auto const text = [&](auto const& change) {
    GridBoxes its;
    its.grid     = {4, 6};
    its.periodic = {true, false, false};
    its.boxes    = {{{0, 0}, {4, 6}}};
    if (symm::my_pe() == last) change(its);
    return message_of<UsageError>([&] { (void)ExchangePlan::from_boxes(its); });
  };
  auto const on_last =
      HasSubstr("from_boxes failed: on PE " + std::to_string(last));
  EXPECT_EQ(text([](auto&) {}), "no exception");
  EXPECT_THAT(text([](auto& its) { its.grid = {}; }),
              AllOf(on_last, HasSubstr("the grid has no points")));
  EXPECT_THAT(
      text([](auto& its) {
        its.grid = {4, 0, 6};
      }),
      AllOf(on_last, HasSubstr("no points along axis 1, but 6 along axis 2")));
  EXPECT_THAT(
      text([](auto& its) { its.boxes[0].first[2] = 3; }),
      AllOf(on_last, HasSubstr("along axis 2, but the grid has only 2 axes")));
  EXPECT_EQ(text([](auto& its) {
              its.boxes.push_back({{-9, 9}, {std::size_t(0) - 2, 0}});
              its.view_extents = {6, 8};
            }),
            "no exception")
      << "an empty box has no extents";
  EXPECT_THAT(text([](auto& its) { its.boxes[0].first[1] = 1; }),
              AllOf(on_last, HasSubstr("box 0 has 6 points starting at 1 along "
                                       "axis 1, but the grid has 6")));
  EXPECT_THAT(text([](auto& its) { its.boxes[0].first[1] = -1; }),
              AllOf(on_last, HasSubstr("starting at -1 along axis 1")));
  EXPECT_THAT(text([](auto& its) {
                its.depth = {{1, 2, 0}};
              }),
              AllOf(on_last, HasSubstr("axis 1: depth is 2, but must be at "
                                       "most ghost_width, which is 1")));
  EXPECT_THAT(text([](auto& its) { its.view_extents[0] = 5; }),
              AllOf(on_last, HasSubstr("Views have 5 points, but the largest "
                                       "box with its ghosts has 6")));
  EXPECT_THAT(text([](auto& its) {
                its.has_box_index = false;
                its.boxes.push_back(its.boxes[0]);
              }),
              AllOf(on_last, HasSubstr("2 boxes on this PE")));
  EXPECT_THAT(text([](auto& its) {
                its.boxes.assign(70000, {{0, 0}, {0, 0}});
                its.view_extents = {1U << 16U, 1U << 16U};
              }),
              AllOf(on_last, HasSubstr("a plan supports at most")));
  GridBoxes its;
  its.grid  = {4, 6};
  auto plan = ExchangePlan::from_boxes(its);
  Kokkos::View<double***, Kokkos::LayoutRight, symm::SymmetricSpace> const u(
      "u", 1, 6, 8);
  EXPECT_THAT(message_of<UsageError>([&] { plan.gather_stored(Exec(), u); }),
              HasSubstr("must be made by ExchangePlan::from_box"));
  if (last == 0) return;
  EXPECT_THAT(text([](auto& its) {
                its.grid = {4, 7};
              }),
              HasSubstr("passes a different grid than PE"));
  EXPECT_THAT(text([](auto& its) { its.periodic[0] = false; }),
              HasSubstr("pass equal grid and periodic on all PEs"));
}

}  // namespace
