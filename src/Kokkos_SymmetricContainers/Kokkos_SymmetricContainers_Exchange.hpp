// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_EXCHANGE_HPP
#define KOKKOS_SYMMETRICCONTAINERS_EXCHANGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../runtime/symm_atomics.hpp"
#include "../runtime/symm_collectives.hpp"
#include "../runtime/symm_errors.hpp"
#include "../runtime/symm_job.hpp"
#include "../runtime/symm_teams.hpp"
#include "exchange/BoxDecomposition.hpp"
#include "exchange/BoxLists.hpp"
#include "exchange/BoxTargets.hpp"
#include "exchange/CombineGhosts.hpp"
#include "exchange/CopyChunks.hpp"
#include "exchange/ExchangeKernels.hpp"
#include "exchange/ExchangeLists.hpp"
#include "exchange/Fields.hpp"
#include "exchange/GridBoxLists.hpp"
#include "exchange/GridBoxes.hpp"
#include "exchange/JoinedFields.hpp"
#include "exchange/PlanBlocks.hpp"
#include "exchange/Replace.hpp"
#include "exchange/SubviewLists.hpp"

namespace symm {

/// A plan for an exchange of elements between PEs, made once and used many
/// times. Copies of a PE's owned elements on other PEs are called ghosts.
/// gather() copies owned elements to their ghosts; scatter() combines ghosts
/// into the owned elements. (Compare Cabana's Halo, Tpetra's Import and Export,
/// and PETSc's star forest.)
///
///     auto plan = symm::ExchangePlan::from_imports(n_owned, indices, pes);
///     Kokkos::View<double*> x("x", n_owned + plan.n_ghosts());
///     plan.gather(exec, x);            // x(n_owned + k) is element indices(k)
///     plan.scatter(exec, symm::Sum{}, x);  // of PE pes(k)
///
/// Views are private or symmetric, of any type, rank and layout. One exchange
/// takes several Views, and sends one block of bytes to each neighbor. The
/// first index of a View (for a box, the first indices) selects an element. The
/// other indices select components of the element; all PEs have the same number
/// of components. The caller need not distinguish near and far PEs. An exchange
/// has no barrier: a PE waits for its neighbors.
///
/// Only one thread may use a plan. A plan has one exchange at a time, and can
/// be moved. An empty plan has no neighbors. PEs may begin exchanges of several
/// plans in different orders. But all PEs must begin exchanges that make room
/// (see gather()) in the same order.
class ExchangePlan {
 public:
  ExchangePlan() = default;
  /// Moves a plan. The call is local, and leaves `other` empty.
  ExchangePlan(ExchangePlan&& other) noexcept { swap(other); }
  ExchangePlan& operator=(ExchangePlan&& other) noexcept {
    ExchangePlan(std::move(other)).swap(*this);
    return *this;
  }
  ExchangePlan(ExchangePlan const&)            = delete;
  ExchangePlan& operator=(ExchangePlan const&) = delete;
  ~ExchangePlan()                              = default;

  // Making a plan is collective over the world, because it allocates symmetric
  // memory. Each PE passes its own PE team, and PE numbers are relative to that
  // PE team; different PE teams can make different plans in the same call. A PE
  // that takes no part passes PeTeam() and empty lists. All functions that make
  // plans throw on every PE: a UsageError that names the PE and the element if
  // a list is wrong; OutOfMemory or SystemError. Lists are rank-1 Views of
  // integers in any memory.

  /// Makes a plan in which PE pes(k) gets a copy of this PE's element ids(k).
  /// Ghosts are stored after the owned elements, one owner after the other, in
  /// the order of the owner's list.
  /// \param n_owned number of elements on this PE that may be sent; their ids
  ///        are less than n_owned.
  template <class Ids, class Pes>
  [[nodiscard]] static ExchangePlan from_exports(
      std::size_t n_owned, Ids const& ids, Pes const& pes,
      PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_exports";
    return make(call, team, [&] {
      auto const its_ids = on_host(ids);
      auto const its_pes = on_host(pes);
      return Impl::lists_of_exports(call, n_owned, integers(its_ids),
                                    integers(its_pes), team.n_pes());
    });
  }

