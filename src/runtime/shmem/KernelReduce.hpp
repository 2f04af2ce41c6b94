// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_KERNELREDUCE_HPP
#define SYMM_SHMEM_KERNELREDUCE_HPP

#include <cstddef>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "CollectiveWork.hpp"
#include "Group.hpp"
#include "RingClient.hpp"

namespace symm::Impl {

/// Elements that are loaded or stored in one access.
template <class T, std::size_t n>
struct alignas(n == 1 ? alignof(T) : 16) Pack {
  T values[n];
};

/// Carries out a ReduceWork in kernels: by accesses of 16 bytes if both
/// addresses allow them.
template <class Work>
class KernelReduce {
  using T = typename Work::Element;

 public:
  SYMM_FUNCTION KernelReduce(Work const& work, HeapMap const& heap)
      : m_work(work), m_heap(heap) {}

#ifdef SYMM_FOR_DEVICE
  /// For PE teams of several nodes: element by element, each a request.
  template <Group Threads>
  __device__ __noinline__ void run_far(Threads const& group,
                                       Range const& range) const {
    group.for_each(range.count, [&](std::size_t k) {
      std::size_t const i = range.first + k;
      T value             = load(0, i);
      for (Pe pe = 1; pe < m_work.team.n_pes(); ++pe)
        value = static_cast<T>(m_work.op(value, load(pe, i)));
      for (Pe pe = 0; pe < m_work.team.n_pes(); ++pe) store(pe, i, value);
    });
  }
#endif

  template <Group Threads>
  SYMM_FUNCTION void run(Threads const& group, Range const& range) const {
    if constexpr (std::is_default_constructible_v<T>) {
      std::size_t n_packs = 0;
      if constexpr (Work::width > 1) {
        auto const bits = reinterpret_cast<std::size_t>(m_work.source) |
                          reinterpret_cast<std::size_t>(m_work.dest);
        if (bits % 16 == 0) n_packs = range.count / Work::width;
        reduce_packs<Pack<T, Work::width>>(group, range.first, n_packs);
      }
      std::size_t const done = n_packs * Work::width;
      reduce_packs<Pack<T, 1>>(group, range.first + done, range.count - done);
    } else {
      group.for_each(range.count,
                     [&](std::size_t i) { reduce_element(range.first + i); });
    }
  }

 private:
#ifdef SYMM_FOR_DEVICE
  __device__ T load(Pe pe, std::size_t i) const {
    Pe const in_world = m_work.team.world_pe(pe);
    if (m_heap.is_near(in_world)) return source_of(pe)[i];
    return InKernel::load_far(m_work.source + i, in_world);
  }
  __device__ void store(Pe pe, std::size_t i, T const& value) const {
    Pe const in_world = m_work.team.world_pe(pe);
    if (m_heap.is_near(in_world)) {
      dest_of(pe)[i] = value;
    } else {
      InKernel::store_far(m_work.dest + i, value, in_world);
    }
  }
#endif

  SYMM_FUNCTION T const* source_of(Pe pe) const {
    return block_of(m_work.team, m_heap, m_work.source, pe);
  }
  SYMM_FUNCTION T* dest_of(Pe pe) const {
    return block_of(m_work.team, m_heap, m_work.dest, pe);
  }

  SYMM_FUNCTION void reduce_element(std::size_t i) const {
    T value = source_of(0)[i];
    for (Pe pe = 1; pe < m_work.team.n_pes(); ++pe)
      value = static_cast<T>(m_work.op(value, source_of(pe)[i]));
    for (Pe pe = 0; pe < m_work.team.n_pes(); ++pe) dest_of(pe)[i] = value;
  }

  template <class P, Group Threads>
  SYMM_FUNCTION void reduce_packs(Threads const& group, std::size_t first,
                                  std::size_t n_packs) const {
    constexpr std::size_t n_loads = sizeof(P) <= 16 ? 4 : 1;
    constexpr std::size_t row     = Threads::row;
    constexpr std::size_t tile    = row * n_loads;
    std::size_t const n_tiles     = n_packs / tile;
    group.for_each(n_tiles * row, [&](std::size_t i) {
      std::size_t const begin = i / row * tile + i % row;
      reduce_some<P, n_loads>(first, begin, row);
    });
    std::size_t const done = n_tiles * tile;
    group.for_each(n_packs - done, [&](std::size_t i) {
      reduce_some<P, 1>(first, done + i, row);
    });
  }

  /// Packs number begin, begin + row, ...: a thread has the loads of all of
  /// them in flight at once.
  template <class P, std::size_t n>
  SYMM_FUNCTION void reduce_some(std::size_t first, std::size_t begin,
                                 std::size_t row) const {
    P values[n];  // in registers: compilers unroll the loops over n
    load(values, source_of(0) + first, begin, row);
    for (Pe pe = 1; pe < m_work.team.n_pes(); ++pe) {
      P its[n];
      load(its, source_of(pe) + first, begin, row);
      for (std::size_t k = 0; k < n; ++k) combine(values[k], its[k]);
    }
    for (Pe pe = 0; pe < m_work.team.n_pes(); ++pe) {
      T* const to = dest_of(pe) + first;
      for (std::size_t k = 0; k < n; ++k)
        reinterpret_cast<P*>(to)[begin + k * row] = values[k];
    }
  }
  template <class P, std::size_t n>
  SYMM_FUNCTION static void load(P (&values)[n], T const* from,
                                 std::size_t begin, std::size_t row) {
    for (std::size_t k = 0; k < n; ++k)
      values[k] = reinterpret_cast<P const*>(from)[begin + k * row];
  }
  template <std::size_t n>
  SYMM_FUNCTION void combine(Pack<T, n>& a, Pack<T, n> const& b) const {
    for (std::size_t i = 0; i < n; ++i)
      a.values[i] = static_cast<T>(m_work.op(a.values[i], b.values[i]));
  }

  Work const& m_work;
  HeapMap const& m_heap;
};

}  // namespace symm::Impl

#endif
