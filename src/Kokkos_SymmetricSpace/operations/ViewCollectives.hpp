// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_VIEWCOLLECTIVES_HPP
#define KOKKOS_SYMMETRICSPACE_VIEWCOLLECTIVES_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>
#include <cstddef>
#include <string>
#include <type_traits>

#include "../../runtime/base/Types.hpp"
#include "../../runtime/collectives/CollectiveRun.hpp"
#include "../../runtime/collectives/CollectiveWork.hpp"
#include "../../runtime/collectives/ReduceWork.hpp"
#include "../../runtime/collectives/ScanWork.hpp"
#include "../../runtime/collectives/StridedAlltoallWork.hpp"
#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/teams/PeTeam.hpp"
#include "Collectives.hpp"
#include "ViewCopy.hpp"

namespace symm::Impl {

/// Text for error messages: "label" (extent, extent).
template <class View>
std::string text_of_view(View const& view) {
  std::string text       = "\"" + view.label() + "\" (";
  std::size_t const rank = View::rank();
  for (std::size_t r = 0; r != rank; ++r) {
    text += (r == 0 ? "" : ", ") + std::to_string(view.extent(r));
  }
  return text + ")";
}

/// Describes the error in the sizes of the Views. Returns "" if there is no
/// error.
/// \param is_followed whether the sizes follow the rule.
/// \param rule the text of that rule, for the error message.
template <class Dst, class Src>
std::string problem_of_sizes(Dst const& dst, Src const& src, bool is_followed,
                             char const* rule) {
  static_assert(is_symmetric_space_v<typename Dst::memory_space> &&
                    std::is_same_v<typename Dst::memory_space,
                                   typename Src::memory_space>,
                "both Views must be in the same symmetric space: declare them "
                "as Kokkos::View<..., symm::SymmetricSpace>");
  static_assert(std::is_same_v<typename Dst::value_type,
                               typename Src::non_const_value_type>,
                "the Views must have the same element type, and the "
                "destination must not be const");
  if (is_followed) return "";
  return "Views " + text_of_view(dst) + " and " + text_of_view(src) + ": " +
         rule;
}

/// Like problem_of_sizes(), for Views that must not have gaps between their
/// elements.
template <class Dst, class Src>
std::string problem_of_views(Dst const& dst, Src const& src, bool is_followed,
                             char const* rule) {
  constexpr char const* remedy =
      " is not contiguous; pass a contiguous View, such as a copy made with "
      "Kokkos::deep_copy";
  if (!dst.span_is_contiguous()) return "View " + text_of_view(dst) + remedy;
  if (!src.span_is_contiguous()) return "View " + text_of_view(src) + remedy;
  return problem_of_sizes(dst, src, is_followed, rule);
}

/// Like problem_of_views(), for Views whose elements correspond one to one.
template <class Dst, class Src>
std::string problem_of_equal_views(Dst const& dst, Src const& src) {
  static_assert(Dst::rank() == Src::rank(),
                "the Views must have the same rank");
  bool const are_equal = have_equal_extents(dst, src);
  return problem_of_views(
      dst, src, are_equal && (dst.size() == 0 || are_equal_bytes(dst, src)),
      are_equal ? "their layouts must be equal"
                : "their extents must be equal");
}

template <class Dst, class Src>
std::string problem_of_fcollect(PeTeam const& team, Dst const& dst,
                                Src const& src) {
  auto const n = static_cast<std::size_t>(team.n_pes());
  return problem_of_views(
      dst, src, dst.size() == n * src.size(),
      "the first must have n_pes() times as many elements as the second");
}

template <class Dst, class Src>
std::string problem_of_reduce_scatter(PeTeam const& team, Dst const& dst,
                                      Src const& src) {
  auto const n = static_cast<std::size_t>(team.n_pes());
  return problem_of_views(
      dst, src, src.size() == n * dst.size(),
      "the second must have n_pes() times as many elements as the first");
}

template <class Dst, class Src>
std::string problem_of_alltoall(PeTeam const& team, Dst const& dst,
                                Src const& src) {
  auto const n = static_cast<std::size_t>(team.n_pes());
  return problem_of_views(
      dst, src, dst.size() == src.size() && (n == 0 || dst.size() % n == 0),
      "they must have the same number of elements, a multiple of n_pes()");
}

template <class Dst, class Src>
std::string problem_of_alltoalls(PeTeam const& team, Dst const& dst,
                                 Src const& src) {
  static_assert(Dst::rank() == 1 && Src::rank() == 1,
                "symm::alltoalls: both Views must have rank 1");
  auto const n       = static_cast<std::size_t>(team.n_pes());
  auto const problem = problem_of_sizes(
      dst, src, dst.size() == src.size() && (n == 0 || dst.size() % n == 0),
      "they must have the same number of elements, a multiple of n_pes()");
  return problem.empty() ? problem_of_strides(dst.stride(0), src.stride(0))
                         : problem;
}

// The host forms and the enqueued forms share these functions.

template <class Dst, class Src>
auto broadcast_work(PeTeam const& team, Dst const& dst, Src const& src,
                    Pe root) {
  using T = typename Dst::value_type;
  return BroadcastWork<T>{team, dst.data(), src.data(), src.size(), root};
}
template <class Dst, class Src>
auto fcollect_work(PeTeam const& team, Dst const& dst, Src const& src) {
  using T = typename Dst::value_type;
  return GatherWork<T, false>{team, dst.data(), src.data(), src.size()};
}
template <class Dst, class Src>
auto collect_work(PeTeam const& team, Dst const& dst, Src const& src) {
  using T = typename Dst::value_type;
  return CollectWork<T>{team, dst.data(), src.data(), src.size(),
                        dst.size() * sizeof(T)};
}
template <class Dst, class Src>
auto alltoall_work(PeTeam const& team, Dst const& dst, Src const& src) {
  using T      = typename Dst::value_type;
  auto const n = static_cast<std::size_t>(team.n_pes());
  return GatherWork<T, true>{team, dst.data(), src.data(),
                             n == 0 ? 0 : src.size() / n};
}
template <class Dst, class Src>
auto alltoalls_work(PeTeam const& team, Dst const& dst, Src const& src) {
  using T      = typename Dst::value_type;
  auto const n = static_cast<std::size_t>(team.n_pes());
  return StridedAlltoallWork<T>{team,          dst.data(),
                                src.data(),    dst.stride(0),
                                src.stride(0), n == 0 ? 0 : src.size() / n};
}
template <class Dst, class Src, class Op>
auto reduce_work(PeTeam const& team, Dst const& dst, Src const& src, Op op) {
  using T = typename Dst::value_type;
  return ReduceWork<T, Op>{team, dst.data(), src.data(), src.size(), op};
}
template <class Dst, class Src, class Op>
auto reduce_scatter_work(PeTeam const& team, Dst const& dst, Src const& src,
                         Op op) {
  using T = typename Dst::value_type;
  return ReduceWork<T, Op, true>{team, dst.data(), src.data(), dst.size(), op};
}
/// \param init NoInit or an element.
template <class Dst, class Src, class Op, class Init>
auto scan_work(PeTeam const& team, Dst const& dst, Src const& src, Op op,
               Init const& init) {
  using T = typename Dst::value_type;
  return ScanWork<T, Op, Init>{team,       dst.data(), src.data(),
                               src.size(), op,         init};
}

}  // namespace symm::Impl

