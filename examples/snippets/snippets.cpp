// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The snippets that the pages in docs/ show, between markers with their names,
// in functions that check what they did. scripts/docs.sh --update copies them
// into the pages. As a starting point for a program, use one of the other
// examples.

#include <Kokkos_Core.hpp>
#include <Kokkos_DynRankView.hpp>
#include <Kokkos_Random.hpp>
#include <Kokkos_Sort.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

struct Cell {
  double value = 0;
  KOKKOS_FUNCTION Cell() {}
  // Not trivial, because of a trace, for example.
  KOKKOS_FUNCTION Cell(Cell const& other) : value(other.value) {}
  Cell& operator=(Cell const&) = default;
};

// [shareable
template <>
inline constexpr bool symm::elements_are_shareable_v<Cell> = true;
// shareable]

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

int failures = 0;

void expect(bool is_right, std::string const& what) {
  if (is_right) return;
  ++failures;
  std::printf("PE %d: %s: wrong\n", symm::my_pe(), what.c_str());
}

// The value of an element in a View that the host may not be able to access.
template <class View>
auto element(View const& view, std::size_t i) {
  typename View::non_const_value_type value{};
  Kokkos::deep_copy(value, Kokkos::subview(view, i));
  return value;
}

int left_pe() { return (symm::my_pe() + symm::n_pes() - 1) % symm::n_pes(); }
int right_pe() { return (symm::my_pe() + 1) % symm::n_pes(); }

// [statics
struct Shared {  // was: static long lock, visitors; static double result[8];
  symm::Lock lock;
  long visitors;
  double result[8];
};
// statics]

// [halo
using Field = Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;

// One stencil step on rows 1 to own; rows 0 and own + 1 are copies of the
// neighbors' rows. If a neighbor needs a row, the kernel stores that row there,
// too.
void update(Exec const& exec, Field const& to, Field const& from, int above,
            int below) {
  int const own     = to.extent_int(0) - 2;
  int const columns = to.extent_int(1);
  auto everywhere   = symm::global_view(to);
  Kokkos::parallel_for(
      "update",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {1, 0},
                                                   {own + 1, columns}),
      KOKKOS_LAMBDA(int i, int j) {
        double const x = (from(i - 1, j) + from(i, j) + from(i + 1, j)) / 3;
        to(i, j)       = x;
        if (i == 1) everywhere(above, own + 1, j) = x;
        if (i == own) everywhere(below, 0, j) = x;
      });
}
// halo]

void halo() {
  Exec const exec;
  int const steps = 3;
  Field u_old("u_old", 4, 8);
  Field u_new("u_new", 4, 8);
  Kokkos::deep_copy(u_old, 1.0);
  Kokkos::deep_copy(u_new, 0.0);
  symm::barrier_all(exec);
  // [time_loop
  for (int step = 1; step <= steps; ++step) {
    update(exec, u_new, u_old, left_pe(), right_pe());
    symm::barrier(exec, symm::team_world());  // in the stream, not on the host
    std::swap(u_old, u_new);
  }
  exec.fence();  // once, after the loop
  // time_loop]
  double const own = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{}, Kokkos::subview(u_old, 1, Kokkos::ALL))(0);
  expect(std::abs(own - 1) < 1e-12, "halo");  // less if a row has not arrived
  symm::barrier_all(exec);
}

void uneven_rows() {
  Exec const exec;
  int const me = symm::my_pe(), n_pes = symm::n_pes();
  int const right = symm::is_near(right_pe()) ? right_pe() : me;
  int const n     = 2 * n_pes + 1;
  // [uneven
  // n rows over all PEs; each PE asks for its own.
  int const n_mine = n / n_pes + (me < n % n_pes ? 1 : 0);
  symm::UnevenView<Kokkos::View<double*, symm::SymmetricSpace>> const rows(
      "rows", n_mine);

  auto const mine       = rows.local();             // a View of n_mine elements
  auto const everywhere = symm::global_view(rows);  // everywhere(pe, i)
  Kokkos::parallel_for(
      "set", Kokkos::RangePolicy<Exec>(exec, 0, n_mine), KOKKOS_LAMBDA(int i) {
        bool const is_last = i + 1 == n_mine;
        mine(i)            = is_last ? 100 : 1;
      });
  symm::barrier(exec, symm::team_world());

  // The last row on another PE, whose index may differ from that of the last
  // row here.
  double last = 0;
  Kokkos::parallel_reduce(
      "look", Kokkos::RangePolicy<Exec>(exec, 0, 1),
      KOKKOS_LAMBDA(int, double& x) {
        x += everywhere(right, everywhere.extent(right, 0) - 1);
      },
      last);
  // uneven]
  expect(last == 100, "uneven");
  expect(symm::reduce(symm::team_world(), n_mine, symm::Sum{}) == n, "rows");
  expect(rows.extent(0, 0) == std::size_t{3}, "extents");
  symm::barrier_all();
}

