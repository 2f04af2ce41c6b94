// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Addresses: V01-V07, V45, V46.

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <runtime/base/Types.hpp>
#include <runtime/symm_errors.hpp>
#include "VmmContract.hpp"

namespace symm_test {
namespace {

using symm::UsageError;
using symm::Impl::Vmm;

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t value_of(void const* address) {
  return reinterpret_cast<std::size_t>(address);
}

TEST_P(VmmContract, V01_the_steps_work_in_their_order_and_only_then) {
  auto const bytes    = m_unit;
  char* const address = m_vmm->reserve(bytes);
  auto const handle   = m_vmm->create(bytes, Vmm::Sharing::none);
  EXPECT_THROW(m_vmm->set_access(address, bytes, Vmm::Access::read_write),
               UsageError)
      << "before map";
  EXPECT_THROW(m_vmm->unmap(address, bytes), UsageError) << "before map";
  map(address, bytes, handle);
  provider().write(address, pattern(bytes, 1));
  EXPECT_EQ(provider().read(address, bytes), pattern(bytes, 1));
  EXPECT_THROW(m_vmm->address_free(address, bytes), UsageError)
      << "before unmap";
  m_vmm->unmap(address, bytes);
  EXPECT_THROW(m_vmm->unmap(address, bytes), UsageError) << "twice";
  m_vmm->release(handle);
  EXPECT_THROW(m_vmm->release(handle), UsageError) << "twice";
  m_vmm->address_free(address, bytes);
  EXPECT_THROW(m_vmm->address_free(address, bytes), UsageError) << "twice";
}

TEST_P(VmmContract, V02_the_granularity_serves_sizes_and_addresses) {
  auto const least = m_vmm->granularity(Vmm::Granularity::minimum);
  auto const best  = m_vmm->granularity(Vmm::Granularity::recommended);
  EXPECT_TRUE(std::has_single_bit(least));
  EXPECT_TRUE(std::has_single_bit(best));
  EXPECT_LE(least, best);
  for (auto const unit : {least, best}) {
    // One unit of memory at an address one unit behind the start.
    char* const range = m_vmm->reserve(3 * unit);
    auto const handle = m_vmm->create(unit, Vmm::Sharing::none);
    map(range + unit, unit, handle);
    EXPECT_TRUE(provider().can_write(range + unit));
    EXPECT_TRUE(provider().can_write(range + 2 * unit - 1));
    EXPECT_FALSE(provider().can_read(range + unit - 1));
    EXPECT_FALSE(provider().can_read(range + 2 * unit));
    m_vmm->unmap(range + unit, unit);
    m_vmm->release(handle);
    m_vmm->address_free(range, 3 * unit);
  }
}

TEST_P(VmmContract, V03_a_range_is_a_positive_multiple_of_the_page_size) {
  auto const page = page_bytes();
  for (std::size_t const bytes :
       {std::size_t{0}, std::size_t{1}, page - 1, page + 1, 3 * page / 2}) {
    EXPECT_THROW(static_cast<void>(m_vmm->reserve(bytes)), UsageError) << bytes;
  }
  auto const bytes    = symm::Impl::round_up(page, m_unit);
  char* const address = m_vmm->reserve(bytes);
  EXPECT_NE(address, nullptr);
  m_vmm->address_free(address, bytes);
}

TEST_P(VmmContract, V03_more_addresses_than_there_are_is_out_of_memory) {
  for (auto const bytes :
       {std::size_t{1} << 60U,
        symm::Impl::round_down(std::numeric_limits<std::size_t>::max(),
                               std::size_t{1} << 30U)}) {
    EXPECT_THROW(static_cast<void>(m_vmm->reserve(bytes)), symm::OutOfMemory);
    EXPECT_THROW(
        static_cast<void>(m_vmm->reserve(bytes, std::size_t{1} << 30U)),
        symm::OutOfMemory);
  }
}

TEST_P(VmmContract, V04_a_hint_is_a_multiple_of_the_page_size) {
  auto const page     = page_bytes();
  char* const address = m_vmm->reserve(m_unit);
  for (std::size_t const distance : {std::size_t{1}, page / 2, page - 1}) {
    EXPECT_THROW(
        static_cast<void>(m_vmm->reserve(m_unit, 0, address + distance)),
        UsageError);
  }
  m_vmm->address_free(address, m_unit);
}

TEST_P(VmmContract, V05_an_alignment_is_a_power_of_two_or_0) {
  for (std::size_t const alignment :
       {std::size_t{3}, std::size_t{24}, page_bytes() + 8,
        (std::size_t{1} << 63U) + 8, ~std::size_t{0}}) {
    EXPECT_THROW(static_cast<void>(m_vmm->reserve(m_unit, alignment)),
                 UsageError)
        << alignment;
  }
  for (std::size_t const alignment :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, page_bytes(), m_unit,
        std::size_t{2} << 20U, std::size_t{1} << 30U}) {
    char* const address = m_vmm->reserve(m_unit, alignment);
    EXPECT_EQ(value_of(address) % (alignment == 0 ? m_unit : alignment), 0U)
        << alignment;
    m_vmm->address_free(address, m_unit);
  }
}

TEST_P(VmmContract, V06_a_hint_is_a_wish_only) {
  auto const block = new_block(m_unit);
  provider().write(block.address, pattern(m_unit, 1));
  // These addresses are taken: it must be others.
  char* const other = m_vmm->reserve(m_unit, 0, block.address);
  EXPECT_NE(other, block.address);
  EXPECT_EQ(provider().read(block.address, m_unit), pattern(m_unit, 1));
  m_vmm->address_free(other, m_unit);
  // These are free now: wherever the range is, it works.
  char* const again = m_vmm->reserve(m_unit, 0, other);
  auto const handle = m_vmm->create(m_unit, Vmm::Sharing::none);
  map(again, m_unit, handle);
  EXPECT_TRUE(provider().can_write(again));
  remove({again, m_unit, handle});
  remove(block);
}

TEST_P(VmmContract, V06_reserved_addresses_are_nobody_elses) {
  char* const address = m_vmm->reserve(4 * m_unit);
  char* const other   = m_vmm->reserve(4 * m_unit, 0, address + 2 * m_unit);
  EXPECT_TRUE(other + 4 * m_unit <= address || address + 4 * m_unit <= other);
  EXPECT_FALSE(provider().can_read(address)) << "addresses without memory";
  m_vmm->address_free(address, 4 * m_unit);
  m_vmm->address_free(other, 4 * m_unit);
}

// The functions have no parameter for flags: none can be wrong. A parameter
// that is added fails to compile here.
TEST_P(VmmContract, V07_V11_V22_there_are_no_flags_to_get_wrong) {
  static_assert(
      std::is_same_v<decltype(&Vmm::reserve),
                     char* (Vmm::*)(std::size_t, std::size_t, void*)>);
  static_assert(
      std::is_same_v<decltype(&Vmm::create),
                     Vmm::Handle (Vmm::*)(std::size_t, Vmm::Sharing)>);
  static_assert(std::is_same_v<decltype(&Vmm::map),
                               void (Vmm::*)(char*, std::size_t, std::size_t,
                                             Vmm::Handle)>);
  // Nor do numbers pass for what they do take.
  static_assert(!std::is_convertible_v<int, Vmm::Sharing>);
  static_assert(!std::is_convertible_v<int, Vmm::Access>);
  static_assert(!std::is_convertible_v<int, Vmm::Handle>);
}

TEST_P(VmmContract, V45_addresses_are_given_back_with_their_exact_size) {
  auto const bytes    = 4 * m_unit;
  char* const address = m_vmm->reserve(bytes);
  for (std::size_t const wrong : {std::size_t{0}, std::size_t{1}, m_unit,
                                  bytes - m_unit, bytes + m_unit}) {
    EXPECT_THROW(m_vmm->address_free(address, wrong), UsageError) << wrong;
  }
  m_vmm->address_free(address, bytes);
}

TEST_P(VmmContract, V46_addresses_are_given_back_from_their_start) {
  auto const bytes    = 4 * m_unit;
  char* const address = m_vmm->reserve(bytes);
  int somewhere       = 0;
  for (char* const wrong :
       {address + m_unit, address + 1, address - m_unit,
        reinterpret_cast<char*>(&somewhere), static_cast<char*>(nullptr)}) {
    EXPECT_THROW(m_vmm->address_free(wrong, bytes), UsageError);
    EXPECT_THROW(m_vmm->address_free(wrong, bytes - m_unit), UsageError);
  }
  // Still reserved: memory can be mapped there.
  auto const handle = m_vmm->create(m_unit, Vmm::Sharing::none);
  map(address + m_unit, m_unit, handle);
  EXPECT_TRUE(provider().can_write(address + m_unit));
  m_vmm->unmap(address + m_unit, m_unit);
  m_vmm->release(handle);
  m_vmm->address_free(address, bytes);
}

}  // namespace
}  // namespace symm_test
