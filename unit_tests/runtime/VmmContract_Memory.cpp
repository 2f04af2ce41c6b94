// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory of one process: V09, V10, V19-V21, V23, V25, V27-V30, V37, V41, V43,
// V44, V47.

#include <runtime/symm_errors.hpp>
#include "VmmContract.hpp"

namespace symm_test {
namespace {

using symm::UsageError;
using symm::Impl::Vmm;

TEST_P(VmmContract, V09_new_memory_is_mapped_nowhere) {
  char* const address   = m_vmm->reserve(m_unit);
  auto const n_mappings = provider().n_mappings();
  auto const in_use     = provider().in_use();
  auto const handle     = m_vmm->create(m_unit, Vmm::Sharing::none);
  EXPECT_EQ(provider().n_mappings(), n_mappings);
  EXPECT_TRUE(is_more_in_use_than(in_use)) << "yet it is there";
  EXPECT_FALSE(provider().can_read(address));
  m_vmm->release(handle);
  EXPECT_EQ(provider().in_use(), in_use);
  m_vmm->address_free(address, m_unit);
}

TEST_P(VmmContract, V10_memory_comes_in_multiples_of_the_granularity) {
  for (std::size_t const bytes :
       {std::size_t{0}, std::size_t{1}, m_unit - 1, m_unit + 1, m_unit / 2}) {
    EXPECT_THROW(static_cast<void>(m_vmm->create(bytes, Vmm::Sharing::none)),
                 UsageError)
        << bytes;
  }
  for (std::size_t const units : {1U, 2U, 3U, 7U}) {
    auto const block = new_block(units * m_unit);
    EXPECT_TRUE(provider().can_write(block.address + block.bytes - 1));
    remove(block);
  }
}

TEST_P(VmmContract, V19_memory_is_mapped_into_a_reserved_range_only) {
  char* const address = m_vmm->reserve(4 * m_unit);
  auto const handle   = m_vmm->create(2 * m_unit, Vmm::Sharing::none);
  auto const map_at   = [&](char* where) {
    m_vmm->map(where, 2 * m_unit, 0, handle);
  };
  EXPECT_THROW(map_at(address - m_unit), UsageError) << "starts before it";
  EXPECT_THROW(map_at(address + 3 * m_unit), UsageError) << "ends after it";
  EXPECT_THROW(map_at(address + 4 * m_unit), UsageError) << "after it";
  EXPECT_THROW(map_at(nullptr), UsageError);
  map_at(address + 2 * m_unit);
  m_vmm->unmap(address + 2 * m_unit, 2 * m_unit);
  m_vmm->address_free(address, 4 * m_unit);
  EXPECT_THROW(map_at(address), UsageError) << "given back";
  m_vmm->release(handle);
}

TEST_P(VmmContract, V20_the_offset_must_be_0_at_present) {
  char* const address = m_vmm->reserve(2 * m_unit);
  auto const handle   = m_vmm->create(2 * m_unit, Vmm::Sharing::none);
  for (std::size_t const units : {1U, 2U}) {
    auto const offset = units * m_unit;
    EXPECT_THROW(m_vmm->map(address, m_unit, offset, handle), UsageError);
    EXPECT_THROW(m_vmm->map(address, 2 * m_unit, offset, handle), UsageError);
  }
  m_vmm->release(handle);
  m_vmm->address_free(address, 2 * m_unit);
}

TEST_P(VmmContract, V21_sizes_offsets_and_addresses_are_multiples) {
  char* const address = m_vmm->reserve(4 * m_unit);
  auto const handle   = m_vmm->create(2 * m_unit, Vmm::Sharing::none);
  for (std::size_t const bytes :
       {std::size_t{0}, std::size_t{1}, m_unit - 1, m_unit + 1}) {
    EXPECT_THROW(m_vmm->map(address, bytes, 0, handle), UsageError) << bytes;
  }
  for (std::size_t const offset : {std::size_t{1}, m_unit / 2, m_unit + 1}) {
    EXPECT_THROW(m_vmm->map(address, 2 * m_unit, offset, handle), UsageError);
    EXPECT_THROW(m_vmm->map(address + offset, 2 * m_unit, 0, handle),
                 UsageError);
  }
  for (std::size_t const units : {1U, 3U}) {
    EXPECT_THROW(m_vmm->map(address, units * m_unit, 0, handle), UsageError)
        << "not all of the memory, or more";
  }
  m_vmm->release(handle);
  m_vmm->address_free(address, 4 * m_unit);
}

TEST_P(VmmContract, V23_the_memory_is_behind_the_addresses_it_is_mapped_to) {
  auto const bytes    = 2 * m_unit;
  char* const address = m_vmm->reserve(2 * bytes);
  auto const handle   = m_vmm->create(bytes, Vmm::Sharing::none);
  map(address, bytes, handle);
  map(address + bytes, bytes, handle);
  provider().write(address, pattern(bytes, 1));
  EXPECT_EQ(provider().read(address + bytes, bytes), pattern(bytes, 1))
      << "one memory at two addresses";
  m_vmm->unmap(address, bytes);
  m_vmm->unmap(address + bytes, bytes);
  map(address, bytes, handle);
  EXPECT_EQ(provider().read(address, bytes), pattern(bytes, 1))
      << "and after it was mapped nowhere";
  m_vmm->unmap(address, bytes);
  m_vmm->release(handle);
  m_vmm->address_free(address, 2 * bytes);
}

TEST_P(VmmContract, V25_mapping_alone_gives_no_access) {
  char* const address = m_vmm->reserve(m_unit);
  auto const handle   = m_vmm->create(m_unit, Vmm::Sharing::none);
  m_vmm->map(address, m_unit, 0, handle);
  EXPECT_FALSE(provider().can_read(address));
  EXPECT_FALSE(provider().can_write(address));
  m_vmm->set_access(address, m_unit, Vmm::Access::read_write);
  EXPECT_TRUE(provider().can_read(address));
  EXPECT_TRUE(provider().can_write(address));
  remove({address, m_unit, handle});
}

TEST_P(VmmContract, V27_a_mapping_is_never_mapped_over) {
  char* const address = m_vmm->reserve(6 * m_unit);
  auto const handle   = m_vmm->create(2 * m_unit, Vmm::Sharing::none);
  auto const other    = m_vmm->create(2 * m_unit, Vmm::Sharing::none);
  auto const single   = m_vmm->create(m_unit, Vmm::Sharing::none);
  auto const large    = m_vmm->create(6 * m_unit, Vmm::Sharing::none);
  char* const middle  = address + 2 * m_unit;
  map(middle, 2 * m_unit, handle);
  provider().write(middle, pattern(2 * m_unit, 1));
  EXPECT_THROW(m_vmm->map(middle, 2 * m_unit, 0, other), UsageError);
  EXPECT_THROW(m_vmm->map(middle + m_unit, 2 * m_unit, 0, other), UsageError);
  EXPECT_THROW(m_vmm->map(middle - m_unit, 2 * m_unit, 0, other), UsageError);
  EXPECT_THROW(m_vmm->map(address, 6 * m_unit, 0, large), UsageError);
  EXPECT_THROW(m_vmm->map(middle + m_unit, m_unit, 0, single), UsageError);
  EXPECT_EQ(provider().read(middle, 2 * m_unit), pattern(2 * m_unit, 1));
  EXPECT_TRUE(provider().can_write(middle)) << "as it was";
  map(address, 2 * m_unit, other);  // up to it
  map(address + 4 * m_unit, 2 * m_unit, other);
  EXPECT_EQ(provider().read(middle, 2 * m_unit), pattern(2 * m_unit, 1));
  for (std::size_t const units : {0U, 2U, 4U}) {
    m_vmm->unmap(address + units * m_unit, 2 * m_unit);
  }
  for (auto const each : {handle, other, single, large}) m_vmm->release(each);
  m_vmm->address_free(address, 6 * m_unit);
}

TEST_P(VmmContract, V28_rights_are_those_of_one_range) {
  char* const address = m_vmm->reserve(2 * m_unit);
  auto const first    = m_vmm->create(m_unit, Vmm::Sharing::none);
  auto const second   = m_vmm->create(m_unit, Vmm::Sharing::none);
  m_vmm->map(address, m_unit, 0, first);
  m_vmm->map(address + m_unit, m_unit, 0, second);
  m_vmm->set_access(address, m_unit, Vmm::Access::read_write);
  EXPECT_TRUE(provider().can_write(address));
  EXPECT_TRUE(provider().can_write(address + m_unit - 1));
  EXPECT_FALSE(provider().can_read(address + m_unit));
  m_vmm->unmap(address, m_unit);
  m_vmm->unmap(address + m_unit, m_unit);
  m_vmm->release(first);
  m_vmm->release(second);
  m_vmm->address_free(address, 2 * m_unit);
}

TEST_P(VmmContract, V29_rights_are_set_for_exactly_what_was_mapped) {
  auto const block  = new_block(3 * m_unit);
  auto const forbid = [&](char* address, std::size_t bytes) {
    m_vmm->set_access(address, bytes, Vmm::Access::none);
  };
  EXPECT_THROW(forbid(block.address, m_unit), UsageError);
  EXPECT_THROW(forbid(block.address, 4 * m_unit), UsageError);
  EXPECT_THROW(forbid(block.address, 0), UsageError);
  EXPECT_THROW(forbid(block.address + m_unit, 2 * m_unit), UsageError);
  EXPECT_THROW(forbid(block.address - m_unit, 4 * m_unit), UsageError);
  EXPECT_TRUE(provider().can_write(block.address)) << "nothing has changed";
  EXPECT_TRUE(provider().can_write(block.address + 2 * m_unit));
  forbid(block.address, block.bytes);
  EXPECT_FALSE(provider().can_read(block.address));
  EXPECT_FALSE(provider().can_read(block.address + 3 * m_unit - 1));
  remove(block);
}

TEST_P(VmmContract, V30_each_kind_of_access_is_applied) {
  auto const block = new_block(m_unit);
  for (auto const access : {Vmm::Access::none, Vmm::Access::read_write,
                            Vmm::Access::none, Vmm::Access::read_write}) {
    m_vmm->set_access(block.address, m_unit, access);
    bool const has_access = access == Vmm::Access::read_write;
    EXPECT_EQ(provider().can_read(block.address), has_access);
    EXPECT_EQ(provider().can_write(block.address), has_access);
    bool const is_read_only = set_read_only(*m_vmm, block.address, m_unit);
    EXPECT_EQ(provider().can_read(block.address), is_read_only || has_access);
    EXPECT_EQ(provider().can_write(block.address), !is_read_only && has_access);
  }
  remove(block);
}

TEST_P(VmmContract, V37_a_released_handle_is_not_used_any_more) {
  char* const address = m_vmm->reserve(m_unit);
  auto const handle   = m_vmm->create(m_unit, Vmm::Sharing::by_descriptor);
  m_vmm->release(handle);
  auto const later = m_vmm->create(m_unit, Vmm::Sharing::by_descriptor);
  EXPECT_NE(later, handle) << "it would be taken for the other";
  EXPECT_THROW(m_vmm->map(address, m_unit, 0, handle), UsageError);
  EXPECT_THROW(static_cast<void>(m_vmm->export_handle(handle)), UsageError);
  EXPECT_THROW(m_vmm->release(handle), UsageError);
  EXPECT_THROW(m_vmm->map(address, m_unit, 0, Vmm::Handle{}), UsageError);
  m_vmm->release(later);
  m_vmm->address_free(address, m_unit);
}

TEST_P(VmmContract, V41_the_handle_of_a_mapped_address_can_be_had_again) {
  auto const before = provider().in_use();
  auto const block  = new_block(2 * m_unit);
  provider().write(block.address, pattern(block.bytes, 1));
  m_vmm->release(block.handle);
  auto const again = m_vmm->retain(block.address + m_unit + 1);
  m_vmm->unmap(block.address, block.bytes);
  map(block.address, block.bytes, again);
  EXPECT_EQ(provider().read(block.address, block.bytes),
            pattern(block.bytes, 1))
      << "the same memory";
  m_vmm->unmap(block.address, block.bytes);
  EXPECT_THROW(static_cast<void>(m_vmm->retain(block.address)), UsageError);
  EXPECT_TRUE(is_more_in_use_than(before)) << "the handle keeps it";
  m_vmm->release(again);
  EXPECT_EQ(provider().in_use(), before) << "and balances";
  m_vmm->address_free(block.address, block.bytes);
}

TEST_P(VmmContract, V43_unmapping_ends_access_and_keeps_the_memory) {
  auto const block = new_block(2 * m_unit);
  provider().write(block.address, pattern(block.bytes, 1));
  EXPECT_THROW(m_vmm->unmap(block.address, m_unit), UsageError);
  EXPECT_THROW(m_vmm->unmap(block.address + m_unit, m_unit), UsageError);
  EXPECT_TRUE(provider().can_write(block.address)) << "nothing has changed";
  m_vmm->unmap(block.address, block.bytes);
  EXPECT_FALSE(provider().can_read(block.address));
  EXPECT_FALSE(provider().can_read(block.address + block.bytes - 1));
  // The addresses stay reserved, the memory keeps its contents.
  map(block.address, block.bytes, block.handle);
  EXPECT_EQ(provider().read(block.address, block.bytes),
            pattern(block.bytes, 1));
  remove(block);
}

TEST_P(VmmContract, V44_released_memory_lives_while_it_is_mapped) {
  auto const before = provider().in_use();
  auto const block  = new_block(m_unit);
  provider().write(block.address, pattern(m_unit, 1));
  m_vmm->release(block.handle);
  EXPECT_EQ(provider().read(block.address, m_unit), pattern(m_unit, 1));
  EXPECT_TRUE(provider().can_write(block.address));
  EXPECT_TRUE(is_more_in_use_than(before));
  m_vmm->unmap(block.address, m_unit);
  EXPECT_EQ(provider().in_use(), before) << "then it is gone";
  m_vmm->address_free(block.address, m_unit);
}

TEST_P(VmmContract, V47_memory_that_is_not_shared_needs_no_export) {
  auto const before = provider().in_use();
  auto const block  = new_block(m_unit, Vmm::Sharing::none);
  provider().write(block.address, pattern(m_unit, 1));
  EXPECT_EQ(provider().read(block.address, m_unit), pattern(m_unit, 1));
  remove(block);
  EXPECT_EQ(provider().in_use(), before);
}

TEST_P(VmmContract, V44_at_its_end_a_provider_leaves_nothing_behind) {
  auto const before = provider().in_use();
  char* address     = nullptr;
  {
    auto const vmm    = provider().make();
    address           = vmm->reserve(2 * m_unit);
    auto const handle = vmm->create(m_unit, Vmm::Sharing::by_descriptor);
    vmm->map(address, m_unit, 0, handle);
    EXPECT_TRUE(is_more_in_use_than(before));
  }
  EXPECT_EQ(provider().in_use(), before);
  EXPECT_FALSE(provider().can_read(address));
}

TEST_P(VmmContract, abandoned_memory_stays_where_it_is) {
  char* address = nullptr;
  {
    auto const vmm    = provider().make();
    address           = vmm->reserve(m_unit);
    auto const handle = vmm->create(m_unit, Vmm::Sharing::by_descriptor);
    vmm->map(address, m_unit, 0, handle);
    vmm->set_access(address, m_unit, Vmm::Access::read_write);
    vmm->release(handle);
    provider().write(address, pattern(m_unit, 1));
    vmm->abandon();
  }
  EXPECT_EQ(provider().read(address, m_unit), pattern(m_unit, 1));
}

}  // namespace
}  // namespace symm_test