  /// Makes a plan in which this PE's element n_owned + k is a copy of element
  /// indices(k) on PE pes(k).
  /// \param n_owned number of elements on this PE that other PEs may import.
  template <class Indices, class Pes>
  [[nodiscard]] static ExchangePlan from_imports(
      std::size_t n_owned, Indices const& indices, Pes const& pes,
      PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_imports";
    return make(call, team, [&] {
      auto const its_indices = on_host(indices);
      auto const its_pes     = on_host(pes);
      return Impl::lists_of_imports(call, n_owned, integers(its_indices),
                                    integers(its_pes), nullptr, team.n_pes());
    });
  }

  /// Makes a plan in which this PE's element places(k) is a copy of element
  /// indices(k) on PE pes(k). Places should differ: if several copies go to one
  /// place, any of these copies may remain.
  template <class Indices, class Pes, class Places>
  requires Kokkos::is_view_v<Places>
  [[nodiscard]] static ExchangePlan from_imports(
      std::size_t n_owned, Indices const& indices, Pes const& pes,
      Places const& places, PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_imports";
    return make(call, team, [&] {
      auto const its_indices = on_host(indices);
      auto const its_pes     = on_host(pes);
      auto const its_places  = on_host(places);
      auto const to          = integers(its_places);
      return Impl::lists_of_imports(call, n_owned, integers(its_indices),
                                    integers(its_pes), &to, team.n_pes());
    });
  }

  /// Makes a plan in which the ghost cells of a box are copies of cells in
  /// neighboring boxes. Views have an index for each axis, then indices of
  /// components.
  [[nodiscard]] static ExchangePlan from_box(
      BoxDecomposition const& box, PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_box";
    return make(call, team, [&] {
      return Impl::lists_of_box(call, box, team.my_pe(), team.n_pes());
    });
  }

  /// Makes a plan in which the ghosts of each box are copies of points in other
  /// boxes of the grid. Points that an earlier box also has are copies, too.
  /// Views have an index of the box, an index for each axis, then indices of
  /// components.
  [[nodiscard]] static ExchangePlan from_boxes(
      GridBoxes const& boxes, PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_boxes";
    Impl::Observed const observed([=] { return operation(call); });
    std::optional<Impl::Failure> failure;
    std::vector<Impl::ExchangeLists> lists(1);
    lists[0] = Impl::lists_of_boxes(call, boxes, team, failure);
    return made_of(call, team, std::move(lists), std::move(failure));
  }

  /// Makes a plan from subviews of `view`. PE sent[k].pe gets a copy of the
  /// elements in sent[k].part. The elements in filled[k].part are copies of
  /// elements on PE filled[k].pe. The two PEs list their parts in the same
  /// order. Views have the extents of `view`, followed by indices of
  /// components.
  template <class View, class Sent, class Filled>
  [[nodiscard]] static ExchangePlan from_subviews(
      View const& view, std::vector<ExchangePart<Sent>> const& sent,
      std::vector<ExchangePart<Filled>> const& filled,
      PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_subviews";
    return make(call, team, [&] {
      return Impl::lists_of_subviews(call, view, sent, filled, team.n_pes());
    });
  }

