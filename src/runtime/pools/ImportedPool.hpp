// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_IMPORTED_POOL_HPP
#define SYMM_POOLS_IMPORTED_POOL_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../base/UniqueFd.hpp"
#include "../bootstrap/Bootstrap_Self.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/SymmetricRange.hpp"
#include "Pool.hpp"
#include "StreamOrder.hpp"

namespace symm::Impl {

/// Another process's pool, accessed through its file descriptor. The first call
/// to import() takes the pool's size from the imported pointer and maps all of
/// the pool's memory. The pool cannot allocate in this process (H86). Not
/// thread-safe.
class ImportedPool final : public Pool {
 public:
  /// \param job The job that abort() ends.
  /// \param descriptor Refers to the pool's memory.
  ImportedPool(std::uint64_t number, Bootstrap& job, UniqueFd descriptor,
               SharedPoolName const& name)
      : Pool(number, {.kind        = MemPoolKind::local,
                      .handle_type = MemPoolHandleType::posix_file_descriptor}),
        m_my_pe(job.my_pe()),
        m_self(job),
        m_exchange(m_self, {}),
        m_descriptor(std::move(descriptor)) {
    set_shared_name(name);
  }

  /// Returns an exported block's address in this process. A block that is
  /// imported twice has the same address both times, and must be freed twice.
  /// \param provider The provider for the block's kind of memory; must outlive
  ///        this object.
  /// \throws UsageError, OutOfMemory, SystemError on this PE.
  [[nodiscard]] void* import(char const* call, SharedPointer const& pointer,
                             MemoryProvider& provider);

  /// Whether `address` has been imported more often than it has been freed.
  [[nodiscard]] bool has(void const* address) const {
    return m_range && m_range->map().contains(address) &&
           m_blocks.contains(m_range->map().offset_of(address));
  }
  /// Precondition: has(address).
  /// \param at A stream position; work enqueued before that position may still
  ///        use the block.
  void free(void const* address, StreamOrder::Position at);

  /// The provider for the pool's kind of memory; null until the first import().
  [[nodiscard]] MemoryProvider* provider() const { return m_provider; }

  /// Whether the pool has been destroyed and none of its blocks is in use.
  /// \param ended The position up to which all work has completed.
  [[nodiscard]] bool has_ended(StreamOrder::Position ended) const {
    return m_is_ending && m_blocks.empty() && m_latest_free <= ended;
  }
  /// Appends the label and size of each block.
  void list_blocks(std::vector<std::string>& list) const;
  /// Leaves the pool's memory mapped until the process ends.
  void abandon() noexcept {
    if (m_range) m_range->abandon();
  }

 private:
  struct Block {
    std::uint64_t bytes = 0;
    std::size_t count   = 0;  // number of imports
  };

  void map(char const* call, SharedPointer const& pointer,
           MemoryProvider& provider);

  Pe m_my_pe;
  Bootstrap_Self m_self;
  FdExchange m_exchange;
  UniqueFd m_descriptor;  // closed once the memory is mapped
  MemoryProvider* m_provider = nullptr;
  std::optional<SymmetricRange> m_range;
  std::map<std::uint64_t, Block> m_blocks;  // keyed by offset
  StreamOrder::Position m_latest_free = 0;
};

}  // namespace symm::Impl

#endif
