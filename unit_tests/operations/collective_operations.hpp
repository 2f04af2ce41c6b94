// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_COLLECTIVE_OPERATIONS_HPP
#define SYMM_TEST_COLLECTIVE_OPERATIONS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

namespace symm_test {

// Collective operations: call() makes one in any form, expected() is the serial
// reference of element i of dest. `source(member, i)` is what a member has.

struct Broadcast {
  symm::Pe root;
  bool is_in_place = false;

  template <class T, class... First>
  KOKKOS_FUNCTION void call(T* dest, T const* source, std::size_t count,
                            First const&... first) const {
    symm::broadcast(first..., dest, source, count, root);
  }
  template <class T>
  auto work(symm::PeTeam const& team, T* dest, T const* source,
            std::size_t count) const {
    return symm::Impl::BroadcastWork<T>{team, dest, source, count, root};
  }
  static std::size_t n_dest(int, std::size_t count) { return count; }
  static std::size_t n_source(int, std::size_t count) { return count; }
  static std::size_t count_of(symm::Pe, std::size_t count) { return count; }
  template <class T, class Source>
  T expected(Source const& source, symm::Pe, int, std::size_t, std::size_t i,
             T const&) const {
    return source(root, i);
  }
};

struct Fcollect {
  static constexpr bool is_in_place = false;

  template <class T, class... First>
  KOKKOS_FUNCTION void call(T* dest, T const* source, std::size_t count,
                            First const&... first) const {
    symm::fcollect(first..., dest, source, count);
  }
  template <class T>
  auto work(symm::PeTeam const& team, T* dest, T const* source,
            std::size_t count) const {
    return symm::Impl::GatherWork<T, false>{team, dest, source, count};
  }
  static std::size_t n_dest(int n, std::size_t count) {
    return static_cast<std::size_t>(n) * count;
  }
  static std::size_t n_source(int, std::size_t count) { return count; }
  static std::size_t count_of(symm::Pe, std::size_t count) { return count; }
  template <class T, class Source>
  T expected(Source const& source, symm::Pe, int, std::size_t count,
             std::size_t i, T const&) const {
    return source(static_cast<symm::Pe>(i / count), i % count);
  }
};

/// Members with nothing, with `count`, and with more.
struct Collect {
  static constexpr bool is_in_place = false;
  symm::Pe empty;  // so are members empty + 3, ...

  template <class T, class... First>
  KOKKOS_FUNCTION void call(T* dest, T const* source, std::size_t count,
                            First const&... first) const {
    symm::collect(first..., dest, source, count);
  }
  template <class T>
  auto work(symm::PeTeam const& team, T* dest, T const* source,
            std::size_t count) const {
    return symm::Impl::CollectWork<T>{team, dest, source, count};
  }
  [[nodiscard]] std::size_t count_of(symm::Pe member, std::size_t count) const {
    if (member % 3 == empty) return 0;
    return count + 5 * static_cast<std::size_t>(member);
  }
  [[nodiscard]] std::size_t n_dest(int n, std::size_t count) const {
    std::size_t sum = 0;
    for (symm::Pe member = 0; member < n; ++member) {
      sum += count_of(member, count);
    }
    return sum;
  }
  static std::size_t n_source(int n, std::size_t count) {
    return count + 5 * static_cast<std::size_t>(n);
  }
  template <class T, class Source>
  T expected(Source const& source, symm::Pe, int, std::size_t count,
             std::size_t i, T const&) const {
    symm::Pe member = 0;
    for (; i >= count_of(member, count); ++member) {
      i -= count_of(member, count);
    }
    return source(member, i);
  }
};

struct Alltoall {
  static constexpr bool is_in_place = false;

  template <class T, class... First>
  KOKKOS_FUNCTION void call(T* dest, T const* source, std::size_t count,
                            First const&... first) const {
    symm::alltoall(first..., dest, source, count);
  }
  template <class T>
  auto work(symm::PeTeam const& team, T* dest, T const* source,
            std::size_t count) const {
    return symm::Impl::GatherWork<T, true>{team, dest, source, count};
  }
  static std::size_t n_dest(int n, std::size_t count) {
    return static_cast<std::size_t>(n) * count;
  }
  static std::size_t n_source(int n, std::size_t count) {
    return n_dest(n, count);
  }
  static std::size_t count_of(symm::Pe, std::size_t count) { return count; }
  template <class T, class Source>
  T expected(Source const& source, symm::Pe me, int, std::size_t count,
             std::size_t i, T const&) const {
    return source(static_cast<symm::Pe>(i / count),
                  static_cast<std::size_t>(me) * count + i % count);
  }
};

struct Alltoalls {
  static constexpr bool is_in_place = false;
  std::size_t dest_stride;
  std::size_t source_stride;

  template <class T, class... First>
  KOKKOS_FUNCTION void call(T* dest, T const* source, std::size_t count,
                            First const&... first) const {
    symm::alltoalls(first..., dest, source, dest_stride, source_stride, count);
  }
  template <class T>
  auto work(symm::PeTeam const& team, T* dest, T const* source,
            std::size_t count) const {
    return symm::Impl::StridedAlltoallWork<T>{
        team, dest, source, dest_stride, source_stride, count};
  }
  [[nodiscard]] std::size_t n_dest(int n, std::size_t count) const {
    return static_cast<std::size_t>(n) * count * dest_stride;
  }
  [[nodiscard]] std::size_t n_source(int n, std::size_t count) const {
    return static_cast<std::size_t>(n) * count * source_stride;
  }
  static std::size_t count_of(symm::Pe, std::size_t count) { return count; }
  template <class T, class Source>
  T expected(Source const& source, symm::Pe me, int, std::size_t count,
             std::size_t i, T const& old) const {
    if (i % dest_stride != 0) return old;
    i /= dest_stride;
    return source(
        static_cast<symm::Pe>(i / count),
        (static_cast<std::size_t>(me) * count + i % count) * source_stride);
  }
};

template <class Op>
struct Reduce {
  Op op{};
  bool is_in_place = false;

