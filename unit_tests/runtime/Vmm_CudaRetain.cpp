// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory that the program has made with the driver's cuMem* functions, found
// and retained by the provider. With the fake driver or a GPU.

#include <gmock/gmock.h>

#include <cstddef>
#include <memory>
#include <optional>

#include <runtime/base/Failure.hpp>
#include <runtime/gpu/Vmm_Gpu.hpp>
#include "CudaProgram.hpp"
#include "CudaProvider.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::MemoryKind;
using symm::UsageError;
using symm::Impl::Vmm;

constexpr int by_descriptor = gpu::by_descriptor;
constexpr int by_nothing    = gpu::by_nothing;

class CudaRetain : public VmmContract {
 protected:
  static MemoryKind kind() {
    return GetParam() == &cuda_host_memory ? MemoryKind::host
                                           : MemoryKind::device;
  }
  static MemoryKind other_kind() {
    return kind() == MemoryKind::host ? MemoryKind::device : MemoryKind::host;
  }
};

INSTANTIATE_TEST_SUITE_P(Cuda, CudaRetain,
                         testing::Values(&cuda_device_memory,
                                         &cuda_host_memory),
                         [](auto const& test) { return test.param->name(); });

TEST_P(CudaRetain, V41_memory_of_the_program_is_found_at_any_address_in_it) {
  for (std::size_t const n_units : {1U, 2U, 5U, 8U}) {
    CudaProgram const program(kind(), n_units * m_unit, by_descriptor);
    auto const bytes = program.bytes();
    for (std::size_t const offset :
         {std::size_t{0}, std::size_t{1}, std::size_t{4095}, m_unit - 1,
          bytes / 2, bytes - m_unit, bytes - 1}) {
      auto const found = m_vmm->find_mapping(program.address() + offset);
      ASSERT_TRUE(found) << offset;
      EXPECT_EQ(found->start, program.address()) << offset;
      EXPECT_EQ(found->bytes, bytes);
      EXPECT_EQ(found->sharing, Vmm::Sharing::by_descriptor);
    }
    EXPECT_FALSE(m_vmm->find_mapping(program.address() - 1));
    EXPECT_FALSE(m_vmm->find_mapping(program.address() + bytes));
  }
}

TEST_P(CudaRetain, V41_mappings_of_one_memory_are_told_apart) {
  // Side by side, and with less between them than they have themselves.
  for (std::size_t const gap : {std::size_t{0}, m_unit}) {
    CudaProgram const program(kind(), 3 * m_unit, by_descriptor, 4, 0, true,
                              gap);
    for (int which = 0; which < 4; ++which) {
      for (std::size_t const offset :
           {std::size_t{0}, m_unit, 3 * m_unit - 1}) {
        auto const found = m_vmm->find_mapping(program.address(which) + offset);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->start, program.address(which))
            << which << ' ' << offset << ' ' << gap;
        EXPECT_EQ(found->bytes, program.bytes());
      }
    }
  }
}

TEST_P(CudaRetain, V41_memory_of_the_program_is_shared_by_its_handle) {
  auto const before = provider().in_use();
  {
    CudaProgram program(kind(), 2 * m_unit, by_descriptor);
    auto const bytes = program.bytes();
    provider().write(program.address(), pattern(bytes, 3));
    auto const handle = m_vmm->retain(program.address() + m_unit);
    auto const imported =
        m_vmm->import_handle(m_vmm->export_handle(handle), bytes);
    char* const first  = m_vmm->reserve(2 * bytes);
    char* const second = first + bytes;
    map(first, bytes, handle);
    map(second, bytes, imported);
    EXPECT_EQ(provider().read(first, bytes), pattern(bytes, 3));
    provider().write(second, pattern(bytes, 4));
    EXPECT_EQ(provider().read(program.address(), bytes), pattern(bytes, 4));
    m_vmm->release(handle);
    m_vmm->release(imported);
    program.unmap();
    EXPECT_EQ(provider().read(first, bytes), pattern(bytes, 4)) << "kept";
    m_vmm->unmap(first, bytes);
    m_vmm->unmap(second, bytes);
    m_vmm->address_free(first, 2 * bytes);
  }
  EXPECT_EQ(provider().in_use(), before);
}

