// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_KERNELREDUCE_HPP
#define SYMM_COLLECTIVES_KERNELREDUCE_HPP

#include <cstddef>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/HeapMap.hpp"
#include "CollectiveWork.hpp"

namespace symm::Impl {

/// Elements that a single access loads or stores.
template <class T, std::size_t n>
struct alignas(n == 1 ? alignof(T) : 16) Pack {
  static constexpr std::size_t size = n;
  T values[n];
};

/// Packs kept in registers, because compilers unroll the loops over them. (A
/// union, because T may not have a default constructor.)
template <class P, std::size_t n>
union Packs {
  P packs[n];

  static constexpr std::size_t size = n * P::size;

  SYMM_FUNCTION Packs() {}
  [[nodiscard]] SYMM_FUNCTION auto& operator[](std::size_t i) {
    return packs[i / P::size].values[i % P::size];
  }
};

/// Like combine(), but loads from member 0 and up to `n_ahead` other members at
/// once, and then from `n_ahead` members at a time.
/// \param load load(pe, source) loads a member's elements.
template <std::size_t n_ahead, class Source, class Op, class Load>
SYMM_FORCEINLINE_FUNCTION void combine_ahead(Source& values, Op const& op,
                                             Pe end, Load const& load) {
  using T = std::remove_cvref_t<decltype(values[0])>;
  load(0, values);
  for (Pe first = 1; first < end; first += static_cast<Pe>(n_ahead)) {
    auto const n = static_cast<std::size_t>(end - first);
    Source sources[n_ahead];  // in registers: compilers unroll the loops
    for (std::size_t k = 0; k < n_ahead; ++k) {
      if (k < n) load(first + static_cast<Pe>(k), sources[k]);
    }
    for (std::size_t k = 0; k < n_ahead; ++k) {
      if (k >= n) break;
      for (std::size_t i = 0; i < Source::size; ++i)
        values[i] = static_cast<T>(op(values[i], sources[k][i]));
    }
  }
}

/// Reduces all members' packs.
/// \param load load(pe, packs) loads a member's packs.
/// \param store store(pe, packs) stores the result on a member.
template <class P, std::size_t n, class Work, class Load, class Store>
SYMM_FUNCTION void reduce_packs_of(Work const& work, Load const& load,
                                   Store const& store) {
  constexpr std::size_t n_ahead = n * sizeof(P) <= 32 ? 3 : 1;
  Packs<P, n> values;
  combine_ahead<n_ahead>(values, work.op, work.team.n_pes(), load);
  for (Pe pe = work.first_dest(); pe < work.end_dest(); ++pe) store(pe, values);
}

/// Executes a ReduceWork on near PEs in kernels. Uses 16-byte accesses if both
/// addresses are 16-byte aligned.
template <class Work>
class KernelReduce {
  using T = typename Work::Element;

 public:
  SYMM_FUNCTION KernelReduce(Work const& work, HeapMap const& heap)
      : m_work(work), m_heap(heap) {}

  template <Group Threads>
  SYMM_FUNCTION void run(Threads const& group, Range const& range) const {
    std::size_t n_packs = 0;
    if constexpr (Work::width > 1) {
      auto const bits = reinterpret_cast<std::size_t>(m_work.source) |
                        reinterpret_cast<std::size_t>(m_work.dest);
      if (bits % 16 == 0) n_packs = range.count / Work::width;
      reduce_packs<Pack<T, Work::width>>(group, range.first, n_packs);
    }
    std::size_t const done = n_packs * Work::width;
    reduce_packs<Pack<T, 1>>(group, range.first + done, range.count - done);
  }

 private:
  template <class P, Group Threads>
  SYMM_FUNCTION void reduce_packs(Threads const& group, std::size_t first,
                                  std::size_t n_packs) const {
    constexpr std::size_t n_loads = sizeof(P) <= 16 ? 2 : 1;
    constexpr std::size_t row     = Threads::row;
    constexpr std::size_t tile    = row * n_loads;
    std::size_t const n_tiles     = n_packs / tile;
    group.for_each(n_tiles * row, [&](std::size_t i) {
      std::size_t const begin = i / row * tile + i % row;
      reduce_near<P, n_loads>(first, begin, row);
    });
    std::size_t const done = n_tiles * tile;
    group.for_each(n_packs - done, [&](std::size_t i) {
      reduce_near<P, 1>(first, done + i, row);
    });
  }

  /// Reduces `n` packs: begin, begin + row, and so on. Each thread has loads of
  /// all these packs, from several members, in flight at once.
  template <class P, std::size_t n>
  SYMM_FUNCTION void reduce_near(std::size_t first, std::size_t begin,
                                 std::size_t row) const {
    reduce_packs_of<P, n>(
        m_work,
        [&](Pe pe, auto& packs) {
          T const* const from =
              block_of(m_work.team, m_heap, m_work.source, pe);
          for (std::size_t k = 0; k < n; ++k)
            packs.packs[k] =
                reinterpret_cast<P const*>(from + first)[begin + k * row];
        },
        [&](Pe pe, auto& packs) {
          T* const to = block_of(m_work.team, m_heap, m_work.dest, pe);
          for (std::size_t k = 0; k < n; ++k)
            reinterpret_cast<P*>(to + first)[begin + k * row] = packs.packs[k];
        });
  }

  Work const& m_work;
  HeapMap const& m_heap;
};

}  // namespace symm::Impl

#endif