  template <class T, class... First>
  KOKKOS_FUNCTION void call(T* dest, T const* source, std::size_t count,
                            First const&... first) const {
    symm::reduce(first..., dest, source, count, op);
  }
  template <class T>
  auto work(symm::PeTeam const& team, T* dest, T const* source,
            std::size_t count) const {
    return symm::Impl::ReduceWork<T, Op>{team, dest, source, count, op};
  }
  static std::size_t n_dest(int, std::size_t count) { return count; }
  static std::size_t n_source(int, std::size_t count) { return count; }
  static std::size_t count_of(symm::Pe, std::size_t count) { return count; }
  template <class T, class Source>
  T expected(Source const& source, symm::Pe, int n, std::size_t, std::size_t i,
             T const&) const {
    T result = source(0, i);
    for (symm::Pe member = 1; member < n; ++member) {
      result = static_cast<T>(op(result, source(member, i)));
    }
    return result;
  }
};

template <class Op>
struct ReduceScatter {
  static constexpr bool is_in_place = false;
  Op op{};

  template <class T, class... First>
  KOKKOS_FUNCTION void call(T* dest, T const* source, std::size_t count,
                            First const&... first) const {
    symm::reduce_scatter(first..., dest, source, count, op);
  }
  template <class T>
  auto work(symm::PeTeam const& team, T* dest, T const* source,
            std::size_t count) const {
    return symm::Impl::ReduceWork<T, Op, true>{team, dest, source, count, op};
  }
  static std::size_t n_dest(int, std::size_t count) { return count; }
  static std::size_t n_source(int n, std::size_t count) {
    return static_cast<std::size_t>(n) * count;
  }
  static std::size_t count_of(symm::Pe, std::size_t count) { return count; }
  template <class T, class Source>
  T expected(Source const& source, symm::Pe me, int n, std::size_t count,
             std::size_t i, T const& old) const {
    auto const from = static_cast<std::size_t>(me) * count + i;
    return Reduce<Op>{op}.template expected<T>(source, me, n, count, from, old);
  }
};

/// inscan(), or exscan(): of sums without an `init`.
template <class Op, bool is_inclusive>
struct Scan {
  Op op{};
  bool is_in_place               = false;
  static constexpr bool has_init = !std::is_same_v<Op, symm::Sum>;
  static constexpr int init      = has_init ? 3 : 0;

  template <class T, class... First>
  KOKKOS_FUNCTION void call(T* dest, T const* source, std::size_t count,
                            First const&... first) const {
    if constexpr (is_inclusive) {
      symm::inscan(first..., dest, source, count, op);
    } else if constexpr (has_init) {
      symm::exscan(first..., dest, source, count, op, static_cast<T>(init));
    } else {
      symm::exscan(first..., dest, source, count, op);
    }
  }
  template <class T>
  auto work(symm::PeTeam const& team, T* dest, T const* source,
            std::size_t count) const {
    if constexpr (is_inclusive) {
      return symm::Impl::ScanWork<T, Op, symm::Impl::NoInit>{
          team, dest, source, count, op, {}};
    } else {
      return symm::Impl::ScanWork<T, Op, T>{team,  dest, source,
                                            count, op,   static_cast<T>(init)};
    }
  }
  static std::size_t n_dest(int, std::size_t count) { return count; }
  static std::size_t n_source(int, std::size_t count) { return count; }
  static std::size_t count_of(symm::Pe, std::size_t count) { return count; }
  template <class T, class Source>
  T expected(Source const& source, symm::Pe me, int, std::size_t, std::size_t i,
             T const&) const {
    T result = is_inclusive ? source(0, i) : static_cast<T>(init);
    for (symm::Pe pe = is_inclusive ? 1 : 0; pe < me + is_inclusive; ++pe) {
      result = static_cast<T>(op(result, source(pe, i)));
    }
    return result;
  }
};

/// Neither commutative nor associative.
struct TwiceMinus {
  template <class T>
  KOKKOS_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a + a - b);
  }
};

/// One of the functions for integers: one kernel to compile for all.
struct OneOf {
  enum Function { prod, min, max, bits_and, bits_or, bits_xor, twice_minus };
  static constexpr Function all[] = {prod,    min,      max,        bits_and,
                                     bits_or, bits_xor, twice_minus};
  Function function;

  template <class T>
  KOKKOS_FUNCTION T operator()(T const& a, T const& b) const {
    switch (function) {
      case prod: return symm::Prod()(a, b);
      case min: return symm::Min()(a, b);
      case max: return symm::Max()(a, b);
      case bits_and: return symm::BAnd()(a, b);
      case bits_or: return symm::BOr()(a, b);
      case bits_xor: return symm::BXor()(a, b);
      default: return TwiceMinus()(a, b);
    }
  }
};

}  // namespace symm_test

#endif
