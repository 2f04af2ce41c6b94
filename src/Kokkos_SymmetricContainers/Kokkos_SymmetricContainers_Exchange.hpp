// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_EXCHANGE_HPP
#define KOKKOS_SYMMETRICCONTAINERS_EXCHANGE_HPP

#include <cstddef>
#include <functional>
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
#include "exchange/ExchangeBuffers.hpp"
#include "exchange/ExchangeKernels.hpp"
#include "exchange/ExchangeLists.hpp"
#include "exchange/GhostValues.hpp"
#include "exchange/GridBoxes.hpp"
#include "exchange/JoinedFields.hpp"
#include "exchange/MakePlan.hpp"
#include "exchange/PlanBlocks.hpp"
#include "exchange/PlanExchange.hpp"
#include "exchange/Replace.hpp"
#include "exchange/SubviewLists.hpp"
#include "exchange/ViewLists.hpp"

namespace symm {

/// A plan for exchanging elements between PEs, built once and used many times.
/// Copies of a PE's owned elements on other PEs are called ghosts. gather()
/// copies owned elements to their ghosts; scatter() combines ghosts into the
/// owned elements. (Compare Cabana's Halo, Tpetra's Import and Export, and
/// PETSc's star forest.)
///
///     auto plan = symm::ExchangePlan::from_imports(n_owned, indices, pes);
///     Kokkos::View<double*> x("x", n_owned + plan.n_ghosts());
///     plan.gather(exec, x);            // x(n_owned + k) is element indices(k)
///     plan.scatter(exec, symm::Sum{}, x);  // of PE pes(k)
///
/// Views may be private or symmetric and may have any type, rank and layout.
/// One exchange can include several Views; it sends one block of bytes to each
/// neighbor. The first index of a View (for a box, the first indices) selects
/// an element. The other indices select components of the element; the number
/// of components must be the same on all PEs. The caller need not distinguish
/// near and far PEs. An exchange contains no barrier: a PE waits only for its
/// neighbors.
///
/// Only one thread may use a plan. A plan can run only one exchange at a time.
/// Plans can be moved. An empty plan has no neighbors. PEs may begin the
/// exchanges of several plans in different orders. However, exchanges that
/// allocate memory (see gather()) must begin in the same order on all PEs.
class ExchangePlan {
 public:
  ExchangePlan() = default;
  /// Moves a plan. The call is local and leaves `other` empty.
  ExchangePlan(ExchangePlan&& other) noexcept            = default;
  ExchangePlan& operator=(ExchangePlan&& other) noexcept = default;
  ExchangePlan(ExchangePlan const&)                      = delete;
  ExchangePlan& operator=(ExchangePlan const&)           = delete;
  ~ExchangePlan()                                        = default;

  // The following functions create plans. They are collective over the world
  // because they allocate symmetric memory. Each PE passes its own PE team, and
  // PE numbers are relative to that PE team; different PE teams can create
  // different plans in the same call. A PE that does not take part passes
  // PeTeam() and empty lists. These functions throw on every PE: UsageError,
  // which names the PE and the element, if a list is invalid; OutOfMemory; or
  // SystemError. Lists are rank-1 Views of integers in any memory.

  /// Creates a plan in which PE pes(k) receives a copy of this PE's element
  /// ids(k). Ghosts are stored after the owned elements, grouped by owner and,
  /// within each group, in the order of the owner's list.
  /// \param n_owned number of elements on this PE that may be sent; their ids
  ///        must be less than n_owned.
  template <class Ids, class Pes>
  [[nodiscard]] static ExchangePlan from_exports(
      std::size_t n_owned, Ids const& ids, Pes const& pes,
      PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_exports";
    return make(call, team, [&] {
      return Impl::lists_of_export_views(call, n_owned, ids, pes, team.n_pes());
    });
  }

  /// Creates a plan in which this PE's element n_owned + k is a copy of element
  /// indices(k) on PE pes(k).
  /// \param n_owned number of elements on this PE that other PEs may import.
  template <class Indices, class Pes>
  [[nodiscard]] static ExchangePlan from_imports(
      std::size_t n_owned, Indices const& indices, Pes const& pes,
      PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_imports";
    return make(call, team, [&] {
      return Impl::lists_of_import_views(call, n_owned, indices, pes,
                                         team.n_pes());
    });
  }

