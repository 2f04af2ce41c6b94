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
#include "exchange/BoxTargets.hpp"
#include "exchange/ExchangeKernels.hpp"
#include "exchange/ExchangeLists.hpp"
#include "exchange/Fields.hpp"
#include "exchange/GridBoxes.hpp"
#include "exchange/JoinedFields.hpp"
#include "exchange/PlanBlocks.hpp"
#include "exchange/Replace.hpp"
#include "exchange/SubviewLists.hpp"

namespace symm {

/// An exchange of elements between PEs, made once and used again and again:
/// owned elements of PEs have copies on others, the ghosts. gather() copies
/// owned elements to their ghosts, scatter() combines ghosts into the owned
/// elements. (Cabana's Halo, Tpetra's Import and Export, PETSc's star forest.)
///
///     auto plan = symm::ExchangePlan::from_imports(n_owned, indices, pes);
///     Kokkos::View<double*> x("x", n_owned + plan.n_ghosts());
///     plan.gather(exec, x);            // x(n_owned + k) is element indices(k)
///     plan.scatter(exec, symm::Sum{}, x);  // of PE pes(k)
///
/// Views are private or symmetric ones of any type, rank and layout. Several go
/// in one exchange, with one block of bytes to each neighbour. The first index
/// of a View, or the first ones for a box, finds an element; the others find
/// its components, of which all PEs have equal numbers. Near and far PEs are
/// alike to the caller. There is no barrier: a PE waits for its neighbours.
///
/// A plan is used by one thread, has one exchange at a time, and can be moved.
/// An empty one has no neighbours. PEs may begin exchanges of several plans in
/// different orders; those that make room (see gather()) in one order.
class ExchangePlan {
 public:
  ExchangePlan() = default;
  /// Local. The other plan is an empty one then.
  ExchangePlan(ExchangePlan&& other) noexcept { swap(other); }
  ExchangePlan& operator=(ExchangePlan&& other) noexcept {
    ExchangePlan(std::move(other)).swap(*this);
    return *this;
  }
  ExchangePlan(ExchangePlan const&)            = delete;
  ExchangePlan& operator=(ExchangePlan const&) = delete;
  ~ExchangePlan()                              = default;

  // Plans are made by all PEs: collective over the world, as symmetric memory
  // is allocated. Each PE passes its own PE team, and the numbers of PEs are
  // those in it. Other teams make other plans in the same call; a PE that takes
  // no part passes PeTeam() and empty lists. All throw, on every PE, UsageError
  // that names the PE and the element, if a list is wrong; OutOfMemory,
  // SystemError. Lists are Views of integers of rank 1 in any memory.

  /// PE pes(k) gets a copy of my element ids(k). Ghosts come behind the owned
  /// elements, those of one PE after the other, in the order of its list.
  /// \param n_owned elements of this PE that may be sent: ids are below it.
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

  /// I get a copy of element indices(k) of PE pes(k), at n_owned + k.
  /// \param n_owned elements of this PE that others may import.
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

  /// The same, but the copy goes to element places(k). Places should differ: of
  /// several copies to one, any stays.
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

  /// The ghost cells of a box are copies of its neighbours' cells. Views have
  /// an index for each axis, then indices of components.
  [[nodiscard]] static ExchangePlan from_box(
      BoxDecomposition const& box, PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_box";
    return make(call, team, [&] {
      return Impl::lists_of_box(call, box, team.my_pe(), team.n_pes());
    });
  }

  /// The ghosts of each box are copies of points of other boxes of the grid,
  /// and so are points that an earlier box has, too. Views have an index of the
  /// box, an index for each axis, then indices of components.
  [[nodiscard]] static ExchangePlan from_boxes(
      GridBoxes const& boxes, PeTeam const& team = team_world()) {
    constexpr char const* call = "symm::ExchangePlan::from_boxes";
    Impl::Observed const observed([=] { return operation(call); });
    std::optional<Impl::Failure> failure;
    std::vector<Impl::ExchangeLists> lists(1);
    lists[0] = Impl::lists_of_boxes(call, boxes, team, failure);
    return made_of(call, team, std::move(lists), std::move(failure));
  }

  /// PE sent[k].pe gets a copy of the elements sent[k].part, and the elements
  /// filled[k].part are copies of PE filled[k].pe's: subviews of `view`. Both
  /// PEs list their parts in the same order. Views have the extents of `view`,
  /// then indices of components.
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