  /// Joins several plans, 8 at most, into one exchange, which sends one block
  /// to each neighbor. For a far neighbor, this block is one message. The plans
  /// may be for Views of different extents, such as fields in cells, on faces
  /// and at nodes. Exchanges take symm::of_plan(k, views...) for each plan that
  /// has Views in the call; all PEs pass the same plans:
  ///
  ///     auto all = symm::ExchangePlan::joined({cells, nodes});
  ///     all.gather(exec, symm::of_plan(0, density, energy),
  ///                symm::of_plan(1, velocity));
  ///
  /// The call copies the plans; the originals may still be used or may be
  /// destroyed. Room in a joined plan, also in reserve(), is for an element of
  /// the plan whose elements have the most bytes. Exchanges of joined plans
  /// pack the Views even if the elements in a View are contiguous.
  /// \param plans the same number of plans on all PEs of the job, in the same
  ///        order on all PEs of the PE team.
  /// \param team the PE team of the plans.
  [[nodiscard]] static ExchangePlan joined(
      std::vector<std::reference_wrapper<ExchangePlan const>> const& plans,
      PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::joined";
    Impl::Observed const observed([=] { return operation(call); });
    std::vector<Impl::ExchangeLists> lists;
    auto failure = Impl::failure_of([&] {
      for (ExchangePlan const& plan : plans) {
        for (auto& its : plan.m_plan.lists(call, team))
          lists.push_back(std::move(its));
      }
      if (!lists.empty() && lists.size() <= Impl::PlacesOfJoined::most) return;
      throw UsageError(Impl::Text(call, ": ", lists.size(),
                                  " plans: pass 1 to ",
                                  Impl::PlacesOfJoined::most));
    });
    return made_of(call, team, std::move(lists), std::move(failure));
  }

  /// Number of ghosts on this PE, in all joined plans.
  [[nodiscard]] std::size_t n_ghosts() const {
    auto n = m_plan.ghosts.elements.extent(0);
    for (auto const& its : m_plan.others) n += its.ghosts.elements.extent(0);
    return n;
  }

  /// The owners of the ghosts in a plan made by from_exports(). Element k of
  /// the result is the number, in the PE team, of the owner of ghost k, which
  /// is element n_owned + k. (With imports, the caller knows the owners.) The
  /// call is local.
  /// \throws UsageError on this PE if the plan was not made by from_exports().
  [[nodiscard]] Kokkos::View<int*, Impl::ExchangeMemory> ghost_owners() const {
    m_plan.expect_exports("symm::ExchangePlan::ghost_owners");
    Kokkos::View<int*, Impl::ExchangeMemory> owners(
        "symm::ExchangePlan, owners", m_plan.ghosts.elements.extent(0));
    auto const on_host = Kokkos::create_mirror_view(owners);
    auto* to           = on_host.data();
    for (std::size_t b = 0; b < m_plan.neighbours.size(); ++b) {
      to = std::fill_n(to, m_plan.ghosts.blocks.on_host()[b].count,
                       m_plan.neighbours[b]);
    }
    Kokkos::deep_copy(owners, on_host);
    return owners;
  }

  /// Sends each ghost a value from its owner, such as a periodic shift, the
  /// number of an image, or an id. An element that is exported twice to a PE
  /// has two ghosts on that PE, each with its own value. The call takes as long
  /// as a gather() plus making lists, so call it once, when the plan is made.
  ///
  ///     auto plan   = symm::ExchangePlan::from_exports(n_owned, ids, pes);
  ///     auto shifts = plan.tell_ghosts(exec, pes, its_shifts);
  ///     // shifts(k) is the value of ghost n_owned + k
  ///
  /// All PEs of the PE team make the call, which waits for `exec`.
  /// \param pes the list that was passed to from_exports().
  /// \param values a rank-1 View with a value for each export. The type of the
  ///        values is trivially copyable and the same on all PEs.
  /// \returns the value of each ghost, in the order of ghost_owners().
  /// \throws UsageError on this PE, before it has sent anything, if `pes` is
  ///         not the list passed to from_exports(), if from_exports() has not
  ///         made the plan, or in the same cases as gather(). (The neighbors of
  ///         this PE then wait until this PE calls again.) OutOfMemory on this
  ///         PE.
  template <Impl::ExecutionSpace Exec, class Pes, class Values>
  [[nodiscard]] auto tell_ghosts(Exec const& exec, Pes const& pes,
                                 Values const& values) {
    constexpr char const* call = "symm::ExchangePlan::tell_ghosts";
    static_assert(Kokkos::is_view_v<Values> && Values::rank() == 1,
                  "values are a Kokkos::View of rank 1, one for each export");
    using T = typename Values::non_const_value_type;
    m_plan.expect_exports(call);
    auto const its_pes = on_host(pes);
    auto const order   = m_plan.order_of_exports(call, integers(its_pes));
    if (values.extent(0) != order.size()) {
      throw UsageError(Impl::Text(call, ": View \"", values.label(), "\" of ",
                                  values.extent(0), " values, in a plan of ",
                                  order.size(),
                                  " exports: pass one for each export"));
    }
    Kokkos::View<T*, Impl::ExchangeMemory> all(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(call)),
        order.size() + n_ghosts());
    auto const mine =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    auto const sorted = Kokkos::create_mirror_view(all);
    for (std::size_t k = 0; k < order.size(); ++k) sorted(k) = mine(order[k]);
    Kokkos::deep_copy(all, sorted);
    Impl::PlanElements elements = m_plan.of_exports();
    std::swap(static_cast<Impl::PlanElements&>(m_plan), elements);
    auto const failure = Impl::failure_of([&] { gather(exec, all); });
    exec.fence(call);
    std::swap(static_cast<Impl::PlanElements&>(m_plan), elements);
    if (failure) Impl::throw_failure(*failure);
    return Kokkos::View<T*, Impl::ExchangeMemory>(Kokkos::subview(
        all, std::pair(order.size(), order.size() + n_ghosts())));
  }

