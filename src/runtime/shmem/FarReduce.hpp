// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_FARREDUCE_HPP
#define SYMM_SHMEM_FARREDUCE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "CollectiveWork.hpp"
#include "PeOperations.hpp"

namespace symm::Impl {

/// Carries out this PE's share of a ReduceWork, by one thread of the host, if
/// the PE team has far PEs: block by block. It fetches a block of all far
/// members at once, if there is private memory for that.
template <class Work>
class FarReduce {
  using T = typename Work::Element;

 public:
  FarReduce(Work const& work, HeapMap const& heap)
      : m_work(work), m_heap(heap) {}

  void run(Range const& range) {
    if (range.count == 0) return;
    make_room(range.count);
    for (std::size_t done = 0; done < range.count; done += m_block) {
      reduce_block(range.first + done, std::min(m_block, range.count - done));
    }
    quiet_far();  // before the memory is freed
  }

 private:
  static constexpr char const* call        = "symm::reduce";
  static constexpr std::size_t most_bytes  = std::size_t{1} << 20U;
  static constexpr std::size_t least_bytes = 4096;
  static constexpr std::size_t few         = std::max<std::size_t>(
      least_bytes / sizeof(T), 1);  // elements that need no private memory

  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t(alignof(T)));
    }
  };

  /// A block for the result, and one for each far member, or one for these.
  void make_room(std::size_t count) {
    int const n       = m_work.team.n_pes();
    std::size_t n_far = 0;
    for (Pe pe = 0; pe < n; ++pe) n_far += is_far(pe) ? 1U : 0U;
    m_block = std::clamp<std::size_t>(most_bytes / sizeof(T) / (n_far + 1), few,
                                      std::max(count, few));
    m_memory.reset(static_cast<std::byte*>(
        ::operator new((n_far + 1) * m_block * sizeof(T),
                       std::align_val_t(alignof(T)), std::nothrow)));
    m_has_all = m_memory != nullptr;
    if (m_has_all) return;
    m_block = few;
  }

  [[nodiscard]] bool is_far(Pe member) const {
    return !m_heap.is_near(m_work.team.world_pe(member));
  }
  /// Block 0 is the result.
  [[nodiscard]] T* block(std::size_t i) {
    auto* const memory = m_has_all ? m_memory.get() : m_few.data();
    return reinterpret_cast<T*>(memory) + i * m_block;
  }
  [[nodiscard]] PeMemory copy_of(T const* mine, Pe member) const {
    return resolve_far(m_heap, mine, m_work.team.world_pe(member));
  }

  void fetch_all(std::size_t first, std::size_t count) {
    std::size_t n_far = 0;
    for (Pe pe = 0; pe < m_work.team.n_pes(); ++pe) {
      if (!is_far(pe)) continue;
      get_otherwise(block(++n_far), copy_of(m_work.source + first, pe),
                    count * sizeof(T), Until::is_begun, call);
    }
    quiet_far();
  }

  void reduce_block(std::size_t first, std::size_t count) {
    if (m_has_all) fetch_all(first, count);
    T* const result   = block(0);
    std::size_t n_far = 0;
    for (Pe pe = 0; pe < m_work.team.n_pes(); ++pe) {
      T const* its = nullptr;
      if (!is_far(pe)) {
        its = block_of(m_work.team, m_heap, m_work.source, pe) + first;
      } else if (m_has_all) {
        its = block(++n_far);
      } else {
        get_otherwise(block(1), copy_of(m_work.source + first, pe),
                      count * sizeof(T), Until::is_safe, call);
        its = block(1);
      }
      if (pe == 0) {
        for (std::size_t i = 0; i < count; ++i) result[i] = its[i];
      } else {
        for (std::size_t i = 0; i < count; ++i)
          result[i] = static_cast<T>(m_work.op(result[i], its[i]));
      }
    }
    for (Pe pe = 0; pe < m_work.team.n_pes(); ++pe) {
      if (is_far(pe)) {
        put_otherwise(copy_of(m_work.dest + first, pe), result,
                      count * sizeof(T),
                      m_has_all ? Until::is_begun : Until::is_safe, call);
        continue;
      }
      T* const to = block_of(m_work.team, m_heap, m_work.dest, pe) + first;
      for (std::size_t i = 0; i < count; ++i) to[i] = result[i];
    }
    if (m_has_all) quiet_far();  // before the result's block is used again
  }

  Work const& m_work;
  HeapMap const& m_heap;
  std::size_t m_block = 0;
  bool m_has_all      = false;
  std::unique_ptr<std::byte, Free> m_memory;
  alignas(T) std::array<std::byte, 2 * few * sizeof(T)> m_few;
};

}  // namespace symm::Impl

#endif