TEST_P(CudaRetain, V35_memory_without_a_handle_type_is_found_and_not_exported) {
  CudaProgram const program(kind(), m_unit, by_nothing);
  auto const found = m_vmm->find_mapping(program.address());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sharing, Vmm::Sharing::none);
  auto const handle = m_vmm->retain(program.address());
  EXPECT_THROW(static_cast<void>(m_vmm->export_handle(handle)), UsageError);
  m_vmm->release(handle);
}

TEST_P(CudaRetain, V41_memory_of_the_other_kind_is_not_this_providers) {
  CudaProgram const program(other_kind(), m_unit, by_descriptor);
  EXPECT_FALSE(m_vmm->find_mapping(program.address()));
  auto const failure = symm::Impl::failure_of(
      [&] { static_cast<void>(m_vmm->retain(program.address())); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::usage);
  EXPECT_THAT(failure->message, HasSubstr("is in VMM memory of "));
}

TEST_P(CudaRetain, V25_memory_without_access_is_not_found_but_described) {
  CudaProgram const program(kind(), m_unit, by_descriptor, 1, 0, false);
  EXPECT_FALSE(m_vmm->find_mapping(program.address()));
  EXPECT_THAT(m_vmm->describe(program.address()),
              EndsWith(" without access to it"));
}

TEST_P(CudaRetain, V41_memory_of_another_provider_is_found_too) {
  auto const other    = provider().make();
  auto const handle   = other->create(2 * m_unit, Vmm::Sharing::by_descriptor);
  char* const address = other->reserve(2 * m_unit);
  other->map(address, 2 * m_unit, 0, handle);
  other->set_access(address, 2 * m_unit, Vmm::Access::read_write);
  auto const found = m_vmm->find_mapping(address + m_unit);
  EXPECT_TRUE(found && found->start == address && found->bytes == 2 * m_unit);
  m_vmm->release(m_vmm->retain(address));
}

TEST_P(CudaRetain, VMM_memory_needs_no_pinning) {
  CudaProgram const program(kind(), m_unit, by_nothing);
  EXPECT_FALSE(m_vmm->pin(program.address() + 1, program.bytes() - 1));
  EXPECT_THROW(
      static_cast<void>(m_vmm->pin(program.address(), program.bytes() + 1)),
      UsageError)
      << "ends behind it";
  auto const block = new_block(m_unit);
  EXPECT_FALSE(m_vmm->pin(block.address, m_unit));
  remove(block);
}

TEST_P(CudaRetain, VMM_memory_is_described_by_its_place) {
  CudaProgram const gpu(MemoryKind::device, m_unit, by_nothing);
  CudaProgram const host(MemoryKind::host, m_unit, by_nothing);
  EXPECT_EQ(m_vmm->describe(gpu.address() + 1), "VMM memory of this GPU");
  EXPECT_THAT(m_vmm->describe(host.address() + 1),
              StartsWith("VMM memory of host NUMA node "));
}

TEST_P(CudaRetain, B13_unpinning_needs_the_start_of_what_was_pinned) {
  std::vector<char> ours(8192);
  ASSERT_TRUE(m_vmm->pin(ours.data() + 1, 5000));
  EXPECT_THROW(m_vmm->unpin(ours.data() + 64), UsageError);
  m_vmm->unpin(ours.data() + 1);
  EXPECT_THROW(m_vmm->unpin(ours.data() + 1), UsageError) << "once";
}

TEST_P(CudaRetain, B09_memory_that_is_pinned_in_part_is_not_pinned_again) {
  std::vector<char> ours(8192);
  ASSERT_TRUE(m_vmm->pin(ours.data() + 1000, 3000));
  for (auto const& [offset, bytes] :
       {std::pair{0U, 2000U}, {2000U, 5000U}, {0U, 8000U}}) {
    EXPECT_THROW(static_cast<void>(m_vmm->pin(ours.data() + offset, bytes)),
                 UsageError)
        << offset;
  }
  EXPECT_FALSE(m_vmm->pin(ours.data() + 1500, 1000)) << "all of it is";
  m_vmm->unpin(ours.data() + 1000);
}

}  // namespace
}  // namespace symm_test
