// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_HPP
#define SYMM_COLLECTIVES_HPP

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "base/Function.hpp"
#include "base/Types.hpp"
#include "collectives/CollectiveRun.hpp"
#include "collectives/CollectiveWork.hpp"
#include "collectives/ReduceValue.hpp"
#include "collectives/ReduceWork.hpp"
#include "collectives/ScanWork.hpp"
#include "collectives/StridedAlltoallWork.hpp"
#include "groups/Group.hpp"
#include "groups/ThisBlock.hpp"
#include "memory/HeapMap.hpp"
#include "teams/PeTeam.hpp"

namespace symm {

// Collective operations of a PE team (OpenSHMEM 1.5, 9.11). All PEs of the PE
// team must make the call, with the same arguments on every PE. `dest` and
// `source` are symmetric addresses of two arrays in the same heap, with
// trivially copyable elements. The arrays must not overlap, except that
// broadcast(), reduce(), inscan() and exscan() allow `dest` and `source` to be
// equal. A PE's source must be complete when that PE makes the call: if other
// PEs have put data into it, a barrier must come before the call. When the call
// returns on a PE, that PE's dest is complete, and the PE may overwrite its
// source. Every operation has three forms:
//
//   reduce(team, ...)
//     A blocking call from the host, on memory in any heap. Kernels that write
//     the source must have finished (fence their execution space first). Throws
//     UsageError on every PE of the PE team if any PE passes an invalid
//     argument, or if the arguments differ between PEs. The PE team remains
//     usable.
//   reduce(exec, team, ...)
//     A call that enqueues the operation on an execution space instance, in
//     order with the kernels on that instance; the host does not wait. Throws
//     UsageError on this PE if this PE passes an invalid argument; in that
//     case, this PE does not take part in the operation. The call does not
//     check whether the other PEs pass the same arguments. (On an instance of a
//     host space, the call waits for the instance's kernels and then acts like
//     the form for the host.)
//   reduce(threads, heap, team, ...)
//     A call in a kernel, made by all threads of one thread group on every PE.
//     The group is a thread team's handle or lanes(member); `heap` is
//     heap_map<Space>() for the memory space of the arrays. Release builds do
//     not check the arguments. See barrier() in symm_teams.hpp.
//
// All PEs of the PE team must use the same form of a call: an operation that
// one PE enqueues does not match a call in another PE's kernel. (Barriers are
// the exception: an enqueued barrier does match a barrier in a kernel.) In each
// PE team, operations on a GPU and operations on the host form two separate
// sequences (see class PeTeam).

namespace Impl {

/// Whether `x` is a NaN, that is, compares unequal to itself.
template <class T>
SYMM_FUNCTION constexpr bool is_nan([[maybe_unused]] T const& x) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else if constexpr (requires {
                         { x != x } -> std::convertible_to<bool>;
                       }) {
    return x != x;
  } else {
    return false;
  }
}

}  // namespace Impl

/// Operations for reduce() and the scans. Each combines two elements.
struct Sum {
  template <class T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a + b);
  }
};
struct Prod {
  template <class T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a * b);
  }
};
// Min and Max return the smaller and the larger of two elements. A NaN on any
// PE makes the result a NaN, as with minimum and maximum in IEEE 754-2019, but
// positive and negative zero are equal. The element type needs only operator<.
// A value that compares unequal to itself counts as a NaN.
struct Min {
  template <class T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    T const smaller = b < a ? b : a;  // `a` if either is a NaN: b < a is false
    return Impl::is_nan(b) ? b : smaller;
  }
};
struct Max {
  template <class T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    T const larger = a < b ? b : a;
    return Impl::is_nan(b) ? b : larger;
  }
};
// Bitwise operations, like Kokkos::BAnd and Kokkos::BOr.
struct BAnd {
  template <std::integral T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a & b);
  }
};
struct BOr {
  template <std::integral T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a | b);
  }
};
struct BXor {
  template <std::integral T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a ^ b);
  }
};

/// Sends a block of `count` elements from member `root` to all members,
/// including `root` itself.
template <class T>
void broadcast(PeTeam const& team, T* dest,
               std::type_identity_t<T> const* source, std::size_t count,
               Pe root) {
  Impl::run_on_host(Impl::BroadcastWork<T>{team, dest, source, count, root});
}
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void broadcast(Threads const& threads, HeapMap const& heap,
                                    PeTeam const& team, T* dest,
                                    std::type_identity_t<T> const* source,
                                    std::size_t count, Pe root) {
  Impl::run_in_kernel(threads, heap,
                      Impl::BroadcastWork<T>{team, dest, source, count, root});
}