  /// Creates a plan in which this PE's element places(k) is a copy of element
  /// indices(k) on PE pes(k). The entries of `places` should be distinct: if
  /// several copies are stored in the same element, any one of them may remain.
  template <class Indices, class Pes, class Places>
  requires Kokkos::is_view_v<Places>
  [[nodiscard]] static ExchangePlan from_imports(
      std::size_t n_owned, Indices const& indices, Pes const& pes,
      Places const& places, PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_imports";
    return make(call, team, [&] {
      return Impl::lists_of_import_views(call, n_owned, indices, pes, places,
                                         team.n_pes());
    });
  }

  /// Creates a plan in which the ghost cells of a box are copies of cells in
  /// neighboring boxes. The Views in an exchange have one index per axis,
  /// followed by component indices.
  [[nodiscard]] static ExchangePlan from_box(
      BoxDecomposition const& box, PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_box";
    return make(call, team, [&] {
      return Impl::lists_of_box(call, box, team.my_pe(), team.n_pes());
    });
  }

  /// Creates a plan in which the ghosts of each box are copies of points in
  /// other boxes of the grid. If several boxes contain a point, it is a copy in
  /// all of them except the first. The Views in an exchange have a box index
  /// and one index per axis, followed by component indices.
  [[nodiscard]] static ExchangePlan from_boxes(
      GridBoxes const& boxes, PeTeam const& team = team_world()) {
    return ExchangePlan(Impl::make_plan_of_boxes(
        "symm::ExchangePlan::from_boxes", team, boxes));
  }

  /// Creates a plan from subviews of `view`. PE sent[k].pe receives a copy of
  /// the elements in sent[k].part. The elements in filled[k].part are copies of
  /// elements on PE filled[k].pe. Two PEs that exchange parts must list these
  /// parts in the same order. The Views in an exchange have `view`'s extents,
  /// followed by the extents of the component indices.
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

  /// Joins up to 8 plans into one plan, whose exchanges send one block to each
  /// neighbor. A block for a far neighbor is a single message. The plans may be
  /// for Views with different extents, such as fields in cells, on faces and at
  /// nodes. Pass symm::of_plan(k, views...) to an exchange for each plan `k`
  /// that takes part in it. All PEs must pass the same plans:
  ///
  ///     auto all = symm::ExchangePlan::joined({cells, nodes});
  ///     all.gather(exec, symm::of_plan(0, density, energy),
  ///                symm::of_plan(1, velocity));
  ///
  /// The call copies the plans; the originals may still be used or may be
  /// destroyed. Pass the largest element size of any joined plan to the new
  /// plan's reserve(). Exchanges of joined plans pack the Views even if the
  /// elements in a View are contiguous.
  /// \param plans the same number of plans on all PEs of the job, in the same
  ///        order on all PEs of the PE team.
  /// \param team the PE team for which the plans were created.
  [[nodiscard]] static ExchangePlan joined(
      std::vector<std::reference_wrapper<ExchangePlan const>> const& plans,
      PeTeam const& team = team_world()) {
    return ExchangePlan(Impl::join_plans(
        "symm::ExchangePlan::joined", team, [&](auto const& append) {
          for (ExchangePlan const& original : plans) append(original.plan());
        }));
  }

  /// Number of ghosts on this PE; for joined plans, the total.
  [[nodiscard]] std::size_t n_ghosts() const {
    auto n = plan().ghosts.elements.extent(0);
    for (auto const& other : plan().others)
      n += other.ghosts.elements.extent(0);
    return n;
  }

  /// The owners of the ghosts in a plan created by from_exports(). Element k of
  /// the result is the owner of ghost k (element n_owned + k of the Views), as
  /// a PE number in the PE team. (For imports, the caller already knows the
  /// owners.) The call is local.
  /// \throws UsageError on this PE if the plan was not created by
  ///         from_exports().
  [[nodiscard]] Kokkos::View<int*, Impl::ExchangeMemory> ghost_owners() const {
    plan().expect_exports("symm::ExchangePlan::ghost_owners");
    return Impl::owners_of_ghosts(plan());
  }