void grow() {
  std::size_t n_mine = 3;
  symm::UnevenView<Kokkos::View<double*, symm::SymmetricSpace>> rows("rows",
                                                                     n_mine);
  Kokkos::deep_copy(rows.local(), 2);
  if (symm::my_pe() == 0) ++n_mine;
  // [grow
  rows.resize(n_mine);             // collective: each PE asks for its own
  auto const mine = rows.local();  // keeps the existing elements
  auto const all  = symm::remote_view(rows);  // earlier ones are invalid
  // grow]
  expect(mine.extent(0) == n_mine && element(mine, 2) == 2, "grow");
  expect(all.extent(0, 0) == 4, "grow");
  symm::barrier_all();
}

void in_turn() {
  int const n                 = 100;
  std::uint64_t const n_steps = 9;
  int const with_next         = symm::my_pe() ^ 1;
  int const partner = with_next < symm::n_pes() ? with_next : symm::my_pe();
  Kokkos::View<double*, Kokkos::HostSpace> const mine("mine", n);
  bool is_right = true;
  // [in_turn
  Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricHostSpace> const
      inbox("inbox", 2, n);
  Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace> const arrived(
      "arrived", 2);
  for (std::uint64_t step = 1; step <= n_steps; ++step) {
    auto const turn = step % 2;
    Kokkos::deep_copy(mine, static_cast<double>(step));
    symm::put_signal(&inbox(turn, 0), mine.data(), mine.size(), &arrived(turn),
                     step, symm::SignalOp::set, partner);
    symm::wait_until(&arrived(turn), symm::Compare::ge, step);
    // The partner's block for this step. Meanwhile, the partner may put its
    // next block into the other row. It puts the block after that only once it
    // has my next block.
    auto const its = Kokkos::subview(inbox, turn, Kokkos::ALL);
    is_right       = is_right && its(n - 1) == static_cast<double>(step);
  }
  // in_turn]
  expect(is_right, "in turn");
  symm::barrier_all();
}

void irregular_reads() {
  Exec const exec;
  int const n = 1000;
  Kokkos::View<double*, symm::SymmetricSpace> u("u", n);
  Kokkos::deep_copy(u, symm::my_pe() + 1.0);
  Kokkos::View<int*> pes("pes", n);
  Kokkos::View<int*> indices("indices", n);
  int const other = symm::is_near(right_pe()) ? right_pe() : symm::my_pe();
  Kokkos::deep_copy(pes, other);
  Kokkos::parallel_for(
      "scatter", n, KOKKOS_LAMBDA(int k) { indices(k) = (7 * k) % n; });
  Kokkos::fence();
  symm::barrier_all(exec);
  // [places
  // Once: find where element indices(k) on PE pes(k) is.
  auto const places = symm::places(u, pes, indices);

  // In a kernel that accesses each element once:
  auto const at = symm::placed_view(u);
  double sum    = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int k, double& x) { x += at(places(k)); }, sum);

  // For kernels that access them several times: copies, made by one kernel.
  Kokkos::View<double*> ghosts("ghosts", n);
  symm::gather(exec, ghosts, u, places);
  // places]
  exec.fence();
  expect(sum == n * (other + 1.0), "places");
  expect(element(ghosts, 17) == other + 1.0, "gather");
  symm::barrier_all(exec);
}