  /// Copies owned elements of the Views to their ghosts on other PEs. All PEs
  /// of the PE team make the call, with Views that have the same number of
  /// bytes per element on all PEs.
  ///
  /// If the program chooses Views at run time, it passes a std::vector<View>,
  /// or a std::span or std::array of Views, in place of a View. The program
  /// passes one such range for each type of View, alone or with other
  /// arguments. A range may be empty. For other PEs, passing ranges is the same
  /// as passing the Views in these ranges one by one.
  ///
  /// The exchange runs in order with the kernels on `exec`. If `exec` runs on a
  /// GPU, the host does not wait. (Exception: if PEs share a GPU without MPS or
  /// there is no SymmetricHostSpace, the host waits for exchanges with other
  /// nodes that no graph records. Between begin and end of such an exchange,
  /// free no memory.) If `exec` runs on the host, ghosts are complete on
  /// return. The call allocates only if an element has more than 8 bytes, and
  /// more bytes than in all earlier calls. A call that allocates is collective
  /// over the world (see reserve()).
  ///
  /// \throws UsageError on this PE, before it has sent anything, if a View is
  ///         too small, if an exchange has begun and not ended, or if the plan
  ///         is of a PE team and has no room. UsageError on this PE, after the
  ///         exchange, if a neighbor has passed elements with a different
  ///         number of bytes (kernels that wait on a GPU end the job; where PEs
  ///         share a GPU without MPS, nothing checks this). Also the errors of
  ///         reserve().
  template <Impl::ExecutionSpace Exec, class... Views>
  void gather(Exec const& exec, Views const&... views) {
    begin(exec, gather_name, Impl::Halves::together, from_owned, views...);
    end_gather(exec, views...);
  }
  /// The first half of gather(), which sends owned elements. The program may
  /// change owned elements once the work on `exec` up to and including this
  /// call is done.
  template <Impl::ExecutionSpace Exec, class... Views>
  void begin_gather(Exec const& exec, Views const&... views) {
    begin(exec, gather_name, Impl::Halves::apart, from_owned, views...);
  }
  /// The second half of gather(), which waits for the neighbors and then fills
  /// the ghosts.
  /// \throws UsageError on this PE if the Views have a different number of
  ///         bytes per element than the Views passed to begin_gather(); then
  ///         call end_gather() again with the Views passed to begin_gather().
  ///         Also the errors of gather().
  template <Impl::ExecutionSpace Exec, class... Views>
  [[gnu::noinline]] void end_gather(Exec const& exec, Views const&... views) {
    auto const fields = receive(exec, gather_name, from_owned, views...);
    for_each_part(fields, from_owned.received, [&](auto const&... part) {
      Impl::copy_chunks<Impl::CopyWay::from_block>(
          exec, gather_name, m_plan.buffers.in_kernels(), part...);
    });
    wait_for_messages(exec, gather_name);
  }

