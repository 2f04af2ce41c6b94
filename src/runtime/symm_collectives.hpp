// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_HPP
#define SYMM_COLLECTIVES_HPP

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "base/Function.hpp"
#include "base/Types.hpp"
#include "memory/HeapMap.hpp"
#include "shmem/CollectiveRun.hpp"
#include "shmem/CollectiveWork.hpp"
#include "shmem/Group.hpp"
#include "shmem/PeTeam.hpp"
#include "shmem/ReduceValue.hpp"
#include "shmem/ReduceWork.hpp"
#include "shmem/ScanWork.hpp"
#include "shmem/StridedAlltoallWork.hpp"
#include "shmem/ThisBlock.hpp"

namespace symm {

// Collective operations of a PE team (OpenSHMEM 1.5, 9.11): all its PEs call,
// with equal arguments. `dest` and `source` are symmetric addresses in one
// heap, of trivially copyable elements, and do not overlap, except that they
// may be equal in broadcast(), reduce(), inscan() and exscan(). A PE calls when
// its source is complete: what others put there needs a barrier before. When a
// call has ended on a PE, its dest is complete and its source may be changed.
// Every operation has three forms:
//
//   reduce(team, ...)
//     The host's, on memory of any heap; it waits. Kernels that write the
//     source must have ended (fence their space). Throws UsageError on every PE
//     of the team, if a PE has passed what is wrong, or something else than the
//     others; the team can go on then.
//   reduce(exec, team, ...)
//     Enqueued on an execution space instance, in order with its kernels; the
//     host does not wait. Throws UsageError on this PE if what it passes is
//     wrong: it has not taken part then; whether the others pass the same is
//     not looked at. (If the space is one of the host, this waits for its
//     kernels, and is the host's form.)
//   reduce(threads, heap, team, ...)
//     In a kernel, by all threads of one thread group (a thread team's handle,
//     or lanes(member)) of every PE; `heap` is heap_map<Space>() of the blocks'
//     space. Nothing is checked in release builds. See barrier().
//
// The words of a team are on the host or on the GPU by where the operation
// runs.

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
struct Min {
  template <class T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return a < b ? b : a;
  }
};
struct And {
  template <std::integral T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <std::integral T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <std::integral T>
  SYMM_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a ^ b);
  }
};

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

/// The same with a count of its own on every PE; 0 is one. The addresses are
/// symmetric ones, equal on all PEs, whatever the count; if no PE has any
/// element, they may be null. (Enqueued on a GPU with elements on other PEs,
/// null stops the program.)
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

/// Block n of every member's source, of `count` elements, goes to member n: as
/// the block of dest that has the sender's number.
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
/// apart (1: next to each other). What is between them stays as it is.
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

/// Element by element over the PEs, combined in the order of their numbers; the
/// result on all, with the same bits. dest may be equal to source.
/// \param op called as op(a, b): Sum, Prod, Min, Max, And, Or, Xor or any
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

/// Of one value a PE, which needs no symmetric memory: combined in the order of
/// the PEs' numbers; the result, with the same bits, on all. Collective over
/// `team`; the host's, which has returned on no PE before all have called. (To
/// leave the result on a GPU, enqueue the form of Views with rank 0.)
///
///     double const norm = std::sqrt(symm::reduce(team, mine, symm::Sum{}));
///
/// \param value of a trivially copyable type, as double or a struct of several
///        numbers; each 8 bytes of it take an exchange. The same type on all
///        PEs.
/// \param op as above.
/// \throws UsageError on every PE of the team, if a PE is in another collective
///         operation of it, or passes another type or operation; on this PE, if
///         it is no team.
template <class T, class Op>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
    [[nodiscard]] T reduce(PeTeam const& team, T const& value, Op op) {
  return Impl::ReduceValue<T, Op>(team, op)(value);
}

// Scans over the PEs (OpenSHMEM 1.6, sum_inscan and sum_exscan of teams), with
// any operation, in the order of the PEs' numbers in the team; dest may be
// equal to source. On the host of a value each, too, as reduce() of one:
//
//     std::size_t const first = symm::exscan(team, n_mine, symm::Sum{});

/// Inclusive: each PE gets what those up to itself make, element by element.
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

/// Exclusive: each PE gets what `init` and the elements of those before it
/// make; the first PE gets `init`. (As std::exclusive_scan. Without `init` sums
/// begin at T(), as OpenSHMEM's.) \param init the same on all PEs, at which
/// nobody looks.
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