  /// Several plans, 8 at most, whose exchanges go together: one block to each
  /// neighbour, which is one message to a far one. They may be of Views of
  /// other extents, such as fields in cells, on faces and at nodes. Exchanges
  /// take symm::of_plan(k, views...) for those of them that have Views in the
  /// call, the same ones on all PEs:
  ///
  ///     auto all = symm::ExchangePlan::joined({cells, nodes});
  ///     all.gather(exec, symm::of_plan(0, density, energy),
  ///                symm::of_plan(1, velocity));
  ///
  /// The plans are copied, and may be used or destroyed. Room, here and in
  /// reserve(), is for an element of that plan of which it has most bytes.
  /// Their Views are packed, also if one alone is a run of elements.
  /// \param plans as many on all PEs of the job, in the same order on those of
  ///        the team. \param team that of the plans.
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

  /// Ghosts of this PE, of all plans that are joined.
  [[nodiscard]] std::size_t n_ghosts() const {
    auto n = m_plan.ghosts.elements.extent(0);
    for (auto const& its : m_plan.others) n += its.ghosts.elements.extent(0);
    return n;
  }

  /// The owner of ghost k of from_exports(), which is element n_owned + k, by
  /// its number in the PE team. (Who imports, knows the owners.) Local.
  /// \throws UsageError on this PE, if the plan is another one.
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

  /// Tells each ghost what its owner knows of it: a periodic shift, the number
  /// of an image, an id. An element that is exported twice to a PE has two
  /// ghosts there, with a value each. In the time of a gather() and of making
  /// lists, once: call it when the plan is made.
  ///
  ///     auto plan   = symm::ExchangePlan::from_exports(n_owned, ids, pes);
  ///     auto shifts = plan.tell_ghosts(exec, pes, its_shifts);
  ///     // of ghost n_owned + k: shifts(k)
  ///
  /// All PEs of the PE team call. Waits for `exec`.
  /// \param pes the list that from_exports() was given.
  /// \param values a View of rank 1, a value for each export, of a trivially
  ///        copyable type that is the same on all PEs.
  /// \returns the value of each ghost, as ghost_owners() counts them.
  /// \throws UsageError on this PE, before it has sent anything, if the list is
  ///         another one, the plan is not of from_exports(), or as gather().
  ///         (Its neighbours wait then, until it calls again.) OutOfMemory on
  ///         this PE.
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
  /// of the PE team call, with Views that have equal bytes per element.
  ///
  /// Where Views are chosen at run time, pass a std::vector<View>, a std::span
  /// or a std::array of them in the place of a View, beside others or alone,
  /// one for each type of Views; it may be empty. For other PEs it is the same
  /// as all these Views one by one.
  ///
  /// In order with the kernels of `exec`. The host does not wait if it is a
  /// GPU's. (Where PEs share a GPU without MPS, or SymmetricHostSpace is not
  /// there, it waits for exchanges with other nodes that no graph records:
  /// between begin and end of such a one, free no memory.) On return from an
  /// instance of the host, ghosts are complete.
  /// Allocates only if an element has more than 8 bytes, and more than in all
  /// calls before: then the call is collective over the world, see reserve().
  ///
  /// \throws UsageError on this PE, before it has sent anything, if a View is
  ///         too small, an exchange has begun and not ended, or the plan of a
  ///         PE team has no room; on this PE, after the exchange, if a
  ///         neighbour has passed elements of other bytes (kernels that wait on
  ///         a GPU end the job; where PEs share a GPU without MPS, nobody
  ///         looks); as reserve().
  template <Impl::ExecutionSpace Exec, class... Views>
  void gather(Exec const& exec, Views const&... views) {
    begin(exec, gather_name, Impl::Halves::together, from_owned, views...);
    end_gather(exec, views...);
  }
  /// The first half of gather(): sends. Owned elements may be changed when the
  /// work of `exec` up to here is done.
  template <Impl::ExecutionSpace Exec, class... Views>
  void begin_gather(Exec const& exec, Views const&... views) {
    begin(exec, gather_name, Impl::Halves::apart, from_owned, views...);
  }
  /// The second half: waits for the neighbours, fills the ghosts.
  /// \throws UsageError on this PE, if the Views have other bytes per element
  ///         than those of begin_gather(): call it again with these. As
  ///         gather().
  template <Impl::ExecutionSpace Exec, class... Views>
  [[gnu::noinline]] void end_gather(Exec const& exec, Views const&... views) {
    auto const fields = receive(exec, gather_name, from_owned, views...);
    for_each_part(fields, from_owned.received, [&](auto const&... part) {
      Impl::copy_chunks<Impl::CopyWay::from_block>(
          exec, gather_name, m_plan.buffers.in_kernels(), part...);
    });
    wait_for_messages(exec, gather_name);
  }