void histogram() {
  Exec const exec;
  int const n_bins = 16;
  int const n_keys = 4000;
  int const n_pes  = symm::n_pes();
  // [histogram
  // Bins are distributed over the PEs; a thread on any PE can count in any bin.
  Kokkos::View<long*, symm::SymmetricSpace> bins("bins", n_bins);
  auto const heap  = symm::heap_map(bins);
  auto const count = bins.data();
  Kokkos::parallel_for(
      "count", Kokkos::RangePolicy<Exec>(exec, 0, n_keys),
      KOKKOS_LAMBDA(int key) {
        int const bin = key % (n_bins * n_pes);
        symm::atomic_add(heap, count + bin / n_pes, 1, bin % n_pes);
      });
  symm::barrier(exec, symm::team_world());  // all PEs have counted
  // histogram]
  exec.fence();
  long mine = 0;
  Kokkos::parallel_reduce(
      n_bins, KOKKOS_LAMBDA(int i, long& x) { x += bins(i); }, mine);
  expect(symm::reduce(symm::team_world(), mine, symm::Sum{}) ==
             long{n_keys} * n_pes,
         "histogram");
}

void reads() {
  int const n = 100;
  Kokkos::View<long*, symm::SymmetricHostSpace> table("table", n);
  for (int i = 0; i < n; ++i) table(i) = symm::my_pe();
  symm::barrier_all();
  // [reads
  auto const all = symm::remote_view(table);
  Kokkos::View<long*, Kokkos::HostSpace> values("values", 1000);
  for (int k = 0; k < 1000; ++k)  // any element on any PE
    all(k % symm::n_pes(), 7 * k % n).get_nbi(&values(k));
  symm::quiet();  // now the elements are here
  // reads]
  int wrong = 0;
  for (int k = 0; k < 1000; ++k) wrong += values(k) != k % symm::n_pes();
  expect(wrong == 0, "reads");
  symm::barrier_all();
}

void reductions() {
  Exec const exec;
  auto const n = std::size_t{100};
  Kokkos::View<double*, symm::SymmetricSpace> x("x", n);
  Kokkos::deep_copy(x, 2.0);
  // [reduce_value
  double mine = 0;
  Kokkos::parallel_reduce(
      "my part", Kokkos::RangePolicy<Exec>(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& sum) { sum += x(i) * x(i); }, mine);
  double const norm =
      std::sqrt(symm::reduce(symm::team_world(), mine, symm::Sum{}));
  // reduce_value]
  expect(std::abs(norm * norm - 400.0 * symm::n_pes()) < 1e-9,
         "reduce a value");
  // [reduce_view
  Kokkos::View<double, symm::SymmetricSpace> part("part");
  Kokkos::View<double, symm::SymmetricSpace> total("total");
  Kokkos::parallel_reduce(
      "my part", Kokkos::RangePolicy<Exec>(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& sum) { sum += x(i) * x(i); },
      Kokkos::Sum<double, symm::SymmetricSpace>(part));
  symm::reduce(exec, symm::team_world(), total, part, symm::Sum{});
  // later kernels on exec read total(); the host has not waited
  // reduce_view]
  double result = 0;
  Kokkos::deep_copy(exec, result, total);
  exec.fence();
  expect(result == 400.0 * symm::n_pes(), "reduce Views");
  // [teams
  // PEs with even numbers and PEs with odd numbers compute separate sums.
  symm::PeTeam const half =
      symm::team_split(symm::team_world(), symm::my_pe() % 2, symm::my_pe());
  int const members = symm::reduce(half, 1, symm::Sum{});
  // teams]
  expect(members == half.n_pes(), "teams");
  symm::barrier_all(exec);
}

void registration() {
  auto const nx = std::size_t{20}, ny = std::size_t{30};
  // [register
  // A View<double**>, as in the existing program:
  auto u = symm::make_registrable_view<double**>("u", nx, ny);
  // The same memory as a View<double**, symm::SymmetricSpace>:
  auto s = symm::register_symmetric_view(u);

  auto everywhere = symm::global_view(s);  // everywhere(pe, i, j)
  // register]
  int const right = everywhere.is_near(right_pe()) ? right_pe() : symm::my_pe();
  Kokkos::parallel_for(
      "write", ny,
      KOKKOS_LAMBDA(std::size_t j) { everywhere(right, 0, j) = 4; });
  symm::barrier_all(Exec());
  double sum = 0;
  Kokkos::parallel_reduce(
      ny, KOKKOS_LAMBDA(std::size_t j, double& x) { x += u(0, j); }, sum);
  expect(sum == 4.0 * static_cast<double>(ny), "register");
  symm::barrier_all(Exec());
}

