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

// Collective operations of a PE team (OpenSHMEM 1.5, 9.11): all its PEs call,
// with equal arguments. `dest` and `source` are symmetric addresses in one
// heap, of trivially copyable elements. They do not overlap, but may be equal
// in broadcast(), reduce(), inscan() and exscan(). A PE calls when its source
// is complete: a source that other PEs have put needs a barrier before the
// call. When a call has ended on a PE, its dest is complete and its source may
// be changed. Every operation has three forms:
//
//   reduce(team, ...)
//     On the host, on memory of any heap; it waits. Kernels that write the
//     source must have ended (fence their space). Throws UsageError on every PE
//     of the team, if a PE passes a wrong argument, or another one than the
//     others; the PE team can be used afterwards.
//   reduce(exec, team, ...)
//     Enqueued on an execution space instance, in order with its kernels; the
//     host does not wait. Throws UsageError on this PE, if it passes a wrong
//     argument: it has not taken part then. Whether the other PEs pass the same
//     is not checked. (For an instance of a host space, this waits for its
//     kernels and then is the host's form.)
//   reduce(threads, heap, team, ...)
//     In a kernel, by all threads of one thread group (a thread team's handle,
//     or lanes(member)) of every PE; `heap` is heap_map<Space>() of the blocks'
//     space. Nothing is checked in release builds. See barrier().
//
// Operations that run on a GPU and those that run on the host are two separate
// sequences of a PE team (class PeTeam).

namespace Impl {

/// Whether `x` is a NaN: differs from itself.
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

/// How reduce() combines two elements.
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
// The smaller, and the larger. A NaN comes through, whichever PE has it: as
// minimum and maximum of IEEE 754-2019, but zeros of both signs are equal. The
// type needs operator< only; what is not equal to itself (operator==) is a NaN.
struct Min {
  template <class T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    T const smaller = b < a ? b : a;  // a, if one of them is a NaN
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
// Of bits, as Kokkos::BAnd and BOr.
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
// As they were called before 0.1.0 (docs/from_older_versions.md).
using And [[deprecated("say symm::BAnd")]] = BAnd;
using Or [[deprecated("say symm::BOr")]]   = BOr;
using Xor [[deprecated("say symm::BXor")]] = BXor;

/// A block of `count` elements goes from member `root` to all, itself included.
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

/// `count` elements of every member, one block after the other, to all.
/// \param dest of n_pes() * count elements.
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

/// The same with a count of its own on every PE, which may be 0. The symmetric
/// addresses are equal on all PEs even then; they may be null only if no PE has
/// an element. (Enqueued on a GPU, null stops the program if another PE has
/// elements.)
/// \param dest of as many elements as all counts together.
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

/// Block n of every member's source, of `count` elements, goes to member n:
/// member m's becomes block m of dest there.
/// \param dest, source of n_pes() * count elements.
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

/// alltoall() of elements that are `dest_stride` and `source_stride` elements
/// apart (1: adjacent). The elements between them stay as they are.
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

/// Combines the members' sources, element by element, in the order of their
/// numbers. All PEs get the same bits. dest may be equal to source.
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

/// Combines as reduce(); each PE gets its block of the result: member n block
/// n. (As MPI_Reduce_scatter_block; not in OpenSHMEM.) The blocks are combined
/// by the PEs that get them: 1/n of the work of reduce(), and of what it moves.
/// \param dest   of `count` elements.
/// \param source of n_pes() * count elements.
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

/// Reduces one value of each PE, without symmetric memory: combines them in the
/// order of the PEs' numbers; all PEs get the same bits. Collective over
/// `team`, on the host; returns on no PE before all have called. (To leave the
/// result on a GPU, enqueue the form that takes Views, with rank 0.)
///
///     double const norm = std::sqrt(symm::reduce(team, mine, symm::Sum{}));
///
/// \param value of a trivially copyable type, such as double or a struct of
///        several numbers; the same type on all PEs. Each 8 bytes take one
///        exchange between the PEs.
/// \param op as above.
/// \throws UsageError on every PE of the team, if a PE is in another collective
///         operation of it, or passes another type or operation; on this PE, if
///         `team` is no PE team.
template <class T, class Op>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
    [[nodiscard]] T reduce(PeTeam const& team, T const& value, Op op) {
  return Impl::ReduceValue<T, Op>(team, op)(value);
}

// Scans over the PEs (OpenSHMEM 1.6, sum_inscan and sum_exscan of teams), with
// any operation, in the order of the PEs' numbers in the team; dest may be
// equal to source. On the host also of one value a PE, as reduce():
//
//     std::size_t const first = symm::exscan(team, n_mine, symm::Sum{});

/// Inclusive: each PE gets, element by element, the combination of the sources
/// of all PEs up to itself.
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

/// Exclusive: each PE gets the combination of `init` and the sources of the PEs
/// before it; the first PE gets `init`. (As std::exclusive_scan. Without `init`
/// sums begin at T(), as in OpenSHMEM.)
/// \param init the same on all PEs, which is not checked.
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