namespace symm {

// The operations of symm_collectives.hpp for Views, performed by the host or
// enqueued on an execution space instance.
//
// Both Views must be in the same symmetric space. They may have any rank and
// layout and may be subviews, but must not have gaps between their elements
// (except in alltoalls()). Extents and strides must be equal on all PEs (except
// for the source of collect()). Both forms throw UsageError, with labels and
// extents, on the same PEs as the forms with addresses. On a GPU, an enqueued
// collect() aborts the program if `dst` is too small.
//
// A View's block consists of the View's elements in memory order. Therefore,
// fcollect() copies src(i, ...) from member `pe` to dst(pe, i, ...) with
// LayoutRight, and to dst(i, ..., pe) with LayoutLeft.

/// Copies `src` on member `root` to `dst` on all members. Both must have equal
/// extents and layouts and may be the same View.
template <class T, class... P, class U, class... Q>
void broadcast(PeTeam const& team, Kokkos::View<T, P...> const& dst,
               Kokkos::View<U, Q...> const& src, Pe root) {
  Impl::run_on_host(Impl::broadcast_work(team, dst, src, root),
                    Impl::problem_of_equal_views(dst, src));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q>
void broadcast(Exec const& exec, PeTeam const& team,
               Kokkos::View<T, P...> const& dst,
               Kokkos::View<U, Q...> const& src, Pe root) {
  Impl::enqueue(exec, Impl::broadcast_work(team, dst, src, root),
                Impl::problem_of_equal_views(dst, src));
}

/// Copies all members' blocks to `dst` on all members, in member order.
/// \param dst must have n_pes() times as many elements as `src`.
template <class T, class... P, class U, class... Q>
void fcollect(PeTeam const& team, Kokkos::View<T, P...> const& dst,
              Kokkos::View<U, Q...> const& src) {
  Impl::run_on_host(Impl::fcollect_work(team, dst, src),
                    Impl::problem_of_fcollect(team, dst, src));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q>
void fcollect(Exec const& exec, PeTeam const& team,
              Kokkos::View<T, P...> const& dst,
              Kokkos::View<U, Q...> const& src) {
  Impl::enqueue(exec, Impl::fcollect_work(team, dst, src),
                Impl::problem_of_fcollect(team, dst, src));
}

/// Like fcollect(), but the members' blocks may have different sizes.
/// \param dst must have at least as many elements as all blocks combined.
/// \param src part of one View, with the same first element on all PEs, such as
///        subview(all, pair(0, n)); n may be 0.
template <class T, class... P, class U, class... Q>
void collect(PeTeam const& team, Kokkos::View<T, P...> const& dst,
             Kokkos::View<U, Q...> const& src) {
  Impl::run_on_host(Impl::collect_work(team, dst, src),
                    Impl::problem_of_views(dst, src, true, ""));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q>
void collect(Exec const& exec, PeTeam const& team,
             Kokkos::View<T, P...> const& dst,
             Kokkos::View<U, Q...> const& src) {
  Impl::enqueue(exec, Impl::collect_work(team, dst, src),
                Impl::problem_of_views(dst, src, true, ""));
}

/// Each View has one block for each member. Block n of `src` is sent to member
/// n. On that member, the block from member m becomes block m of `dst`.
/// \param dst, src must have equal numbers of elements, a multiple of n_pes().
template <class T, class... P, class U, class... Q>
void alltoall(PeTeam const& team, Kokkos::View<T, P...> const& dst,
              Kokkos::View<U, Q...> const& src) {
  Impl::run_on_host(Impl::alltoall_work(team, dst, src),
                    Impl::problem_of_alltoall(team, dst, src));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q>
void alltoall(Exec const& exec, PeTeam const& team,
              Kokkos::View<T, P...> const& dst,
              Kokkos::View<U, Q...> const& src) {
  Impl::enqueue(exec, Impl::alltoall_work(team, dst, src),
                Impl::problem_of_alltoall(team, dst, src));
}

/// Like alltoall(), but for rank-1 Views that may have gaps between their
/// elements, such as a column of a matrix. The memory in the gaps is not
/// changed.
template <class T, class... P, class U, class... Q>
void alltoalls(PeTeam const& team, Kokkos::View<T, P...> const& dst,
               Kokkos::View<U, Q...> const& src) {
  Impl::run_on_host(Impl::alltoalls_work(team, dst, src),
                    Impl::problem_of_alltoalls(team, dst, src));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q>
void alltoalls(Exec const& exec, PeTeam const& team,
               Kokkos::View<T, P...> const& dst,
               Kokkos::View<U, Q...> const& src) {
  Impl::enqueue(exec, Impl::alltoalls_work(team, dst, src),
                Impl::problem_of_alltoalls(team, dst, src));
}

/// Combines the members' Views element by element, like reduce() with
/// addresses. Both Views must have equal extents and layouts and may be the
/// same View.
template <class T, class... P, class U, class... Q, class Op>
void reduce(PeTeam const& team, Kokkos::View<T, P...> const& dst,
            Kokkos::View<U, Q...> const& src, Op op) {
  Impl::run_on_host(Impl::reduce_work(team, dst, src, op),
                    Impl::problem_of_equal_views(dst, src));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q,
          class Op>
void reduce(Exec const& exec, PeTeam const& team,
            Kokkos::View<T, P...> const& dst, Kokkos::View<U, Q...> const& src,
            Op op) {
  Impl::enqueue(exec, Impl::reduce_work(team, dst, src, op),
                Impl::problem_of_equal_views(dst, src));
}

/// Combines all members' elements; each member receives its block of the
/// result, as in reduce_scatter() with addresses.
/// \param src must have n_pes() times as many elements as `dst`.
template <class T, class... P, class U, class... Q, class Op>
void reduce_scatter(PeTeam const& team, Kokkos::View<T, P...> const& dst,
                    Kokkos::View<U, Q...> const& src, Op op) {
  Impl::run_on_host(Impl::reduce_scatter_work(team, dst, src, op),
                    Impl::problem_of_reduce_scatter(team, dst, src));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q,
          class Op>
void reduce_scatter(Exec const& exec, PeTeam const& team,
                    Kokkos::View<T, P...> const& dst,
                    Kokkos::View<U, Q...> const& src, Op op) {
  Impl::enqueue(exec, Impl::reduce_scatter_work(team, dst, src, op),
                Impl::problem_of_reduce_scatter(team, dst, src));
}

/// Combines the elements of the members up to and including this one, like
/// inscan() with addresses. Both Views must have equal extents and layouts and
/// may be the same View.
template <class T, class... P, class U, class... Q, class Op>
void inscan(PeTeam const& team, Kokkos::View<T, P...> const& dst,
            Kokkos::View<U, Q...> const& src, Op op) {
  Impl::run_on_host(Impl::scan_work(team, dst, src, op, Impl::NoInit{}),
                    Impl::problem_of_equal_views(dst, src));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q,
          class Op>
void inscan(Exec const& exec, PeTeam const& team,
            Kokkos::View<T, P...> const& dst, Kokkos::View<U, Q...> const& src,
            Op op) {
  Impl::enqueue(exec, Impl::scan_work(team, dst, src, op, Impl::NoInit{}),
                Impl::problem_of_equal_views(dst, src));
}

/// Combines the elements of the members before this one, like exscan() with
/// addresses. Both Views must have equal extents and layouts and may be the
/// same View. The form without `init` is for sums only.
template <class T, class... P, class U, class... Q, class Op>
void exscan(PeTeam const& team, Kokkos::View<T, P...> const& dst,
            Kokkos::View<U, Q...> const& src, Op op,
            typename Kokkos::View<T, P...>::value_type const& init) {
  Impl::run_on_host(Impl::scan_work(team, dst, src, op, init),
                    Impl::problem_of_equal_views(dst, src));
}
template <class T, class... P, class U, class... Q>
void exscan(PeTeam const& team, Kokkos::View<T, P...> const& dst,
            Kokkos::View<U, Q...> const& src, Sum op) {
  exscan(team, dst, src, op, typename Kokkos::View<T, P...>::value_type());
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q,
          class Op>
void exscan(Exec const& exec, PeTeam const& team,
            Kokkos::View<T, P...> const& dst, Kokkos::View<U, Q...> const& src,
            Op op, typename Kokkos::View<T, P...>::value_type const& init) {
  Impl::enqueue(exec, Impl::scan_work(team, dst, src, op, init),
                Impl::problem_of_equal_views(dst, src));
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q>
void exscan(Exec const& exec, PeTeam const& team,
            Kokkos::View<T, P...> const& dst, Kokkos::View<U, Q...> const& src,
            Sum op) {
  exscan(exec, team, dst, src, op,
         typename Kokkos::View<T, P...>::value_type());
}

}  // namespace symm

#endif
