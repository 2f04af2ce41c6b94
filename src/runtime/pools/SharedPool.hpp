// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_SHARED_POOL_HPP
#define SYMM_POOLS_SHARED_POOL_HPP

#include <cstdint>
#include <type_traits>

#include "../base/UniqueFd.hpp"
#include "../symm_pools.hpp"

// What processes tell each other of a pool.

namespace symm::Impl {

/// The same in all processes: which file its descriptors are of, and, as all
/// memory of a GPU may be one file, who has made it. (An importer that has seen
/// no pointer yet knows the file only.)
struct SharedPoolName {
  std::uint64_t device  = 0;
  std::uint64_t file    = 0;
  std::uint64_t process = 0;  // 0: not known yet
  std::uint64_t number  = 0;

  /// \throws UsageError on this PE for no open descriptor.
  static SharedPoolName of(UniqueFd const& descriptor, char const* call);

  [[nodiscard]] bool is_complete() const { return process != 0; }
  [[nodiscard]] bool is_same_file(SharedPoolName const& other) const {
    return device == other.device && file == other.file;
  }
  friend bool operator==(SharedPoolName const&,
                         SharedPoolName const&) = default;
};

/// What MemPoolPtrExportData holds: one block of an exported pool.
struct SharedPointer {
  std::uint32_t check  = 0;  // of all that follows
  std::uint32_t memory = 0;  // MemoryKind
  SharedPoolName pool;
  std::uint64_t pool_bytes = 0;
  std::uint64_t offset     = 0;  // in the pool
  std::uint64_t bytes      = 0;

  /// As it travels.
  [[nodiscard]] MemPoolPtrExportData pack() const;
  /// \throws UsageError on this PE for what no process has packed.
  [[nodiscard]] static SharedPointer unpack(MemPoolPtrExportData const& data,
                                            char const* call);
};
static_assert(sizeof(SharedPointer) == sizeof(MemPoolPtrExportData));
static_assert(std::has_unique_object_representations_v<SharedPointer>);

}  // namespace symm::Impl

#endif