void over_nodes() {
  using Matrix =
      Kokkos::View<double**, Kokkos::LayoutLeft, symm::SymmetricSpace>;
  Matrix const u("u", 8, 8);
  Kokkos::View<double*, symm::SymmetricSpace> const layer("layer", 8);
  Kokkos::deep_copy(layer, 5.0);
  auto const pe = right_pe();
  // [remote_element
  auto everywhere = symm::remote_view(u);  // instead of symm::global_view(u)
  Kokkos::parallel_for(
      "elements", Kokkos::RangePolicy<Exec>(0, 8), KOKKOS_LAMBDA(int i) {
        everywhere(pe, i, 1) = 3;                     // a store, or a put
        double const there   = everywhere(pe, i, 1);  // a load, or a get
        everywhere(pe, i, 1) += there;  // a get and a put: not atomic
      });
  // remote_element]
  symm::barrier_all(Exec());
  // [remote_atomic
  using Atomic = Kokkos::MemoryTraits<Kokkos::Atomic>;
  Kokkos::View<long*, symm::SymmetricSpace> counts("counts", 8);
  Kokkos::View<long*, symm::SymmetricSpace, Atomic> a(counts);
  auto const at = symm::remote_view(a);
  Kokkos::parallel_for(
      "count", 8, KOKKOS_LAMBDA(int i) { at(pe, i) += 1; });
  // remote_atomic]
  symm::barrier_all(Exec());
  expect(element(counts, 3) == 1, "remote atomics");
  expect(element(Kokkos::subview(u, Kokkos::ALL, 1), 2) == 6, "elements");
  // [remote_blocks
  auto const ghosts = Kokkos::subview(u, Kokkos::ALL, 0);  // of any layout
  auto const theirs = symm::remote_view(ghosts).peer(pe);
  Kokkos::deep_copy(theirs, layer);  // like a put; on return, it is there
  symm::barrier_all();
  Kokkos::deep_copy(layer, theirs);                       // like a get
  Kokkos::deep_copy(symm::remote_view(u).peer(pe), 2.5);  // fills all of it
  // remote_blocks]
  symm::barrier_all(Exec());
  expect(element(layer, 2) == 5, "copies");
  expect(element(Kokkos::subview(u, Kokkos::ALL, 1), 2) == 2.5, "fill");
  symm::barrier_all(Exec());
}

void private_containers() {
  auto const n = std::size_t{100}, n_mine = std::size_t{50};
  // [private_sort
  Kokkos::View<int*, symm::SymmetricSpace> keys("keys", n);
  Kokkos::View<int*, Exec::memory_space> mine(keys);  // no copy
  if (symm::my_pe() == 0)  // it allocates private memory: one PE may call it
    Kokkos::sort(Kokkos::subview(mine, Kokkos::pair(std::size_t{0}, n_mine)));
  // private_sort]
  Kokkos::fence();
  expect(element(keys, 0) == 0, "sort");
  symm::barrier_all();
}

void mirrors() {
  std::size_t const n = 30;
  Kokkos::View<double*> const x("x", n);
  Kokkos::deep_copy(x, symm::my_pe());
  // [mirrors
  // Collective: a View that peers can access, with the elements of a private
  // View.
  auto const shared =
      Kokkos::create_mirror_view_and_copy(symm::SymmetricSpace{}, x);
  symm::barrier_all();  // after the copy, before peers read

  // Collective; for peers' copies, use a View of its data.
  Kokkos::DynRankView<double, symm::SymmetricSpace> const table("table", 3, 4);
  Kokkos::View<double**, symm::SymmetricSpace> const all(table.data(), 3, 4);
  auto const its = symm::remote_view(all).peer(right_pe());

  // Local: the generators' states are in Exec's memory.
  auto const seed = static_cast<std::uint64_t>(1 + symm::my_pe());
  Kokkos::Random_XorShift64_Pool<Exec> const numbers(seed);
  Kokkos::fill_random(all, numbers, 1.0);
  // mirrors]
  Kokkos::fence();
  double first = -1;
  symm::get(&first, shared.data(), 1, right_pe());
  expect(first == right_pe(), "mirror");
  expect(its.extent(1) == 4, "DynRankView");
  symm::barrier_all();
}