  /// The places to which kernels store copies of cells while they compute the
  /// cells; gather_stored() then ends the exchange. This saves a second pass
  /// over the cells, and the unpacking of cells from near PEs. The plan must be
  /// for a box with as many axes as the View has indices. The targets are valid
  /// until the plan makes more room, that is, until an exchange of larger
  /// elements or a call of reserve().
  ///
  ///     auto const targets = plan.targets(u);
  ///     // in the kernel that sets u(i, j, k):
  ///     for (auto const& target : targets)
  ///       if (target.has(i, j, k)) target(i, j, k) = u(i, j, k);
  ///
  /// Kernels store to the ghosts on near PEs, so the program must alternate
  /// between two Views. Between two gathers of one View, the program gathers
  /// the other View. Before that gather, the program must finish reading the
  /// ghosts of the first View.
  ///
  /// \tparam most maximum number of directions; 6 suffice for the faces of a
  ///         box. (On a GPU, a kernel with more than 512 bytes of arguments
  ///         takes longer to start.)
  /// \param view a symmetric View with the same layout on all PEs.
  /// \throws UsageError on this PE if the plan is not for such a box, if it has
  ///         more than `most` directions, or if the View is too small. Also the
  ///         errors of reserve().
  template <std::size_t most = 26, class View>
  [[nodiscard]] BoxTargets<typename View::value_type, most> targets(
      View const& view) {
    using T                    = typename View::value_type;
    constexpr char const* call = "symm::ExchangePlan::targets";
    static_assert(is_symmetric_space_v<typename View::memory_space>,
                  "the View must be symmetric: kernels store to its copies");
    if (!m_plan.is_box || View::rank() != m_plan.extents.size()) {
      throw UsageError(std::string(call) + ": View \"" + view.label() +
                       "\" has " + std::to_string(View::rank()) +
                       " indices: pass one that has as many as the box of "
                       "ExchangePlan::from_box has axes");
    }
    auto const n = m_plan.box_copies.size();
    if (n > most) {
      throw UsageError(std::string(call) + ": the box has neighbours in " +
                       std::to_string(n) + " directions: pass targets<" +
                       std::to_string(n) + ">");
    }
    static_cast<void>(
        Impl::fields_of(call, m_plan.extents,
                        std::max(m_plan.owned.end, m_plan.ghosts.end), view));
    make_room(call, sizeof(T), m_call);
    auto* const outbox =
        reinterpret_cast<T*>(m_plan.buffers.in_kernels().outbox);
    auto const heap   = heap_map(view);
    auto const stored = Impl::StoredCopies::of<Impl::ExchangeSpace>(view);
    BoxTargets<T, most> targets;
    for (auto const& copies : m_plan.box_copies)
      targets.append(Impl::target_of(copies, view, heap, outbox, stored));
    return targets;
  }
  /// Does gather() for one View if kernels on `exec` have stored all copies to
  /// targets(view).
  template <Impl::ExecutionSpace Exec, class View>
  [[gnu::noinline]] void gather_stored(Exec const& exec, View const& view) {
    constexpr char const* call = "symm::ExchangePlan::gather_stored";
    if (!m_plan.is_box) {
      throw UsageError(std::string(call) +
                       ": the plan is not of ExchangePlan::from_box, alone; "
                       "call gather()");
    }
    auto const& ghosts = m_plan.ghosts;
    auto const fields  = start(call, view);
    Impl::PlacesOfPlan const places{fields.bytes()};
    Impl::Observed const observed(
        [&] { return operation(call, from_owned, fields); },
        Impl::check::Accesses::are_its);
    auto const& buffers = m_plan.buffers.in_kernels();
    auto const stored   = Impl::StoredCopies::of<Impl::ExchangeSpace>(view);
    begin_call(call, Impl::Halves::together, Impl::ElementShape(fields));
    expect_same_shape(
        call,
        Impl::tell_blocks(exec, call, buffers, m_plan.owned, fields, places,
                          Impl::Halves::together, nullptr, stored));
    m_call = nullptr;
    if (ghosts.needs_outbox || !stored.have(ghosts.thin_axes)) {
      Impl::copy_chunks<Impl::CopyWay::from_block>(
          exec, call, buffers, ghosts, fields, places, false, true, stored);
    }
    wait_for_messages(exec, call);
  }

