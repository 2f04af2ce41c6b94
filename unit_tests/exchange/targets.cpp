// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Copies of cells that kernels store to targets(), compared with gather().

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::BoxDecomposition;
using symm::ExchangePlan;

template <class T>
using Cells = Kokkos::View<T***, symm::SymmetricSpace>;

/// Sets the owned cells of PE `me`, and their copies; other cells are -1.
template <class T>
struct SetCells {
  Cells<T> u;
  symm::BoxTargets<T> targets;
  int width;
  Kokkos::Array<int, 3> owned;
  int number;

  KOKKOS_FUNCTION void operator()(int i, int j, int k) const {
    Kokkos::Array<int, 3> const cell{i, j, k};
    for (int a = 0; a < 3; ++a)
      if (cell[a] < width || cell[a] >= width + owned[a]) return;
    u(i, j, k) = static_cast<T>(number + (i * 64 + j) * 64 + k);
    for (auto const& target : targets)
      if (target.has(i, j, k)) target(i, j, k) = u(i, j, k);
  }
};

template <class T>
void set_cells(ExchangePlan& plan, BoxDecomposition const& box,
               Cells<T> const& u, int round) {
  Kokkos::Array<int, 3> owned{};
  for (std::size_t a = 0; a < 3; ++a) owned[a] = static_cast<int>(box.owned[a]);
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(
          {0, 0, 0}, {u.extent_int(0), u.extent_int(1), u.extent_int(2)}),
      SetCells<T>{u, plan.targets(u), static_cast<int>(box.ghost_width), owned,
                  symm::my_pe() * 7 + round * 1000});
}

/// Steps with two Views in turn, as targets() asks for; each is gathered once
/// more, into another View.
template <class T>
std::size_t wrong_after_steps(BoxDecomposition const& box, unsigned seed) {
  auto const e = box.view_extents;
  std::array<Cells<T>, 2> u{Cells<T>("u", e[0], e[1], e[2]),
                            Cells<T>("u", e[0], e[1], e[2])};
  Kokkos::View<T***, typename Cells<T>::array_layout, Memory> const other(
      "other", e[0], e[1], e[2]);
  auto plan       = ExchangePlan::from_box(box);
  auto pauses     = random_of_this_pe(seed);
  std::size_t bad = 0;
  for (auto const& view : u) Kokkos::deep_copy(view, T{-1});
  symm::barrier_all();
  for (int round = 0; round < 6; ++round) {
    auto const& view = u[static_cast<std::size_t>(round % 2)];
    set_cells(plan, box, view, round);
    random_pause(pauses);
    plan.gather_stored(Exec(), view);
    // The ghosts of `other` are those of the plan: -1 where there are none.
    Kokkos::deep_copy(Exec(), other, T{-1});
    auto const owned = [&](auto const& its) {
      auto const w = box.ghost_width;
      auto const o = box.owned;
      return Kokkos::subview(its, std::pair(w, w + o[0]),
                             std::pair(w, w + o[1]), std::pair(w, w + o[2]));
    };
    Kokkos::deep_copy(Exec(), owned(other), owned(view));
    plan.gather(Exec(), other);
    Exec().fence();
    auto const mine =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    auto const expected =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), other);
    for (std::size_t i = 0; i < mine.extent(0); ++i)
      for (std::size_t j = 0; j < mine.extent(1); ++j)
        for (std::size_t k = 0; k < mine.extent(2); ++k)
          bad += mine(i, j, k) != expected(i, j, k) ? 1U : 0U;
  }
  return bad;
}

TEST(ExchangePlanTargets, are_where_gather_puts_copies) {
  int const n = symm::n_pes();
  using enum BoxDecomposition::Neighbors;
  std::vector<std::array<int, 3>> grids{{n, 1, 1}, {1, 1, n}};
  if (n % 2 == 0) grids.push_back({2, n / 2, 1});
  unsigned seed = 0;
  for (auto const& pe_grid : grids)
    for (auto const neighbors : {faces, all})
      for (bool const periodic : {false, true})
        for (std::size_t width = 1; width < 3; ++width) {
          BoxDecomposition box;
          box.pe_grid     = pe_grid;
          box.ghost_width = width;
          box.depth       = periodic ? 1 : 0;
          box.neighbors   = neighbors;
          box.periodic    = {periodic, false, periodic};
          // Boxes of other sizes along the first axis.
          auto const my = static_cast<std::size_t>(symm::my_pe());
          box.owned     = {4, 3, 5};
          if (pe_grid[0] == n) box.owned[0] += my % 3;
          box.view_extents = {6 + 2 * width, 3 + 2 * width, 6 + 2 * width};
          EXPECT_EQ(wrong_after_steps<double>(box, ++seed), 0U);
          EXPECT_EQ(wrong_after_steps<int>(box, ++seed), 0U);
        }
}

TEST(ExchangePlan, a_box_without_ghosts_has_nothing_to_exchange) {
  BoxDecomposition box;
  box.owned       = {4, 4, 4};
  box.pe_grid     = {symm::n_pes(), 1, 1};
  box.ghost_width = 0;
  box.periodic    = {true, true, true};
  auto plan       = ExchangePlan::from_box(box);
  EXPECT_EQ(plan.n_ghosts(), 0U);
  Cells<double> const u("u", 4, 4, 4);
  auto const targets = plan.targets(u);
  EXPECT_EQ(targets.begin(), targets.end());
  plan.gather_stored(Exec(), u);
  plan.gather(Exec(), u);
  Exec().fence();
  symm::barrier_all();
}

TEST(ExchangePlanTargets, are_of_boxes_with_as_many_axes) {
  BoxDecomposition box;
  box.owned   = {4, 4, 0};
  box.pe_grid = {symm::n_pes(), 1, 1};
  auto plan   = ExchangePlan::from_box(box);
  Cells<double> const u("u", 6, 6, 6);
  EXPECT_THROW(static_cast<void>(plan.targets(u)), symm::UsageError);
  Kokkos::View<double**, symm::SymmetricSpace> const flat("flat", 6, 6);
  if (symm::n_pes() > 2 && symm::my_pe() == 1) {
    EXPECT_THROW(static_cast<void>(plan.targets<1>(flat)), symm::UsageError);
  }
  Kokkos::View<double**, symm::SymmetricSpace> const small("small", 6, 5);
  EXPECT_THROW(static_cast<void>(plan.targets(small)), symm::UsageError);
  box.owned    = {4, 0, 0};
  box.periodic = {true, false, false};
  auto line    = ExchangePlan::from_box(box);
  Kokkos::View<double*, symm::SymmetricSpace> const short_line("line", 5);
  EXPECT_THROW(static_cast<void>(line.targets(short_line)), symm::UsageError);
  auto lists = ExchangePlan::from_exports(4, ints({}), ints({}));
  Kokkos::View<double*, symm::SymmetricSpace> const x("x", 6);
  EXPECT_THROW(static_cast<void>(lists.targets(x)), symm::UsageError);
  symm::barrier_all();
}

}  // namespace