void plain_memory() {
  int const pe = right_pe();
  // [plain
  auto* const block = static_cast<double*>(symm::malloc(100 * sizeof(double)));
  double const source[3] = {1, 2, 3};
  symm::put(block + 10, source, 3, pe);  // to block[10..12] of PE pe
  symm::barrier_all();                   // completes puts, and waits for all
                                         // PEs
  double const first = symm::g(block + 10, pe);  // PE pe's block[10]
  symm::barrier_all();
  symm::free(block);  // collective, like malloc
  // plain]
  expect(first == 1, "plain memory");
}

void statics() {
  // [locks
  Kokkos::View<Shared, symm::SymmetricHostSpace> statics("statics");
  Shared& shared = statics();  // my copy, and the address of all copies

  symm::set_lock(&shared.lock);
  symm::p(&shared.visitors, symm::g(&shared.visitors, 0) + 1, 0);
  symm::clear_lock(&shared.lock);  // after the put
  // locks]
  symm::barrier_all();
  expect(symm::g(&shared.visitors, 0) == symm::n_pes(), "lock");
  symm::barrier_all();
}

void shareable() {
  Kokkos::View<Cell*, symm::SymmetricHostSpace> cells("cells", 4);
  expect(symm::global_view(cells).extent(0) == 4, "cells");
  symm::barrier_all();
}

void exchange_of_boxes() {
  Exec const exec;
  int const n_pes = symm::n_pes();
  // [box_plan
  symm::BoxDecomposition box;
  box.owned    = {8, 6, 4};      // this PE's cells
  box.pe_grid  = {n_pes, 1, 1};  // PEs along each axis
  box.periodic = {true, false, false};
  auto plan    = symm::ExchangePlan::from_box(box);  // once; collective

  // Ghosts are one cell wide on all sides, unless box.ghost_width is larger. So
  // Views have owned + 2 cells along each axis.
  Kokkos::View<double***> u("u", 10, 8, 6);
  Kokkos::View<double*** [3]> v("v", 10, 8, 6);
  // box_plan]
  Kokkos::deep_copy(u, symm::my_pe());
  // [box_gather
  plan.gather(exec, u, v);  // in each step

  plan.begin_gather(exec, u, v);
  // ... cells that need no ghosts ...
  plan.end_gather(exec, u, v);
  // box_gather]
  // [chosen_fields
  // The fields that this step needs; one list for each View type.
  std::vector<Kokkos::View<double***>> fields{u};
  std::vector<Kokkos::View<double*** [3]>> vectors;
  plan.gather(exec, fields, vectors);
  // chosen_fields]
  exec.fence();
  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, u);
  expect(on_host(0, 1, 1) == left_pe(), "exchange of boxes");
  symm::barrier_all();
}

