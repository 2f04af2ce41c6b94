// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SYMMETRIC_RANGE_HPP
#define SYMM_SYMMETRIC_RANGE_HPP

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "HeapMap.hpp"
#include "Vmm.hpp"

namespace symm::Impl {

/// One address range that contains a part for every PE on this node. A chunk of
/// memory is mapped at the same offset in every part. Each PE on the node can
/// access the memory that the other PEs create.
class SymmetricRange {
 public:
  /// Reserves `part_bytes` bytes of address space for each PE that `exchange`
  /// connects. Local: if the call fails, the caller must agree on the failure
  /// with the other PEs.
  /// \param part_bytes a multiple of the minimum granularity and of
  ///        `alignment`, so an aligned offset is an aligned address.
  SymmetricRange(Vmm& vmm, FdExchange& exchange, Pe my_pe, int n_pes,
                 std::size_t part_bytes, std::size_t alignment);

  /// Local. Unmaps all chunks.
  ~SymmetricRange();

  SymmetricRange(SymmetricRange const&)            = delete;
  SymmetricRange& operator=(SymmetricRange const&) = delete;

  [[nodiscard]] HeapMap const& map() const { return m_map; }

  /// The result of adding a chunk, the same on every PE.
  struct Addition {
    /// The failure of the lowest-numbered PE that failed. The message contains
    /// that PE's number. If this is set, no PE has the chunk.
    std::optional<Failure> failure;
    /// Whether, after the failure, any PE was unable to unmap its part of the
    /// chunk. If so, this offset cannot be used again.
    bool is_lost = false;
  };

  /// Collective. Every PE creates `bytes` bytes of memory and maps the memory
  /// of all PEs on its node at `offset`. Afterward, either all PEs that take
  /// part in `agree` have the chunk, or none does.
  ///
  /// \param own_memory returns a handle to `bytes` bytes of this PE's memory;
  ///        try_to_add_chunk() releases the handle. By default, the PE creates
  ///        new memory.
  [[nodiscard]] Addition try_to_add_chunk(
      std::size_t offset, std::size_t bytes, Agree const& agree,
      std::function<Vmm::Handle()> const& own_memory = {});

  /// Like try_to_add_chunk(), but for callers that cannot continue to use the
  /// range after a failure.
  /// \throws OutOfMemory, SystemError on every PE.
  void add_chunk(std::size_t offset, std::size_t bytes, Agree const& agree);

  /// Removes a chunk from this process. The PE's own memory is returned to the
  /// system once all PEs have removed the chunk. Local: if the call fails, the
  /// caller must agree on the failure with the other PEs, and no PE can use
  /// this offset again.
  /// \throws SystemError on this PE, after unmapping as many parts as possible.
  void remove_chunk(std::size_t offset);

  /// Leaves all memory mapped until the process ends, because Views still use
  /// it.
  void abandon() noexcept { m_reservation = nullptr; }
  [[nodiscard]] bool is_abandoned() const noexcept {
    return m_reservation == nullptr;
  }

 private:
  /// The descriptor that the other PEs need to map this PE's memory.
  struct Offer {
    UniqueFd descriptor;
    FdExchange::Attachment note{};
  };

  struct Chunk {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
    std::vector<bool> is_mapped;  // indexed by the PE's number on the node
  };

  // The steps of adding a chunk. Each step records its mappings in the chunk so
  // that remove_chunk() can undo them after a failure.

  /// Calls work(), then releases the handle, even if work() fails.
  template <class Work>
  void with_handle(Vmm::Handle handle, Work const& work);
  /// Maps this PE's memory and releases its handle.
  Offer map_own(Chunk& chunk, Vmm::Handle handle);
  /// Maps the memory of the other PEs on this node.
  void map_peers(Chunk& chunk, Offer own);
  void map_peer(Chunk& chunk, Pe pe, FdExchange::Parcel parcel);
  void map_handle(Chunk& chunk, Pe pe, Vmm::Handle handle);

  [[nodiscard]] std::size_t index(Pe pe) const {
    return static_cast<std::size_t>(pe - m_map.first_near);
  }

  /// Unmaps all parts, even if some fail; returns the first failure.
  std::optional<Failure> unmap(Chunk& chunk);

  Vmm& m_vmm;
  FdExchange& m_exchange;
  char* m_reservation = nullptr;  // start of the first part
  HeapMap m_map;
  // Keyed by offset. A chunk that could not be removed completely stays in the
  // map.
  std::map<std::size_t, Chunk> m_chunks;
};

}  // namespace symm::Impl

#endif
