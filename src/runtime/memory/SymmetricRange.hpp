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

/// One range of addresses with a part for every PE of this node, and chunks of
/// memory mapped at the same offset in every part. All PEs of a node reach the
/// memory that one of them creates.
class SymmetricRange {
 public:
  /// Reserves part_bytes for each PE that `exchange` connects. Local: agree on
  /// a failure afterwards.
  /// \param part_bytes a multiple of the minimum granularity and of
  ///        `alignment`: an aligned offset is then an aligned address.
  /// \throws OutOfMemory, SystemError on this PE.
  SymmetricRange(Vmm& vmm, FdExchange& exchange, Pe my_pe, int n_pes,
                 std::size_t part_bytes, std::size_t alignment);

  /// Local. Unmaps what is mapped.
  ~SymmetricRange();

  SymmetricRange(SymmetricRange const&)            = delete;
  SymmetricRange& operator=(SymmetricRange const&) = delete;

  [[nodiscard]] HeapMap const& map() const { return m_map; }

  /// The result of adding a chunk, the same on every PE.
  struct Addition {
    /// If no PE has the chunk, the failure of the lowest PE that had one; the
    /// message names that PE.
    std::optional<Failure> failure;
    /// Whether a PE could not unmap its part of a failed chunk: no chunk can be
    /// at this offset from now on.
    bool is_lost = false;
  };

  /// Collective: every PE creates `bytes` bytes and maps those of its node's
  /// PEs at `offset`. Either all PEs that agree have the chunk afterwards or
  /// none has.
  ///
  /// \param own_memory makes a handle to `bytes` bytes of this PE's memory,
  ///        which this call releases; by default to new memory.
  [[nodiscard]] Addition try_to_add_chunk(
      std::size_t offset, std::size_t bytes, Agree const& agree,
      std::function<Vmm::Handle()> const& own_memory = {});

  /// The same for ranges that a failure makes useless.
  /// \throws OutOfMemory, SystemError on every PE.
  void add_chunk(std::size_t offset, std::size_t bytes, Agree const& agree);

  /// Removes a chunk from this process: the PE's own memory returns to the
  /// system when all PEs have removed it. Local: agree on a failure, after
  /// which no PE can use this offset again.
  /// \throws SystemError on this PE, after unmapping all that it could.
  void remove_chunk(std::size_t offset);

  /// Keeps all memory mapped until the process ends (live Views).
  void abandon() noexcept { m_reservation = nullptr; }
  [[nodiscard]] bool is_abandoned() const noexcept {
    return m_reservation == nullptr;
  }

 private:
  /// Lets the other PEs map this PE's memory.
  struct Offer {
    UniqueFd descriptor;
    FdExchange::Attachment note{};
  };

  struct Chunk {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
    std::vector<bool> is_mapped;  // by PE of the node
  };

  // The steps of adding a chunk. They note their mappings in the chunk; if they
  // fail, remove_chunk() undoes them.

  /// Does `work` and releases the handle.
  template <class Work>
  void with_handle(Vmm::Handle handle, Work const& work);
  /// Maps this PE's memory and releases its handle.
  Offer map_own(Chunk& chunk, Vmm::Handle handle);
  /// Maps the memory of the others.
  void map_peers(Chunk& chunk, Offer own);
  void map_peer(Chunk& chunk, Pe pe, FdExchange::Parcel parcel);
  void map_handle(Chunk& chunk, Pe pe, Vmm::Handle handle);

  [[nodiscard]] std::size_t index(Pe pe) const {
    return static_cast<std::size_t>(pe - m_map.first_near);
  }

  /// Unmaps all parts, also after a failure; returns the first failure.
  std::optional<Failure> unmap(Chunk& chunk);

  Vmm& m_vmm;
  FdExchange& m_exchange;
  char* m_reservation = nullptr;  // where the first part is
  HeapMap m_map;
  // By offset; also the rest of chunks that could not be removed.
  std::map<std::size_t, Chunk> m_chunks;
};

}  // namespace symm::Impl

#endif