/// Sends `count` elements from every member to all members. The members' blocks
/// are contiguous in dest, in member order.
/// \param dest must have room for n_pes() * count elements.
template <class T>
void fcollect(PeTeam const& team, T* dest,
              std::type_identity_t<T> const* source, std::size_t count) {
  Impl::run_on_host(Impl::GatherWork<T, false>{team, dest, source, count});
}
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void fcollect(Threads const& threads, HeapMap const& heap,
                                   PeTeam const& team, T* dest,
                                   std::type_identity_t<T> const* source,
                                   std::size_t count) {
  Impl::run_in_kernel(threads, heap,
                      Impl::GatherWork<T, false>{team, dest, source, count});
}

/// Like fcollect(), but every PE has its own count, which may be 0. All PEs
/// pass the same symmetric addresses, even with a count of 0; the addresses may
/// be null only if no PE has an element. (In a call enqueued on a GPU, a null
/// address aborts the program if another PE has elements.)
/// \param dest must have room for the elements of all PEs, that is, for the sum
///        of all counts.
template <class T>
void collect(PeTeam const& team, T* dest, std::type_identity_t<T> const* source,
             std::size_t count) {
  Impl::run_on_host(Impl::CollectWork<T>{team, dest, source, count});
}
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void collect(Threads const& threads, HeapMap const& heap,
                                  PeTeam const& team, T* dest,
                                  std::type_identity_t<T> const* source,
                                  std::size_t count) {
  Impl::run_in_kernel(threads, heap,
                      Impl::CollectWork<T>{team, dest, source, count});
}

/// Sends block n of every member's source to member n; each block has `count`
/// elements. On member n, the block from member m becomes block m of dest.
/// \param dest, source arrays of n_pes() * count elements each.
template <class T>
void alltoall(PeTeam const& team, T* dest,
              std::type_identity_t<T> const* source, std::size_t count) {
  Impl::run_on_host(Impl::GatherWork<T, true>{team, dest, source, count});
}
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void alltoall(Threads const& threads, HeapMap const& heap,
                                   PeTeam const& team, T* dest,
                                   std::type_identity_t<T> const* source,
                                   std::size_t count) {
  Impl::run_in_kernel(threads, heap,
                      Impl::GatherWork<T, true>{team, dest, source, count});
}

/// Like alltoall(), but the elements are `dest_stride` elements apart in dest
/// and `source_stride` elements apart in source. (A stride of 1 means adjacent
/// elements.) The gaps in dest do not change.
template <class T>
void alltoalls(PeTeam const& team, T* dest,
               std::type_identity_t<T> const* source, std::size_t dest_stride,
               std::size_t source_stride, std::size_t count) {
  Impl::run_on_host(
      Impl::StridedAlltoallWork<T>{team, dest, source, dest_stride,
                                   source_stride, count},
      Impl::problem_of_strides(dest_stride, source_stride));
}
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void alltoalls(Threads const& threads, HeapMap const& heap,
                                    PeTeam const& team, T* dest,
                                    std::type_identity_t<T> const* source,
                                    std::size_t dest_stride,
                                    std::size_t source_stride,
                                    std::size_t count) {
  Impl::run_in_kernel(
      threads, heap,
      Impl::StridedAlltoallWork<T>{team, dest, source, dest_stride,
                                   source_stride, count});
}

/// Combines the members' sources element by element, in member order. The
/// result is bitwise identical on all PEs. dest may be equal to source.
/// \param op called as op(a, b): Sum, Prod, Min, Max, BAnd, BOr, BXor or any
///        trivially copyable function object that kernels can call.
template <class T, class Op>
void reduce(PeTeam const& team, T* dest, std::type_identity_t<T> const* source,
            std::size_t count, Op op) {
  Impl::run_on_host(Impl::ReduceWork<T, Op>{team, dest, source, count, op});
}
template <Impl::ThreadGroup Threads, class T, class Op>
SYMM_INLINE_FUNCTION void reduce(Threads const& threads, HeapMap const& heap,
                                 PeTeam const& team, T* dest,
                                 std::type_identity_t<T> const* source,
                                 std::size_t count, Op op) {
  Impl::run_in_kernel(threads, heap,
                      Impl::ReduceWork<T, Op>{team, dest, source, count, op});
}

/// Combines the sources as reduce() does, but member n receives only block n of
/// the result. (Corresponds to MPI_Reduce_scatter_block; not part of
/// OpenSHMEM.) Each PE combines only its own block, which takes 1 / n_pes() of
/// the work and data movement of reduce().
/// \param dest   an array of `count` elements.
/// \param source an array of n_pes() * count elements.
template <class T, class Op>
void reduce_scatter(PeTeam const& team, T* dest,
                    std::type_identity_t<T> const* source, std::size_t count,
                    Op op) {
  Impl::run_on_host(
      Impl::ReduceWork<T, Op, true>{team, dest, source, count, op});
}
template <Impl::ThreadGroup Threads, class T, class Op>
SYMM_INLINE_FUNCTION void reduce_scatter(Threads const& threads,
                                         HeapMap const& heap,
                                         PeTeam const& team, T* dest,
                                         std::type_identity_t<T> const* source,
                                         std::size_t count, Op op) {
  Impl::run_in_kernel(
      threads, heap,
      Impl::ReduceWork<T, Op, true>{team, dest, source, count, op});
}