  /// Sends each ghost a value from its owner, such as a periodic shift, an
  /// image number or an ID. An element that is exported twice to a PE has two
  /// ghosts on that PE, each with its own value. The call performs a gather()
  /// and also constructs lists, so call tell_ghosts() only once, when you
  /// create the plan.
  ///
  ///     auto plan   = symm::ExchangePlan::from_exports(n_owned, ids, pes);
  ///     auto shifts = plan.tell_ghosts(exec, pes, its_shifts);
  ///     // shifts(k) is the value of ghost n_owned + k
  ///
  /// All PEs of the PE team must make the call. It waits for kernels on `exec`.
  /// \param pes the list that was passed to from_exports().
  /// \param values a rank-1 View with one value per export. The values' type
  ///        must be trivially copyable and the same on all PEs.
  /// \returns the value of each ghost, in the order of ghost_owners().
  /// \throws UsageError on this PE if the plan was not created by
  ///         from_exports(), if `pes` is not the list passed to from_exports(),
  ///         or in the same cases as gather(). In these cases, this PE has sent
  ///         nothing, and its neighbors wait until it repeats the call.
  ///         OutOfMemory on this PE.
  template <Impl::ExecutionSpace Exec, class Pes, class Values>
  [[nodiscard]] auto tell_ghosts(Exec const& exec, Pes const& pes,
                                 Values const& values) {
    constexpr char const* call = "symm::ExchangePlan::tell_ghosts";
    static_assert(Kokkos::is_view_v<Values> && Values::rank() == 1,
                  "symm::ExchangePlan::tell_ghosts: the values must be a "
                  "Kokkos::View of rank 1 with one value for each export");
    using T = typename Values::non_const_value_type;
    plan().expect_exports(call);
    auto const its_pes = Impl::list_on_host(pes);
    auto const all     = Impl::values_of_exports(
            call, plan(), Impl::integers_of(its_pes), values, n_ghosts());
    Impl::with_exports(exec, call, m_exchange.plan(),
                       [&] { gather(exec, all); });
    auto const n = all.extent(0);
    return Kokkos::View<T*, Impl::ExchangeMemory>(
        Kokkos::subview(all, std::pair(n - n_ghosts(), n)));
  }

  /// Copies owned elements of the Views to their ghosts on other PEs. All PEs
  /// of the PE team must make the call, with Views that have the same number of
  /// bytes per element on all PEs.
  ///
  /// To choose the Views at run time, pass a std::vector<View>, or a std::span
  /// or std::array of Views, in place of a View. Pass one such range for each
  /// View type, alone or with other arguments. A range may be empty. PEs need
  /// not group their Views in the same way: other PEs may pass the Views of a
  /// range as separate arguments.
  ///
  /// The exchange runs in order with the kernels on `exec`. If `exec` runs on a
  /// GPU, the host does not wait. (Exception: if PEs share a GPU without MPS,
  /// or if there is no SymmetricHostSpace, the host waits for exchanges with
  /// other nodes unless a graph records them. Do not free memory between the
  /// two halves of such an exchange.) If `exec` runs on the host, ghosts are
  /// complete on return. The call allocates memory only if an element is larger
  /// than 8 bytes and larger than in all earlier calls. A call that allocates
  /// is collective over the world (see reserve()).
  ///
  /// \throws UsageError on this PE, before it sends anything, if a View or the
  ///         buffers of a PE team's plan are too small, or if an exchange has
  ///         begun but not ended. UsageError on this PE, after the exchange, if
  ///         a neighbor passed elements of a different size. (On a GPU, the
  ///         waiting kernel aborts the job instead; if PEs share a GPU without
  ///         MPS, this is not checked.) Also the errors of reserve().
  template <Impl::ExecutionSpace Exec, class... Views>
  void gather(Exec const& exec, Views const&... views) {
    m_exchange.begin(exec, gather_name, Impl::Halves::together,
                     Impl::PlanExchange::from_owned, views...);
    end_gather(exec, views...);
  }
  /// The first half of gather(), which sends owned elements. The program may
  /// change owned elements once all work on `exec` up to and including this
  /// call is complete.
  template <Impl::ExecutionSpace Exec, class... Views>
  void begin_gather(Exec const& exec, Views const&... views) {
    m_exchange.begin(exec, gather_name, Impl::Halves::apart,
                     Impl::PlanExchange::from_owned, views...);
  }
  /// The second half of gather(), which waits for the neighbors and then fills
  /// the ghosts.
  /// \throws UsageError on this PE if the Views have a different number of
  ///         bytes per element than the Views passed to begin_gather(). In that
  ///         case, call end_gather() again with the original Views. Also the
  ///         errors of gather().
  template <Impl::ExecutionSpace Exec, class... Views>
  void end_gather(Exec const& exec, Views const&... views) {
    m_exchange.end_gather(exec, gather_name, views...);
  }

