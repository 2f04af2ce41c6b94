// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_SHARED_POOLS_HPP
#define SYMM_TEST_SHARED_POOLS_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <runtime/base/UniqueFd.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_pools.hpp>

/// What tests of pools between processes share: a pool of every PE, which the
/// next one imports (one PE: its own).
namespace symm_test::shared_pools {

inline constexpr auto by_descriptor =
    symm::MemPoolHandleType::posix_file_descriptor;
inline constexpr std::size_t pool_bytes = std::size_t{4} << 20U;

/// Of a local pool that has handles.
inline symm::MemPoolProperties shareable(symm::MemoryKind memory) {
  return {.kind        = symm::MemPoolKind::local,
          .memory      = memory,
          .handle_type = by_descriptor,
          .max_bytes   = pool_bytes};
}

inline symm::MemPool make_pool(symm::MemPoolProperties const& properties) {
  symm::MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(&pool, properties), symm::Status::success)
      << symm::last_error();
  return pool;
}

inline void* allocate(std::size_t bytes, symm::MemPool pool) {
  void* address = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, bytes, pool),
            symm::Status::success)
      << symm::last_error();
  return address;
}

inline symm::Impl::UniqueFd handle_of(symm::MemPool pool) {
  int descriptor = -1;
  EXPECT_EQ(symm::mem_pool_export_to_shareable_handle(&descriptor, pool,
                                                      by_descriptor, 0),
            symm::Status::success)
      << symm::last_error();
  return symm::Impl::UniqueFd(descriptor);
}

inline symm::MemPoolPtrExportData data_of(void* block) {
  symm::MemPoolPtrExportData data;
  EXPECT_EQ(symm::mem_pool_export_pointer(&data, block), symm::Status::success)
      << symm::last_error();
  return data;
}

inline symm::MemPool import_pool(symm::Impl::UniqueFd const& handle) {
  symm::MemPool pool;
  int descriptor = handle.get();
  EXPECT_EQ(symm::mem_pool_import_from_shareable_handle(&pool, &descriptor,
                                                        by_descriptor, 0),
            symm::Status::success)
      << symm::last_error();
  return pool;
}

inline void* import_pointer(symm::MemPool pool,
                            symm::MemPoolPtrExportData const& data) {
  void* address = nullptr;
  EXPECT_EQ(symm::mem_pool_import_pointer(&address, pool, &data),
            symm::Status::success)
      << symm::last_error();
  return address;
}

/// What a PE passes to the next one.
struct Parcel {
  symm::Impl::UniqueFd handle;
  symm::MemPoolPtrExportData data;
};

/// Collective: passes one's own to the next PE; returns that of the previous.
inline Parcel pass(Parcel mine) {
  auto& runtime = symm::Impl::Runtime::instance("test");
  if (runtime.n_pes() == 1) return mine;
  symm::Impl::FdExchange::Attachment note{};
  std::copy(mine.data.bytes.begin(), mine.data.bytes.end(), note.begin());
  auto all = runtime.exchange().exchange(mine.handle.get(), note);
  auto& previous =
      all[static_cast<std::size_t>(runtime.my_pe() + runtime.n_pes() - 1) %
          static_cast<std::size_t>(runtime.n_pes())];
  Parcel result{std::move(previous.descriptor), {}};
  std::copy_n(previous.note.begin(), result.data.bytes.size(),
              result.data.bytes.begin());
  return result;
}

inline symm::Pe previous_pe() {
  auto const& runtime = symm::Impl::Runtime::instance("test");
  return (runtime.my_pe() + runtime.n_pes() - 1) % runtime.n_pes();
}
inline symm::Pe next_pe() {
  auto const& runtime = symm::Impl::Runtime::instance("test");
  return (runtime.my_pe() + 1) % runtime.n_pes();
}

// Memory of any kind, by copies of its provider.

inline void fill(symm::MemoryKind memory, void* block, std::size_t bytes,
                 int seed) {
  std::vector<unsigned char> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    values[i] = static_cast<unsigned char>(static_cast<std::size_t>(seed) * 31 +
                                           i % 251);
  }
  auto& heap = symm::Impl::Runtime::instance("test").heap(memory, "test");
  heap.provider().copy(block, values.data(), bytes);
}

/// Bytes that are not as fill() has made them.
inline std::size_t n_wrong(symm::MemoryKind memory, void const* block,
                           std::size_t bytes, int seed) {
  std::vector<unsigned char> values(bytes);
  auto& heap = symm::Impl::Runtime::instance("test").heap(memory, "test");
  heap.provider().copy(values.data(), block, bytes);
  std::size_t result = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    auto const right = static_cast<unsigned char>(
        static_cast<std::size_t>(seed) * 31 + i % 251);
    if (values[i] != right) ++result;
  }
  return result;
}

}  // namespace symm_test::shared_pools

#endif
