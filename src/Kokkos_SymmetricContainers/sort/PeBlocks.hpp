// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SORT_PE_BLOCKS_HPP
#define SYMM_SORT_PE_BLOCKS_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../exchange/PlanBlocks.hpp"

namespace symm::Impl {

/// Uninitialized memory for a sort.
template <class T>
using SortMemory = Kokkos::View<T*, Kokkos::HostSpace>;
template <class T>
void make_room(SortMemory<T>& memory, std::size_t count) {
  memory = SortMemory<T>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "symm::sort"), count);
}

/// Allows this PE to read other PEs' blocks: near PEs' blocks in place, and far
/// PEs' blocks as copies.
class PeBlocks {
 public:
  using Memory = Kokkos::View<char*, SymmetricHostSpace>;

  void reserve(std::size_t bytes) { make_room(m_memory, bytes); }
  /// Returns the address at which this PE can read a block after quiet().
  /// \param block the symmetric address of the block in `view`.
  char const* read(Memory const& view, char const* block, std::size_t bytes,
                   Pe pe) {
    auto const heap = heap_map(view);
    return at_pe(
        heap, pe, [&] { return heap.peer_ptr(block, pe); },
        [&]() -> char const* {
          auto* const to = m_memory.data() + m_used;
          m_used += (bytes + block_unit - 1) / block_unit * block_unit;
          getmem_nbi(to, block, bytes, pe);
          return to;
        });
  }

 private:
  SortMemory<char> m_memory;
  std::size_t m_used = 0;
};

}  // namespace symm::Impl

#endif