  /// Returns targets that let kernels store the neighbors' copies of cells
  /// while they compute the cells; gather_stored() then completes the exchange.
  /// This saves a second pass over the cells, and near PEs need not unpack
  /// cells. The plan must be for a box whose number of axes equals the View's
  /// rank. The targets are valid until the plan enlarges its buffers, that
  /// is, until an exchange of larger elements or a call to reserve().
  ///
  ///     auto const targets = plan.targets(u);
  ///     // in the kernel that sets u(i, j, k):
  ///     for (auto const& target : targets)
  ///       if (target.has(i, j, k)) target(i, j, k) = u(i, j, k);
  ///
  /// Kernels store directly into the ghosts on near PEs, so the program must
  /// alternate between two Views: between two gathers of one View, it must
  /// gather the other. Before that gather, it must finish reading the ghosts of
  /// the first View.
  ///
  /// \tparam most maximum number of directions; 6 suffice for the faces of a
  ///         box. (On a GPU, a kernel with more than 512 bytes of arguments
  ///         takes longer to launch.)
  /// \param view a symmetric View with the same layout on all PEs.
  /// \throws UsageError on this PE if the plan is not for a box whose number of
  ///         axes equals the View's rank, or if the View is too small.
  ///         UsageError on this PE if the box has more than `most` directions.
  ///         Also the errors of reserve().
  template <std::size_t most = 26, class View>
  [[nodiscard]] BoxTargets<typename View::value_type, most> targets(
      View const& view) {
    constexpr char const* call = "symm::ExchangePlan::targets";
    static_assert(is_symmetric_space_v<typename View::memory_space>,
                  "symm::ExchangePlan::targets: the View must be in a "
                  "symmetric space: kernels store to its copies on other PEs");
    Impl::expect_box_of<most>(call, plan(), view);
    m_exchange.make_room(call, sizeof(typename View::value_type));
    return Impl::targets_of<most>(plan(), view);
  }
  /// Completes a gather() of one View after kernels on `exec` have stored all
  /// copies to targets(view).
  template <Impl::ExecutionSpace Exec, class View>
  void gather_stored(Exec const& exec, View const& view) {
    m_exchange.gather_stored(exec, "symm::ExchangePlan::gather_stored", view);
  }

  /// Combines each owned element with all its ghosts on other PEs, component by
  /// component: element = op(element, ghost). The ghosts are combined in the
  /// order of PE numbers, then in the order of each PE's list, so results are
  /// bitwise identical in every run. Ghosts do not change. Otherwise, scatter()
  /// is like gather().
  /// \param op Sum, Prod, Min, Max, Replace, ... or any trivially copyable
  ///        function object that kernels can call.
  template <Impl::ExecutionSpace Exec, class Op, class... Views>
  void scatter(Exec const& exec, Op const& op, Views const&... views) {
    m_exchange.begin(exec, scatter_name, Impl::Halves::together,
                     Impl::PlanExchange::from_ghosts, views...);
    end_scatter(exec, op, views...);
  }
  template <Impl::ExecutionSpace Exec, class... Views>
  void begin_scatter(Exec const& exec, Views const&... views) {
    m_exchange.begin(exec, scatter_name, Impl::Halves::apart,
                     Impl::PlanExchange::from_ghosts, views...);
  }
  template <Impl::ExecutionSpace Exec, class Op, class... Views>
  void end_scatter(Exec const& exec, Op const& op, Views const&... views) {
    m_exchange.end_scatter(exec, scatter_name, op, views...);
  }

  /// Allocates buffers for `bytes`-byte elements; `bytes` is the sum over all
  /// Views passed to an exchange. The call is collective over the world and
  /// waits for kernels on this PE. Only plans over the world enlarge their
  /// buffers automatically.
  /// \throws UsageError on every PE if PEs pass different sizes or different
  ///         plans, or if an exchange has begun but not ended on any PE;
  ///         OutOfMemory or SystemError on every PE. In these cases, nothing
  ///         changes.
  void reserve(std::size_t bytes) {
    m_exchange.reserve("symm::ExchangePlan::reserve", bytes);
  }

 private:
  static constexpr char const* gather_name  = "symm::ExchangePlan::gather";
  static constexpr char const* scatter_name = "symm::ExchangePlan::scatter";

  explicit ExchangePlan(Impl::PlanBlocks plan) : m_exchange(std::move(plan)) {}

  [[nodiscard]] Impl::PlanBlocks const& plan() const {
    return m_exchange.plan();
  }

  template <class MakeLists>
  static ExchangePlan make(char const* call, PeTeam const& team,
                           MakeLists const& make_lists) {
    return ExchangePlan(Impl::make_plan(call, team, make_lists));
  }

  Impl::PlanExchange m_exchange;
};

}  // namespace symm

#endif
