// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_HOSTSHARE_HPP
#define SYMM_COLLECTIVES_HOSTSHARE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include "../access/GroupOperations.hpp"
#include "../access/PeOperations.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/HeapMap.hpp"
#include "../teams/FarTeam.hpp"
#include "CollectiveWork.hpp"

namespace symm::Impl {

/// Processes this PE's share of a ReduceWork or ScanWork on the host, block by
/// block, using Work::run_block().
template <class Work>
class HostShare {
  using T = typename Work::Element;

 public:
  HostShare(Work const& work, HeapMap const& heap)
      : m_work(work), m_heap(heap) {}

  template <Group Threads>
  void run(Threads const& group, Range const& range) {
    group.for_each((range.count + few - 1) / few,
                   [&](std::size_t b) { run_block(range, b); });
  }
  /// Like run(), but for PE teams with far members; uses a single thread. If
  /// there is enough private memory, fetches each block from all far members at
  /// once.
  template <Group Threads>
  void run_far(Threads const& group, Range const& range) {
    if (group.rank() != 0 || range.count == 0) return;
    make_room(range.count);
    complete_if_throws(Work::name, [&] {
      for (std::size_t b = 0; b * m_block < range.count; ++b)
        run_block(range, b);
    });
  }

  // Work::run_block() calls these functions for each member, in order. source()
  // and dest() return the current block of the member's source and dest. If the
  // member is far, they return local buffers, possibly the same buffer. store()
  // writes the block to the member's dest.

  [[nodiscard]] T const* source(Pe member) {
    return at_block(
        m_work.source, member, [](T const* address) { return address; },
        [&]() -> T const* {
          m_fetched = block(m_has_all ? ++m_n_fetched : 1);
          if (!m_has_all) fetch(m_fetched, member, Completion::local);
          return m_fetched;
        });
  }
  [[nodiscard]] T* dest(Pe member) const {
    return at_block(
        m_work.dest, member, [](T* address) { return address; },
        [&] { return m_fetched; });
  }
  void store(Pe member, T const* values) const {
    at_block(
        m_work.dest, member,
        [&](T* to) {
          if (to != values) std::copy_n(values, m_count, to);
        },
        [&] {
          copy_far<Direction::put>(
              OneThread(), m_heap, m_work.dest + m_first, values,
              m_count * sizeof(T), m_work.team.world_pe(member), Work::name,
              m_has_all ? Completion::none : Completion::local);
        });
  }

 private:
  void run_block(Range const& range, std::size_t b) {
    std::size_t const done = b * m_block;
    m_first                = range.first + done;
    m_count                = std::min(m_block, range.count - done);
    if (m_has_all) fetch_all();
    m_work.run_block(*this, block(0), m_count);
    if (m_has_all) quiet_far();  // before the buffers are reused
  }

  static constexpr std::size_t alignment = std::max<std::size_t>(
      alignof(T), 64);  // (below 64, scans take 1.1 times as long)
  static constexpr std::size_t elements_of(std::size_t bytes) {
    return std::max<std::size_t>(bytes / sizeof(T), 1);
  }
  /// The number of elements in a block if no private memory is allocated.
  static constexpr std::size_t few = elements_of(std::size_t{16} << 10U);

  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t(alignment));
    }
  };

  /// Allocates one block for the result and one block for each far member. If
  /// there is not enough memory, uses `m_few` instead, which contains one block
  /// for the result and one block that all far members share.
  void make_room(std::size_t count) {
    std::size_t n_far = 0;
    for_each_member<Members::of_other_nodes>(m_work.team, [&](Pe) { ++n_far; });
    m_block =
        std::min(elements_of((std::size_t{1} << 20U) / (n_far + 1)), count);
    m_block = std::max(m_block, few / 4);
    m_memory.reset(static_cast<std::byte*>(
        ::operator new((n_far + 1) * m_block * sizeof(T),
                       std::align_val_t(alignment), std::nothrow)));
    m_has_all = m_memory != nullptr;
    if (!m_has_all) m_block = few;
  }

  /// Calls at_copy_of() for a member's block.
  template <class Element, class Near, class Far>
  auto at_block(Element* symmetric, Pe member, Near const& near,
                Far const& far) const {
    return at_copy_of(m_heap, symmetric + m_first, m_work.team.world_pe(member),
                      near, far);
  }
  /// Block `i`; block 0 contains the result. The buffer is an array of bytes,
  /// because T may not have a default constructor.
  [[nodiscard]] T* block(std::size_t i) {
    auto* const memory = m_has_all ? m_memory.get() : m_few.data();
    return reinterpret_cast<T*>(memory) + i * m_block;
  }
  void fetch(T* to, Pe member, Completion completion) const {
    copy_far<Direction::get>(OneThread(), m_heap, m_work.source + m_first, to,
                             m_count * sizeof(T), m_work.team.world_pe(member),
                             Work::name, completion);
  }
  void fetch_all() {
    std::size_t n = 0;
    for_each_member<Members::of_other_nodes>(
        m_work.team, [&](Pe pe) { fetch(block(++n), pe, Completion::none); });
    quiet_far();
    m_n_fetched = 0;
  }

  Work const& m_work;
  HeapMap const& m_heap;
  std::size_t m_block     = few;
  std::size_t m_first     = 0;
  std::size_t m_count     = 0;
  bool m_has_all          = false;
  std::size_t m_n_fetched = 0;
  T* m_fetched = nullptr;  // the block most recently fetched from a far member
  std::unique_ptr<std::byte, Free> m_memory;
  alignas(alignment) std::array<std::byte, 2 * few * sizeof(T)> m_few;
};

#ifdef SYMM_FOR_DEVICE
/// run_share() in a kernel, for PE teams with far members. Sends one request
/// per element. The arguments are passed by value, because taking their
/// addresses would force them into memory in run_near(), too.
template <class Work, Group Threads>
__device__ __noinline__ void run_share_far(Threads const& group, HeapMap heap,
                                           Work work, Range range) {
  group.for_each(range.count, [&](std::size_t k) {
    std::size_t const i = range.first + k;
    work.run_element(
        [&](Pe pe) {
          return load_element(heap, work.source + i, work.team.world_pe(pe),
                              Work::name);
        },
        [&](Pe pe, auto const& value) {
          store_element(heap, work.dest + i, value, work.team.world_pe(pe),
                        Work::name);
        });
  });
}
#endif

/// Processes this PE's share of a ReduceWork or ScanWork.
template <class Work, Group Threads>
SYMM_FUNCTION void run_share(Threads const& group, HeapMap const& heap,
                             Work const& work, Range const& range) {
  if (!work.team.has_far_pes()) [[likely]] {
    SYMM_IF_ON_HOST((HostShare(work, heap).run(group, range);))
    SYMM_IF_ON_DEVICE((work.run_near(group, heap, range);))
    return;
  }
  SYMM_IF_ON_HOST((HostShare(work, heap).run_far(group, range);))
  SYMM_IF_ON_DEVICE((run_share_far(group, heap, work, range);))
}

}  // namespace symm::Impl

#endif
