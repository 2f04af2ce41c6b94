// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_KERNELBROADCAST_HPP
#define SYMM_COLLECTIVES_KERNELBROADCAST_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../groups/GroupCopy.hpp"
#include "../memory/HeapMap.hpp"
#include "Shares.hpp"

namespace symm::Impl {

#ifdef SYMM_FOR_DEVICE
/// Executes a BroadcastWork in a kernel, using pass_on() with 16-byte words.
template <class Work>
class KernelBroadcast {
  using Word16 = Word<16>;

 public:
  __device__ KernelBroadcast(Work const& work, HeapMap const& heap)
      : m_work(work), m_heap(heap), m_bytes(work.count * sizeof(*work.dest)) {}

  /// Whether pass_on() is possible and makes the root send fewer bytes than if
  /// all members fetched the block from the root. (With two members, both
  /// methods send the same amount.) The result is the same on all members.
  [[nodiscard]] __device__ bool is_for() const {
    auto const bits = reinterpret_cast<std::size_t>(m_work.dest) |
                      reinterpret_cast<std::size_t>(m_work.source);
    return m_work.team.n_pes() > 2 && !m_work.team.has_far_pes() &&
           bits % sizeof(Word16) == 0;
  }

  /// Must be called by all members except the root.
  template <Group Threads>
  __device__ void run(Threads const& group, std::size_t part,
                      std::size_t n_parts) const {
    auto const& team = m_work.team;
    Pe const root    = team.world_pe(m_work.root);
    auto const* const words =
        m_heap.peer_ptr(reinterpret_cast<Word16 const*>(m_work.source), root);
    auto* const to            = reinterpret_cast<Word16*>(m_work.dest);
    std::size_t const n_words = m_bytes / sizeof(Word16);
    pass_on(
        group, team.n_pes(), team.my_pe(), m_work.root, n_words, part, n_parts,
        [&](std::size_t i) { return words[i]; },
        [&](Pe member, std::size_t i, Word16 const& word) {
          m_heap.peer_ptr(to, team.world_pe(member))[i] = word;
        });
    // The remainder is shorter than a word.
    std::size_t const n_left = m_bytes % sizeof(Word16);
    if (n_left == 0 || part != 0) return;
    copy_bytes<1>(group, to + n_words, words + n_words, n_left);
  }

 private:
  Work const& m_work;
  HeapMap const& m_heap;
  std::size_t m_bytes;
};
#endif

}  // namespace symm::Impl

#endif