/// Reduces one value from each PE, without symmetric memory, by combining the
/// values in order of PE number. The result is bitwise identical on all PEs.
/// The call is made on the host and is collective over `team`; it does not
/// return on any PE before all PEs have made it. (To leave the result on a GPU,
/// enqueue the form that takes Views, with rank-0 Views.)
///
///     double const norm = std::sqrt(symm::reduce(team, mine, symm::Sum{}));
///
/// \param value must be of a trivially copyable type, such as double or a
///        struct of several numbers; the type must be the same on all PEs.
///        Every 8 bytes of the value require one exchange between the PEs.
/// \param op as for the reduce() that takes addresses.
/// \throws UsageError on every PE of the PE team if any PE is in a different
///         collective operation of that PE team, or passes a different type or
///         operation; on this PE if `team` is not a PE team.
template <class T, class Op>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
    [[nodiscard]] T reduce(PeTeam const& team, T const& value, Op op) {
  return Impl::ReduceValue<T, Op>(team, op)(value);
}

// Scans over the PEs (OpenSHMEM 1.6, sum_inscan and sum_exscan of teams), with
// any operation, in the order of the PE team's numbering. dest may be equal to
// source. On the host, each scan also has a form that takes one value from each
// PE, like reduce():
//
//     std::size_t const first = symm::exscan(team, n_mine, symm::Sum{});

/// Inclusive scan: each PE receives the elementwise combination of the sources
/// of all PEs up to and including itself.
template <class T, class Op>
void inscan(PeTeam const& team, T* dest, std::type_identity_t<T> const* source,
            std::size_t count, Op op) {
  Impl::run_on_host(
      Impl::ScanWork<T, Op, Impl::NoInit>{team, dest, source, count, op, {}});
}
template <Impl::ThreadGroup Threads, class T, class Op>
SYMM_INLINE_FUNCTION void inscan(Threads const& threads, HeapMap const& heap,
                                 PeTeam const& team, T* dest,
                                 std::type_identity_t<T> const* source,
                                 std::size_t count, Op op) {
  Impl::run_in_kernel(
      threads, heap,
      Impl::ScanWork<T, Op, Impl::NoInit>{team, dest, source, count, op, {}});
}
template <class T, class Op>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
    [[nodiscard]] T inscan(PeTeam const& team, T const& value, Op op) {
  return Impl::ReduceValue<T, Op, Impl::Combined::up_to_mine>(team, op)(value);
}

/// Exclusive scan: each PE receives the elementwise combination of `init` and
/// the sources of all PEs before it; the first PE receives `init`. (Works like
/// std::exclusive_scan. Without `init`, sums start at T(), as in OpenSHMEM.)
/// \param init must be the same on all PEs; the call does not check this.
template <class T, class Op>
void exscan(PeTeam const& team, T* dest, std::type_identity_t<T> const* source,
            std::size_t count, Op op, std::type_identity_t<T> const& init) {
  Impl::run_on_host(
      Impl::ScanWork<T, Op, T>{team, dest, source, count, op, init});
}
template <class T>
void exscan(PeTeam const& team, T* dest, std::type_identity_t<T> const* source,
            std::size_t count, Sum op) {
  exscan(team, dest, source, count, op, T());
}
template <Impl::ThreadGroup Threads, class T, class Op>
SYMM_INLINE_FUNCTION void exscan(Threads const& threads, HeapMap const& heap,
                                 PeTeam const& team, T* dest,
                                 std::type_identity_t<T> const* source,
                                 std::size_t count, Op op,
                                 std::type_identity_t<T> const& init) {
  Impl::run_in_kernel(
      threads, heap,
      Impl::ScanWork<T, Op, T>{team, dest, source, count, op, init});
}
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void exscan(Threads const& threads, HeapMap const& heap,
                                 PeTeam const& team, T* dest,
                                 std::type_identity_t<T> const* source,
                                 std::size_t count, Sum op) {
  exscan(threads, heap, team, dest, source, count, op, T());
}
template <class T, class Op>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
    [[nodiscard]] T exscan(PeTeam const& team, T const& value, Op op,
                           std::type_identity_t<T> const& init) {
  return Impl::ReduceValue<T, Op, Impl::Combined::before_mine>(team, op)(value,
                                                                         &init);
}
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
    [[nodiscard]] T exscan(PeTeam const& team, T const& value, Sum op) {
  return exscan(team, value, op, T());
}

}  // namespace symm

#endif
