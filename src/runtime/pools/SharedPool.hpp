// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_SHARED_POOL_HPP
#define SYMM_POOLS_SHARED_POOL_HPP

#include <cstdint>
#include <type_traits>

#include "../base/UniqueFd.hpp"
#include "../symm_pools.hpp"

// Pool data that processes exchange.

namespace symm::Impl {

/// Identifies a pool across processes: the file that its descriptors refer to,
/// the process that created the pool, and the pool's number in that process.
/// The file alone does not suffice, because all of a GPU's memory may be a
/// single file. (Until an importing process imports a pointer, it knows only
/// the file.)
struct SharedPoolName {
  std::uint64_t device  = 0;
  std::uint64_t file    = 0;
  std::uint64_t process = 0;  // 0: not yet known
  std::uint64_t number  = 0;

  /// \throws UsageError on this PE if the descriptor is not open.
  static SharedPoolName of(UniqueFd const& descriptor, char const* call);

  [[nodiscard]] bool is_complete() const { return process != 0; }
  [[nodiscard]] bool is_same_file(SharedPoolName const& other) const {
    return device == other.device && file == other.file;
  }
  friend bool operator==(SharedPoolName const&,
                         SharedPoolName const&) = default;
};

/// The contents of MemPoolPtrExportData: one block of an exported pool.
struct SharedPointer {
  std::uint32_t check  = 0;  // checksum of everything that follows
  std::uint32_t memory = 0;  // MemoryKind
  SharedPoolName pool;
  std::uint64_t pool_bytes = 0;
  std::uint64_t offset     = 0;  // offset within the pool
  std::uint64_t bytes      = 0;

  /// Returns the data to send to another process.
  [[nodiscard]] MemPoolPtrExportData pack() const;
  /// \throws UsageError on this PE for data that pack() did not create.
  [[nodiscard]] static SharedPointer unpack(MemPoolPtrExportData const& data,
                                            char const* call);
};
static_assert(sizeof(SharedPointer) == sizeof(MemPoolPtrExportData));
static_assert(std::has_unique_object_representations_v<SharedPointer>);

}  // namespace symm::Impl

#endif
