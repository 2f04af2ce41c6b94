// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GROUPS_GROUP_HPP
#define SYMM_GROUPS_GROUP_HPP

#include <concepts>
#include <cstddef>

#include "../base/Function.hpp"

namespace symm::Impl {

/// A group of threads on one PE that share an operation's work. All of them
/// must make the call, with the same arguments.
///
/// - rank(): the calling thread's number, from 0 to size() - 1. On a GPU,
///   adjacent threads have adjacent ranks.
/// - barrier(): returns when all threads have called it. On return, they see
///   everything that any of them wrote before the barrier.
/// - for_each(count, body): distributes the calls body(0) ... body(count - 1)
///   over the threads; provided by SharedLoops.
/// - row: the number of threads with adjacent ranks whose memory accesses
///   coalesce, that is, the size of a warp.
template <class T>
concept Group = requires(T const& group, void (*body)(std::size_t)) {
  { group.rank() } -> std::same_as<std::size_t>;
  { group.size() } -> std::same_as<std::size_t>;
  group.barrier();
  group.for_each(std::size_t{}, body);
  { T::row } -> std::convertible_to<std::size_t>;
};

/// Base class for groups. Implements for_each() in terms of the rank() and
/// size() of `Threads`.
template <class Threads>
struct SharedLoops {
  static constexpr std::size_t row = 32;

  /// Contains no barrier. On a GPU, adjacent threads get adjacent indices so
  /// that their accesses coalesce. On the host, each thread gets one contiguous
  /// range of indices.
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

struct OneThread : SharedLoops<OneThread> {
  static constexpr std::size_t row = 1;

  [[nodiscard]] SYMM_FUNCTION std::size_t rank() const { return 0; }
  [[nodiscard]] SYMM_FUNCTION std::size_t size() const { return 1; }
  SYMM_FUNCTION void barrier() const {}
};

/// Converts an object that represents threads to a group. Specializations (such
/// as those for Kokkos team handles) provide a static function of() that
/// returns the group.
template <class T>
struct GroupOf;

template <Group T>
struct GroupOf<T> {
  SYMM_FUNCTION static T of(T const& group) { return group; }
};

/// The type of the argument that specifies the threads of an operation: a
/// group, or an object that GroupOf converts to one.
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
