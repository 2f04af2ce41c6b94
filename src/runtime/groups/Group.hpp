// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GROUPS_GROUP_HPP
#define SYMM_GROUPS_GROUP_HPP

#include <concepts>
#include <cstddef>

#include "../base/Function.hpp"

namespace symm::Impl {

/// Threads of one PE that share the work of an operation: all of them call it,
/// with equal arguments.
///
/// - rank(): number of the calling thread, from 0 to size() - 1. On a GPU
///   neighbouring threads have neighbouring numbers.
/// - barrier(): returns when all threads have called it; they see then what any
///   of them has written before.
/// - for_each(count, body): shares the calls body(0) ... body(count - 1); from
///   SharedLoops.
/// - row: the count of adjacent numbers that access memory together: those of a
///   warp.
template <class T>
concept Group = requires(T const& group, void (*body)(std::size_t)) {
  { group.rank() } -> std::same_as<std::size_t>;
  { group.size() } -> std::same_as<std::size_t>;
  group.barrier();
  group.for_each(std::size_t{}, body);
  { T::row } -> std::convertible_to<std::size_t>;
};

/// A base for groups: makes for_each() of rank() and size() of `Threads`.
template <class Threads>
struct SharedLoops {
  static constexpr std::size_t row = 32;

  /// No barrier. On a GPU neighbouring threads get neighbouring numbers, and
  /// access memory together; on the host each gets a part of the whole.
  template <class Body>
  SYMM_FORCEINLINE_FUNCTION void for_each(std::size_t count,
                                          Body const& body) const {
    auto const& threads = static_cast<Threads const&>(*this);
#ifdef SYMM_FOR_DEVICE
    for (std::size_t i = threads.rank(); i < count; i += threads.size())
      body(i);
#else
    std::size_t const n     = threads.size();
    std::size_t const part  = (count + n - 1) / n;
    std::size_t const first = threads.rank() * part;
    for (std::size_t i = first; i < count && i < first + part; ++i) body(i);
#endif
  }
};

/// A thread alone is a group, too.
struct OneThread : SharedLoops<OneThread> {
  static constexpr std::size_t row = 1;

  [[nodiscard]] SYMM_FUNCTION std::size_t rank() const { return 0; }
  [[nodiscard]] SYMM_FUNCTION std::size_t size() const { return 1; }
  SYMM_FUNCTION void barrier() const {}
};

/// Makes a group of another object that stands for threads: specialised for it
/// (Kokkos' handles of thread teams), with a static function of().
template <class T>
struct GroupOf;

template <Group T>
struct GroupOf<T> {
  SYMM_FUNCTION static T of(T const& group) { return group; }
};

/// The argument of operations: a group or what one can be made of.
template <class T>
concept ThreadGroup = requires(T const& threads) {
  { GroupOf<T>::of(threads) } -> Group;
};

template <ThreadGroup T>
[[nodiscard]] SYMM_FUNCTION auto group_of(T const& threads) {
  return GroupOf<T>::of(threads);
}

}  // namespace symm::Impl

#endif
