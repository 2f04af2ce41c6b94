// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SYMMETRIC_RANGE_HPP
#define SYMM_SYMMETRIC_RANGE_HPP

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "../runtime/Bootstrap.hpp"
#include "../runtime/FdExchange.hpp"
#include "../runtime/HeapMap.hpp"
#include "../runtime/Vmm.hpp"

namespace symm {

/// One range of addresses with a part for every PE, and chunks of memory mapped
/// at the same offset in every part: what a PE creates, all PEs reach.
class SymmetricRange {
 public:
  /// Reserves n_pes * part_bytes. Local: agree on a failure afterwards.
  /// \param part_bytes a multiple of the minimum granularity, and of
  ///        `alignment`; then an aligned offset is an aligned address.
  /// \throws OutOfMemory, SystemError on this PE.
  SymmetricRange(Vmm& vmm, FdExchange& exchange, Pe my_pe, int n_pes,
                 std::size_t part_bytes, std::size_t alignment);

  /// Local. Unmaps what is mapped.
  ~SymmetricRange();

  SymmetricRange(SymmetricRange const&)            = delete;
  SymmetricRange& operator=(SymmetricRange const&) = delete;

  [[nodiscard]] HeapMap const& map() const { return m_map; }

  /// Collective: every PE creates `bytes` bytes and maps everybody's at
  /// `offset`. Either all PEs have the chunk afterwards or none has.
  /// \throws OutOfMemory, SystemError on every PE; the message names the PE.
  ///
  /// \param own_memory makes a handle to `bytes` bytes of this PE's memory,
  /// which
  ///        this call releases; by default to new memory.
  void add_chunk(std::size_t offset, std::size_t bytes, Agree const& agree,
                 std::function<Vmm::Handle()> const& own_memory = {});

  /// Removes a chunk from this process: the PE's own memory returns to the
  /// system when all PEs have removed it. Local.
  /// \throws SystemError on this PE, after all that could be removed has been;
  ///         what is left of the chunk is lost.
  void remove_chunk(std::size_t offset, std::size_t bytes);

  /// Keeps all memory mapped until the process ends (live Views).
  void abandon() noexcept { m_map.base = nullptr; }

 private:
  /// What the other PEs need to reach this PE's memory.
  struct Offer {
    UniqueFd descriptor;
    FdExchange::Note note{};
  };

  /// Does `work`, whose last step is map_handle(), and releases the handle; if
  /// that fails, nothing is mapped.
  void with_handle(Vmm::Handle handle, Pe pe, std::size_t offset,
                   std::size_t bytes, std::function<void()> const& work);
  /// Maps this PE's memory and releases its handle.
  Offer map_own(std::size_t offset, std::size_t bytes, Vmm::Handle handle);
  /// Returns the PEs whose memory is mapped: all others, unless one has failed.
  std::vector<Pe> map_peers(std::size_t offset, std::size_t bytes, Offer own);
  void map_peer(Pe pe, FdExchange::Parcel parcel, std::size_t offset,
                std::size_t bytes);
  void map_handle(Vmm::Handle handle, Pe pe, std::size_t offset,
                  std::size_t bytes);
  void unmap(Pe pe, std::size_t offset, std::size_t bytes);

  Vmm& m_vmm;
  FdExchange& m_exchange;
  HeapMap m_map;
  std::map<std::size_t, std::size_t> m_chunks;  // offset: bytes
};

}  // namespace symm

#endif
