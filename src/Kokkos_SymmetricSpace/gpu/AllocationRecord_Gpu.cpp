// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <symm_gpu/KokkosImpl.hpp>

#include <mutex>
#include <unordered_map>

#define KOKKOS_IMPL_PUBLIC_INCLUDE
#include <impl/Kokkos_SharedAlloc_timpl.hpp>
#undef KOKKOS_IMPL_PUBLIC_INCLUDE

// For the macro, see kokkos_impl/AllocationRecord.cpp.
KOKKOS_IMPL_HOST_INACCESSIBLE_SHARED_ALLOCATION_RECORD_EXPLICIT_INSTANTIATION(
    symm::SymmetricSpace);

namespace symm::Impl {

namespace {

struct PoolRecords {
  std::mutex mutex;
  std::unordered_map<void const*, void*> by_data;
};

/// Never destroyed: Views may outlive main().
PoolRecords& pool_records() {
  static auto& records = *new PoolRecords;
  return records;
}

}  // namespace

void note_pool_record(void const* data, void* record) {
  auto& records = pool_records();
  std::lock_guard const lock(records.mutex);
  records.by_data[data] = record;
}

void forget_pool_record(void const* data) noexcept {
  auto& records = pool_records();
  std::lock_guard const lock(records.mutex);
  records.by_data.erase(data);
}

void* find_pool_record(void const* data) noexcept {
  auto& records = pool_records();
  std::lock_guard const lock(records.mutex);
  auto const found = records.by_data.find(data);
  return found == records.by_data.end() ? nullptr : found->second;
}

}  // namespace symm::Impl