  /// The places to which kernels store copies of cells as they compute them,
  /// for gather_stored(): no second pass over the cells, and nothing to unpack
  /// from near PEs. The plan is of a box, which has as many axes as the View.
  /// They are valid until the plan makes more room: until an exchange of larger
  /// elements, or reserve().
  ///
  ///     auto const targets = plan.targets(u);
  ///     // in the kernel that sets u(i, j, k):
  ///     for (auto const& target : targets)
  ///       if (target.has(i, j, k)) target(i, j, k) = u(i, j, k);
  ///
  /// Kernels store to the ghosts of near PEs, so two Views are needed in turn:
  /// between two gathers of one View there is a gather of another, before which
  /// the ghosts of the first have been read for the last time.
  ///
  /// \tparam most directions: 6 suffice for the faces of a box. (A kernel with
  ///         arguments of more than 512 bytes takes longer to start on a GPU.)
  /// \param view symmetric, of equal layout on all PEs.
  /// \throws UsageError on this PE, if the plan is not of such a box, or has
  ///         more directions, or the View is too small; as reserve().
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
  /// gather() of a View of which kernels of `exec` have stored all copies to
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
  /// component: element = op(element, ghost), in the order of the PEs' numbers
  /// and of their lists. Results have the same bits in each run. Ghosts keep
  /// their values. Otherwise as gather().
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
        [&](Impl::PlanElements const& elements, auto const& its,
            auto const& places) {
          auto const& to = elements.contributions;
          Impl::for_each_group(its, [&](auto const& group, std::size_t before) {
            Impl::run_in_chain(
                exec, scatter_name, to.elements.size(),
                Impl::Combine<Op, std::remove_cvref_t<decltype(group)>,
                              std::remove_cvref_t<decltype(places)>>{
                    buffers, elements.owned.blocks.data(), to.elements.data(),
                    to.firsts.data(), to.from.data(), places, before, op,
                    group});
          });
        },
        from_ghosts.received);
    wait_for_messages(exec, scatter_name);
  }

  /// Makes room for elements of `bytes` bytes, those of all Views of a call
  /// together. Collective over the world: only the plans of the world grow by
  /// themselves. Waits for kernels of this PE.
  /// \throws UsageError on every PE, if PEs pass other sizes or other plans, or
  ///         an exchange has begun on one and not ended; OutOfMemory,
  ///         SystemError on every PE. Nothing changes then.
  void reserve(std::size_t bytes) {
    m_plan.make_room("symm::ExchangePlan::reserve", bytes, m_call);
  }

 private:
  // (Exchanges are not inlined: GCC 12 makes slower code of the caller's
  // kernels beside them, 5 % in cg_solve.)

  static constexpr char const* gather_name  = "symm::ExchangePlan::gather";
  static constexpr char const* scatter_name = "symm::ExchangePlan::scatter";

  /// Which elements go, and which ones are set.
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
  /// The host waits for a GPU's exchange over nodes whose data are in its
  /// memory, if no graph records it. Otherwise a program that frees memory then
  /// (cudaFree) would hang: the driver waits for the kernels, and they for a
  /// thread of the library, which waits for the driver.
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

  /// A list, where the host reaches it.
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

  /// The fields of the Views, or of those of each plan that is joined.
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
  /// Checks, and makes room, before anything is sent.
  /// \returns the fields of the Views.
  template <class... Views>
  auto start(char const* call, Views const&... views) {
    if (m_call != nullptr) {
      throw UsageError(std::string(call) + ": " + m_call +
                       " of this plan has begun and not ended");
    }
    auto const fields = fields_of(call, views...);
    make_room(call, most_bytes(fields));
    return fields;
  }

  /// Of an element of one plan.
  template <class Fields>
  static std::size_t most_bytes(Fields const& fields) {
    if constexpr (Impl::are_joined_v<Fields>) {
      return fields.most_bytes();
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

  /// (Bytes of joined plans: as if all elements had all of them.)
  template <class Fields>
  Impl::Operation operation(char const* call, Way way,
                            Fields const& fields) const {
    return {Impl::OperationKind::collective, call, -1,
            fields.bytes() * (m_plan.*way.sent).elements.extent(0)};
  }
  /// \param begun as PlanBlocks::make_room() takes it.
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
    // (A name of a call is one address only within a source.)
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
  /// When the exchange has ended. \throws UsageError on this PE.
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

  // Of the call that has begun; null: none.
  char const* m_call    = nullptr;
  Impl::Halves m_halves = Impl::Halves::apart;
  Impl::ElementShape m_shape{};
};

}  // namespace symm

#endif