  /// Combines each owned element with all its ghosts on other PEs, component by
  /// component: element = op(element, ghost). The ghosts are combined in the
  /// order of the PE numbers, then of each PE's list, so results have the same
  /// bits in each run. Ghosts do not change. In all other respects, scatter()
  /// is like gather().
  /// \param op Sum, Prod, Min, Max, Replace, ... or any trivially copyable
  ///        function object that kernels can call.
  template <Impl::ExecutionSpace Exec, class Op, class... Views>
  void scatter(Exec const& exec, Op const& op, Views const&... views) {
    begin(exec, scatter_name, Impl::Halves::together, from_ghosts, views...);
    end_scatter(exec, op, views...);
  }
  template <Impl::ExecutionSpace Exec, class... Views>
  void begin_scatter(Exec const& exec, Views const&... views) {
    begin(exec, scatter_name, Impl::Halves::apart, from_ghosts, views...);
  }
  template <Impl::ExecutionSpace Exec, class Op, class... Views>
  [[gnu::noinline]] void end_scatter(Exec const& exec, Op const& op,
                                     Views const&... views) {
    auto const fields   = receive(exec, scatter_name, from_ghosts, views...);
    auto const& buffers = m_plan.buffers.in_kernels();
    if constexpr (Impl::runs_on_host_v<Exec>) {
      if (is_in_order(exec)) {
        for_each_part(fields, from_ghosts.received, [&](auto const&... part) {
          Impl::copy_chunks<Impl::CopyWay::from_block>(
              exec, scatter_name, buffers, part..., false, false,
              Impl::StoredCopies{}, op);
        });
        return;
      }
    }
    for_each_elements(
        fields,
        [&](auto const&... part) {
          Impl::combine_ghosts(exec, scatter_name, buffers, part..., op);
        },
        from_ghosts.received);
    wait_for_messages(exec, scatter_name);
  }

  /// Makes room for elements of `bytes` bytes, summed over all Views in a call.
  /// The call is collective over the world, and waits for kernels on this PE.
  /// Only plans over the world grow by themselves.
  /// \throws UsageError on every PE if PEs pass different sizes or different
  ///         plans, or if an exchange has begun on a PE and not ended;
  ///         OutOfMemory or SystemError on every PE. Nothing changes then.
  void reserve(std::size_t bytes) {
    m_plan.make_room("symm::ExchangePlan::reserve", bytes, m_call);
  }

 private:
  // (Exchanges are not inlined. Otherwise GCC 12 would generate slower code for
  // the caller's kernels next to the exchanges: 5 % slower in cg_solve.)

  static constexpr char const* gather_name  = "symm::ExchangePlan::gather";
  static constexpr char const* scatter_name = "symm::ExchangePlan::scatter";

  /// Which elements are sent, and which are set.
  struct Way {
    Impl::SideOfPlan sent;
    Impl::SideOfPlan received;
  };
  static constexpr Way from_owned{&Impl::PlanElements::owned,
                                  &Impl::PlanElements::ghosts};
  static constexpr Way from_ghosts{&Impl::PlanElements::ghosts,
                                   &Impl::PlanElements::owned};

  /// Whether chunks are unpacked one after the other.
  template <class Exec>
  static bool is_in_order(Exec const& exec) {
    return Impl::runs_on_host_v<Exec> && exec.concurrency() == 1;
  }
  /// The host waits for a GPU's exchange between nodes if the data are in GPU
  /// memory and no graph records the exchange. Otherwise a program that then
  /// frees memory (cudaFree) would hang: the driver waits for the kernels, the
  /// kernels wait for a thread of the library, and that thread waits for the
  /// driver.
  template <class Exec>
  void wait_for_messages(Exec const& exec, char const* call) const {
    if constexpr (!Impl::runs_on_host_v<Exec>) {
      auto const& buffers = m_plan.buffers.in_kernels();
      if (m_plan.owned.needs_outbox && !buffers.uses_host &&
          !Impl::is_captured(exec))
        exec.fence(call);
    }
  }

