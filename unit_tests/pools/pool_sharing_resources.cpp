// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What pools between processes take from the system comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ProcessResources.hpp>

#include <ostream>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/pools/SharedPool.hpp>

#include "memory_of_space.hpp"
#include "shared_pools.hpp"

namespace symm_test::shared_pools {
namespace {

using symm::Status;

struct Held {
  std::size_t descriptors = n_open_descriptors();
  // Of host memory; those of the library have this name.
  std::size_t files    = n_memfd_descriptors("symm");
  std::size_t mappings = n_memfd_mappings("symm");

  friend bool operator==(Held const&, Held const&) = default;
  friend std::ostream& operator<<(std::ostream& out, Held const& held) {
    return out << held.descriptors << " descriptors, " << held.files
               << " of memory, " << held.mappings << " mappings";
  }
};

/// Collective: shares a block, and takes all back.
void share_once() {
  auto const memory = memory_of_space<SYMM_TEST_SPACE>();
  symm::UniqueMemPool const pool(shareable(memory));
  void* const block = allocate(1000, pool);
  {
    auto const parcel = pass({handle_of(pool), data_of(block)});
    symm::UniqueMemPool const imported(import_pool(parcel.handle));
    void* const theirs = import_pointer(imported, parcel.data);
    fill(memory, theirs, 1000, symm::my_pe());
    EXPECT_EQ(symm::free_async(theirs), Status::success);
  }
  symm::barrier_all();
  EXPECT_EQ(symm::free_async(block), Status::success);
}

/// Collective: where pools that have ended give back.
void call_the_heap() {
  symm::free(symm::malloc(16));
  symm::free(symm::malloc(16));
}

TEST(SharedPoolResources, H44_H80_nothing_is_left_of_pools_that_have_ended) {
  share_once();  // what is made once
  call_the_heap();
  Held const before;
  for (int i = 0; i < 3; ++i) {
    share_once();
    call_the_heap();
    EXPECT_EQ(Held(), before);
  }
}

TEST(SharedPoolResources, H44_nothing_is_left_of_a_pool_without_pointers) {
  symm::UniqueMemPool const pool(shareable(memory_of_space<SYMM_TEST_SPACE>()));
  auto const handle = handle_of(pool);
  call_the_heap();
  Held const before;
  static_cast<void>(symm::UniqueMemPool(import_pool(handle)));
  call_the_heap();
  EXPECT_EQ(Held(), before);
}

/// As another size, which its descriptor does not have.
symm::MemPoolPtrExportData with_wrong_pool_bytes(
    symm::MemPoolPtrExportData const& data) {
  auto pointer = symm::Impl::SharedPointer::unpack(data, "test");
  pointer.pool_bytes *= 2;
  return pointer.pack();
}

TEST(SharedPoolResources, H84_H88_nothing_is_left_of_what_was_refused) {
  symm::UniqueMemPool const pool(shareable(memory_of_space<SYMM_TEST_SPACE>()));
  void* const block = allocate(1000, pool);
  auto const handle = handle_of(pool);
  auto const data   = with_wrong_pool_bytes(data_of(block));
  symm::UniqueMemPool const imported(import_pool(handle));
  Held const before;
  for (int i = 0; i < 3; ++i) {
    symm::MemPool none;
    int wrong = 0;  // stdin
    EXPECT_EQ(symm::mem_pool_import_from_shareable_handle(&none, &wrong,
                                                          by_descriptor, 0),
              Status::invalid_value);
    void* address = &wrong;
    EXPECT_NE(symm::mem_pool_import_pointer(&address, imported, &data),
              Status::success);
    EXPECT_THAT(symm::last_error(), testing::HasSubstr("cannot be mapped"));
    EXPECT_EQ(address, nullptr);
    EXPECT_EQ(Held(), before);
  }
  EXPECT_EQ(symm::free_async(import_pointer(imported, data_of(block))),
            Status::success)
      << "and it works afterwards";
  EXPECT_EQ(symm::free_async(block), Status::success);
}

}  // namespace
}  // namespace symm_test::shared_pools