void boxes_of_a_grid() {
  Exec const exec;
  auto const me = symm::my_pe(), n_pes = symm::n_pes();
  // [node_boxes
  // The nodes of a grid of cells, of which each PE has 4 x 6, side by side.
  symm::GridBoxes nodes;
  nodes.grid  = {static_cast<std::size_t>(4 * n_pes + 1), 7};  // over all PEs
  nodes.boxes = {{{4 * me, 0}, {5, 7}}};  // this PE's: the first one, how many
  nodes.has_box_index = false;            // Views are (i, j)
  auto plan           = symm::ExchangePlan::from_boxes(nodes);

  Kokkos::View<double**> velocity("velocity", 5 + 2, 7 + 2);  // with ghosts
  plan.gather(exec, velocity);
  // node_boxes]
  symm::GridBoxes its_cells = nodes;
  its_cells.grid            = {static_cast<std::size_t>(4 * n_pes), 6};
  its_cells.boxes           = {{{4 * me, 0}, {4, 6}}};
  auto const cells          = symm::ExchangePlan::from_boxes(its_cells);
  Kokkos::View<double**> density("density", 4 + 2, 6 + 2), energy = density;
  // [joined_plans
  auto both = symm::ExchangePlan::joined({cells, plan});
  both.gather(exec, symm::of_plan(0, density, energy),
              symm::of_plan(1, velocity));
  // joined_plans]
  Kokkos::deep_copy(velocity, me);
  plan.gather(exec, velocity);
  exec.fence();
  auto const nodes_on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, velocity);
  expect(nodes_on_host(1, 1) == std::max(me - 1, 0), "nodes that PEs share");
  // [many_boxes
  // Blocks of 8 x 8 cells. Any block can be on any PE; here, a PE has every
  // n_pes-th one.
  symm::GridBoxes blocks;
  blocks.grid        = {64, 32};
  blocks.periodic    = {true, true};
  blocks.ghost_width = {2, 2};
  for (int b = me; b < 8 * 4; b += n_pes)
    blocks.boxes.push_back({{b / 4 * 8, b % 4 * 8}, {8, 8}});
  auto plan_of_blocks = symm::ExchangePlan::from_boxes(blocks);

  Kokkos::View<double***> u("u", blocks.boxes.size(), 8 + 4, 8 + 4);
  plan_of_blocks.gather(exec, u);  // u(block, i, j)
  // many_boxes]
  Kokkos::deep_copy(u, me);
  plan_of_blocks.gather(exec, u);
  exec.fence();
  auto const blocks_on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, u);
  // Below my first block, number `me`, is block me + 1, or the first one of 4.
  int const below = me % 4 == 3 ? me - 3 : me + 1;
  expect(me >= 32 || blocks_on_host(0, 2, 10) == below % n_pes,
         "blocks of a grid");
  symm::barrier_all();
}

void order_of_boxes() {
  // PE 1 is at (1, 0): PE numbers run fastest along x, the first index.
  int const n_x = symm::n_pes() % 2 == 0 ? symm::n_pes() / 2 : symm::n_pes();
  int const n_y = symm::n_pes() / n_x;
  auto const x  = static_cast<std::size_t>(symm::my_pe() % n_x);
  auto const y  = static_cast<std::size_t>(symm::my_pe() / n_x);
  symm::BoxDecomposition box;
  box.owned   = {4, 4};
  box.pe_grid = {n_x, n_y};
  // [box_order
  box.order = symm::BoxDecomposition::Order::first_axis_fastest;
  // This PE's first cell in the whole grid.
  box.first = {{4 * x, 4 * y, 0}};
  // box_order]
  auto plan = symm::ExchangePlan::from_box(box);
  Kokkos::View<int**, Kokkos::LayoutRight> u("u", 6, 6);
  Kokkos::deep_copy(u, symm::my_pe());
  plan.gather(Exec(), u);
  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, u);
  if (static_cast<int>(x) + 1 < n_x)
    expect(on_host(5, 2) == symm::my_pe() + 1, "order of boxes");
  symm::barrier_all();
}

void exchange_of_lists() {
  Exec const exec;
  std::size_t const n_owned = 10;
  Kokkos::View<int*> const pes("PEs", 2), indices("indices", 2);
  Kokkos::deep_copy(pes, right_pe());
  Kokkos::deep_copy(indices, 3);
  // [lists_plan
  // Once; collective: I need element indices(k) on PE pes(k), near or far.
  auto plan = symm::ExchangePlan::from_imports(n_owned, indices, pes);
  Kokkos::View<double*> x("x", n_owned + plan.n_ghosts());
  Kokkos::View<double* [3]> f("f", n_owned + plan.n_ghosts());
  // lists_plan]
  Kokkos::deep_copy(x, symm::my_pe());
  Kokkos::deep_copy(f, 1);
  // [lists_gather
  plan.gather(exec, x);  // x(n_owned + k) is now that element
  // ... f(n_owned + k) is what I add to that element ...
  plan.scatter(exec, symm::Sum{}, f);
  // lists_gather]
  exec.fence();
  expect(element(x, n_owned) == right_pe(), "gather of lists");
  expect(element(Kokkos::subview(f, Kokkos::ALL, 0), 3) == 3, "scatter");
  symm::barrier_all();
}