  template <class Lists>
  static ExchangePlan make(char const* call, PeTeam const& team,
                           Lists const& make_lists) {
    Impl::Observed const observed([=] { return operation(call); });
    std::vector<Impl::ExchangeLists> lists(1);
    auto failure = Impl::failure_of([&] {
      if (team.is_valid()) lists[0] = make_lists();
    });
    return made_of(call, team, std::move(lists), std::move(failure));
  }
  static Impl::Operation operation(char const* call) {
    return {Impl::OperationKind::collective, call};
  }
  static ExchangePlan made_of(char const* call, PeTeam const& team,
                              std::vector<Impl::ExchangeLists> lists,
                              std::optional<Impl::Failure> failure) {
    ExchangePlan plan;
    plan.m_plan = Impl::PlanBlocks::make(call, std::move(lists), team,
                                         std::move(failure));
    return plan;
  }

  /// Returns the list in memory that the host reaches.
  template <class List>
  static auto on_host(List const& list) {
    static_assert(Kokkos::is_view_v<List> && List::rank() == 1 &&
                      std::is_integral_v<typename List::value_type>,
                  "a list is a Kokkos::View of rank 1 of integers");
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list);
  }
  template <class List>
  static Impl::Integers integers(List const& list) {
    return {list.data(), list.extent(0), list.stride(0)};
  }

  /// The fields of the Views, or the fields of each joined plan's Views.
  /// \throws UsageError on this PE.
  template <class... Views>
  auto fields_of(char const* call, Views const&... views) const {
    static_assert(sizeof...(Views) > 0, "an exchange needs a View");
    if constexpr ((Impl::is_views_of_plan_v<Views> || ...)) {
      static_assert((Impl::is_views_of_plan_v<Views> && ...),
                    "pass symm::of_plan() of all Views, or of none");
      return Impl::joined_fields_of(call, m_plan, views...);
    } else {
      if (m_plan.n_joined() > 1) {
        throw UsageError(std::string(call) + ": the plan is of " +
                         std::to_string(m_plan.n_joined()) +
                         " that are joined: pass symm::of_plan(k, views...)");
      }
      return Impl::all_fields_of(call, m_plan.extents,
                                 std::max(m_plan.owned.end, m_plan.ghosts.end),
                                 views...);
    }
  }
  /// Checks the call and makes room, before anything is sent.
  /// \returns the fields of the Views.
  template <class... Views>
  auto start(char const* call, Views const&... views) {
    if (m_call != nullptr) {
      throw UsageError(std::string(call) + ": " + m_call +
                       " of this plan has begun and not ended");
    }
    auto const fields = fields_of(call, views...);
    make_room(call, max_bytes(fields));
    return fields;
  }

  /// The number of bytes of the largest element in any one plan.
  template <class Fields>
  static std::size_t max_bytes(Fields const& fields) {
    if constexpr (Impl::are_joined_v<Fields>) {
      return fields.max_bytes();
    } else {
      return fields.bytes();
    }
  }
  /// Calls body(elements, fields, places of their blocks) for each plan that
  /// has fields.
  template <class Fields, class Body>
  void for_each_elements(Fields const& fields, Body const& body,
                         Impl::SideOfPlan side) const {
    if constexpr (Impl::are_joined_v<Fields>) {
      auto places = fields.places(m_plan, side);
      fields.for_each([&](std::size_t k, auto const& its) {
        places.number = static_cast<std::uint32_t>(k);
        body(m_plan.joined(k), its, places);
      });
    } else {
      body(static_cast<Impl::PlanElements const&>(m_plan), fields,
           Impl::PlacesOfPlan{fields.bytes()});
    }
  }
  /// Calls body(side, fields, places) for each plan that has fields.
  template <class Fields, class Body>
  void for_each_part(Fields const& fields, Impl::SideOfPlan side,
                     Body const& body) const {
    for_each_elements(
        fields,
        [&](Impl::PlanElements const& elements, auto const& its,
            auto const& places) { body(elements.*side, its, places); },
        side);
  }

  /// (For joined plans, the bytes are counted as if all elements had all
  /// fields.)
  template <class Fields>
  Impl::Operation operation(char const* call, Way way,
                            Fields const& fields) const {
    return {Impl::OperationKind::collective, call, -1,
            fields.bytes() * (m_plan.*way.sent).elements.extent(0)};
  }
  /// \param begun is passed on to PlanBlocks::make_room().
  void make_room(char const* call, std::size_t bytes,
                 char const* begun = nullptr) {
    bool const has_neighbours = m_plan.owned.blocks.size() > 0;
    if (bytes <= m_plan.room || (!has_neighbours && !m_plan.is_of_world))
      return;
    if (!m_plan.is_of_world) {
      throw UsageError(std::string(call) + ": elements of " +
                       std::to_string(bytes) +
                       " bytes in a plan of a PE team with room for " +
                       std::to_string(m_plan.room) +
                       ": call reserve() on all PEs of the world first");
    }
    m_plan.make_room(call, bytes, begun);
  }

  template <class Exec, class... Views>
  [[gnu::noinline]] void begin(Exec const& exec, char const* call,
                               Impl::Halves halves, Way way,
                               Views const&... views) {
    auto const fields = start(call, views...);
    Impl::Observed const observed([&] { return operation(call, way, fields); },
                                  Impl::check::Accesses::are_its);
    begin_call(call, halves, Impl::ElementShape(fields));
    auto const& buffers = m_plan.buffers.in_kernels();
    auto const& sent    = m_plan.*way.sent;
    if constexpr (Impl::are_joined_v<std::remove_cvref_t<decltype(fields)>>) {
      if (sent.blocks.size() == 0) return;
      for_each_part(fields, way.sent, [&](auto const&... part) {
        Impl::copy_chunks<Impl::CopyWay::to_block>(exec, call, buffers,
                                                   part...);
      });
      expect_same_shape(
          call, Impl::tell_blocks(exec, call, buffers, sent, fields,
                                  fields.places(m_plan, way.sent), halves));
    } else {
      expect_same_shape(
          call, Impl::send_blocks(exec, call, buffers, sent, fields, halves));
    }
  }

  template <class Exec, class... Views>
  auto receive(Exec const& exec, char const* call, Way way,
               Views const&... views) {
    // (The name of a call has a unique address only within a source file.)
    if (m_call == nullptr || std::string_view(m_call) != call) {
      throw UsageError(std::string(call) +
                       ": this plan has not begun such an exchange");
    }
    auto const fields = fields_of(call, views...);
    Impl::ElementShape const shape(fields);
    if (shape != m_shape) {
      throw UsageError(
          Impl::Text(call, ": the exchange has begun with Views of ",
                     Impl::ElementShape::text_of(m_shape.bits()),
                     " per element, and these have ",
                     Impl::ElementShape::text_of(shape.bits()),
                     ", or other parts: end it with the same Views"));
    }
    if (m_halves == Impl::Halves::apart) {
      expect_same_shape(
          call, Impl::await_blocks(exec, call, m_plan.buffers.in_kernels(),
                                   m_plan.*way.received, shape));
    }
    m_call = nullptr;
    return fields;
  }

  void begin_call(char const* call, Impl::Halves halves,
                  Impl::ElementShape shape) {
    m_call   = call;
    m_halves = halves;
    m_shape  = shape;
  }
  /// Called when the exchange has ended. \throws UsageError on this PE.
  void expect_same_shape(char const* call,
                         std::optional<Impl::OtherShape> const& other) {
    if (!other) return;
    m_call = nullptr;
    Impl::throw_other_shape(call, m_shape, *other);
  }

  void swap(ExchangePlan& other) noexcept {
    std::swap(m_plan, other.m_plan);
    std::swap(m_call, other.m_call);
    std::swap(m_halves, other.m_halves);
    std::swap(m_shape, other.m_shape);
  }

  Impl::PlanBlocks m_plan;

  // The call that has begun; null if no call has begun.
  char const* m_call    = nullptr;
  Impl::Halves m_halves = Impl::Halves::apart;
  Impl::ElementShape m_shape{};
};

}  // namespace symm

#endif