void exports() {
  Exec const exec;
  std::size_t const n_owned = 10;
  Kokkos::View<int*> const pes("PEs", 2), ids("ids", 2);
  Kokkos::View<double*> const shifts("shifts", 2);
  Kokkos::deep_copy(pes, right_pe());
  Kokkos::deep_copy(shifts, symm::my_pe());
  // [exports_plan
  // Once; collective: my element ids(k) goes to PE pes(k), as the periodic
  // image that is shifts(k) away.
  auto plan = symm::ExchangePlan::from_exports(n_owned, ids, pes);
  // its_shifts(k) is the shift of ghost k, which is element n_owned + k.
  auto its_shifts = plan.tell_ghosts(exec, pes, shifts);
  auto its_owners = plan.ghost_owners();
  // exports_plan]
  expect(plan.n_ghosts() == 2 && element(its_shifts, 1) == left_pe(),
         "what ghosts are told");
  expect(element(its_owners, 1) == left_pe(), "owners of ghosts");
  symm::barrier_all();
}

void migrate() {
  Exec const exec;
  std::size_t n = 100;
  // [migration
  symm::Migration migration;
  Kokkos::View<double*[3]> x("x", n), v("v", n);
  Kokkos::View<int*> owners("owners", n);
  // migration]
  Kokkos::deep_copy(owners, right_pe());
  // [migrate
  // In each step, element k < n goes to PE owners(k).
  std::pair<std::size_t, std::size_t> const mine(0, n);
  n = migration.migrate(exec, Kokkos::subview(owners, mine), x, v);
  Kokkos::resize(owners, x.extent(0));  // x and v may have grown
  // migrate]
  expect(n == 100, "migration");
  symm::barrier_all();
}

void exchange_of_parts() {
  Exec const exec;
  int const left = left_pe(), right = right_pe();
  Kokkos::View<double**> u("u", 5, 8), p("p", 5, 8);
  // [subviews_plan
  // This PE owns columns 1 to 6 of rows 0 to 4. Column 7 is a copy of the right
  // PE's column 1, and column 0 is a copy of the left PE's column 6.
  auto const column = [&](int j) { return Kokkos::subview(u, Kokkos::ALL, j); };
  using Part        = symm::ExchangePart<decltype(column(0))>;
  std::vector<Part> const sent   = {{column(1), left}, {column(6), right}};
  std::vector<Part> const filled = {{column(7), right}, {column(0), left}};
  auto plan = symm::ExchangePlan::from_subviews(u, sent, filled);
  plan.gather(exec, u, p);  // any Views with the extents of u
  // subviews_plan]
  Kokkos::deep_copy(u, symm::my_pe());
  plan.gather(exec, u);
  exec.fence();
  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, u);
  expect(on_host(2, 0) == left && on_host(4, 7) == right, "parts");
  symm::barrier_all();
}

int solve() {
  if (symm::team_node().n_pes() != symm::n_pes()) {
    if (symm::my_pe() == 0)
      std::printf("snippets: all PEs must be on one node; see docs/nodes.md\n");
    return 1;
  }
  halo();
  exchange_of_boxes();
  boxes_of_a_grid();
  order_of_boxes();
  exchange_of_lists();
  exports();
  migrate();
  exchange_of_parts();
  uneven_rows();
  grow();
  in_turn();
  irregular_reads();
  histogram();
  reads();
  reductions();
  registration();
  over_nodes();
  private_containers();
  mirrors();
  plain_memory();
  statics();
  shareable();
  int const all = symm::reduce(symm::team_world(), failures, symm::Sum{});
  if (symm::my_pe() == 0)
    std::printf("snippets: %s\n", all == 0 ? "correct" : "WRONG");
  return all == 0 ? 0 : 1;
}

}  // namespace

// [main
int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  try {
    return solve();                        // all Views exist only in there
  } catch (std::exception const& error) {  // perhaps on this PE only
    std::fprintf(stderr, "PE %d: %s\n", symm::my_pe(), error.what());
    symm::global_exit(1);
  }
}
// main]
