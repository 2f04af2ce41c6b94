// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What leads to sharing, within one process: V26, V34-V36, V38.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <type_traits>
#include <utility>

#include <runtime/symm_errors.hpp>
#include "VmmContract.hpp"

namespace symm_test {
namespace {

using symm::UsageError;
using symm::Impl::UniqueFd;
using symm::Impl::Vmm;

TEST_P(VmmContract, V26_imported_memory_is_mapped_before_it_is_accessed) {
  auto const handle = m_vmm->create(m_unit, Vmm::Sharing::by_descriptor);
  auto const imported =
      m_vmm->import_handle(m_vmm->export_handle(handle), m_unit);
  char* const address = m_vmm->reserve(m_unit);
  EXPECT_THROW(m_vmm->set_access(address, m_unit, Vmm::Access::read_write),
               UsageError);
  map(address, m_unit, imported);
  EXPECT_TRUE(provider().can_write(address));
  m_vmm->release(handle);
  remove({address, m_unit, imported});
}

TEST_P(VmmContract, V34_a_shareable_handle_is_a_file_descriptor_with_an_owner) {
  static_assert(std::is_same_v<UniqueFd, decltype(m_vmm->export_handle({}))>);
  auto const handle = m_vmm->create(m_unit, Vmm::Sharing::by_descriptor);
  auto const first  = m_vmm->export_handle(handle);
  auto const second = m_vmm->export_handle(handle);
  EXPECT_NE(first.get(), second.get()) << "each has its own owner";
  EXPECT_NE(::fcntl(first.get(), F_GETFD) & FD_CLOEXEC, 0)
      << "a program that this one starts must not keep the memory";
  m_vmm->release(handle);
}

TEST_P(VmmContract, V35_sharing_is_asked_for_when_memory_is_created) {
  auto const before = provider().in_use();
  auto const handle = m_vmm->create(m_unit, Vmm::Sharing::none);
  EXPECT_THROW(static_cast<void>(m_vmm->export_handle(handle)), UsageError);
  m_vmm->release(handle);
  EXPECT_EQ(provider().in_use(), before);
}

TEST_P(VmmContract, V36_memory_goes_back_when_all_descriptors_are_closed) {
  auto const before = provider().in_use();
  auto const block  = new_block(4 * m_unit);
  auto descriptor   = m_vmm->export_handle(block.handle);
  auto other        = m_vmm->export_handle(block.handle);
  provider().write(block.address, pattern(block.bytes, 1));
  remove(block);
  auto const expect_kept_by = [&](std::size_t n_descriptors) {
    EXPECT_TRUE(is_more_in_use_than(before));
    if (!provider().counts_references()) return;
    EXPECT_EQ(provider().in_use().value(), before.value() + n_descriptors);
  };
  expect_kept_by(2);
  EXPECT_GE(provider().bytes_behind(descriptor).value_or(block.bytes),
            block.bytes);
  descriptor.reset();
  expect_kept_by(1);
  EXPECT_GE(provider().bytes_behind(other).value_or(block.bytes), block.bytes)
      << "still there";
  // It lives: who imports it finds what was written.
  auto const imported = m_vmm->import_handle(std::move(other), block.bytes);
  char* const address = m_vmm->reserve(block.bytes);
  map(address, block.bytes, imported);
  EXPECT_EQ(provider().read(address, block.bytes), pattern(block.bytes, 1));
  remove({address, block.bytes, imported});
  EXPECT_EQ(provider().in_use(), before) << "nothing keeps it now";
}

TEST_P(VmmContract, V38_what_is_imported_must_have_the_size_it_was_made_with) {
  auto const handle = m_vmm->create(2 * m_unit, Vmm::Sharing::by_descriptor);
  auto const import = [&](std::size_t bytes) {
    return m_vmm->import_handle(m_vmm->export_handle(handle), bytes);
  };
  for (std::size_t const bytes : {std::size_t{0}, std::size_t{1}, m_unit - 1}) {
    EXPECT_THROW(static_cast<void>(import(bytes)), symm::Error) << bytes;
  }
  for (std::size_t const bytes : {m_unit, 3 * m_unit}) {
    if (!provider().knows_size_of_imports()) continue;
    EXPECT_THROW(static_cast<void>(import(bytes)), symm::Error) << bytes;
  }
  if (!provider().knows_size_of_imports()) {
    auto const too_much = import(3 * m_unit);
    char* const address = m_vmm->reserve(4 * m_unit);
    EXPECT_THROW(m_vmm->map(address, 3 * m_unit, 0, too_much), symm::Error);
    m_vmm->release(too_much);
    auto const right = import(2 * m_unit);
    map(address, 2 * m_unit, right);  // the failure left nothing mapped
    remove({address, 2 * m_unit, right}, 4 * m_unit);
  }
  m_vmm->release(handle);
}

TEST_P(VmmContract, V38_what_is_imported_must_be_what_was_exported) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  UniqueFd const writing_end(pipe[1]);
  UniqueFd reading_end(pipe[0]);
  EXPECT_THROW(
      static_cast<void>(m_vmm->import_handle(UniqueFd(::dup(pipe[0])), m_unit)),
      symm::Error)
      << "not memory at all";
  EXPECT_THROW(
      static_cast<void>(m_vmm->import_handle(std::move(reading_end), 0)),
      symm::Error)
      << "not even of 0 bytes";
  EXPECT_THROW(static_cast<void>(m_vmm->import_handle(UniqueFd(), m_unit)),
               symm::Error);
}

TEST_P(VmmContract, H84_descriptors_of_memory_are_told_from_others) {
  auto const handle     = m_vmm->create(m_unit, Vmm::Sharing::by_descriptor);
  auto const descriptor = m_vmm->export_handle(handle);
  auto const before     = provider().in_use();
  EXPECT_TRUE(m_vmm->can_import(descriptor));
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  UniqueFd const reader(ends[0]);
  UniqueFd const writer(ends[1]);
  UniqueFd const zeros(::open("/dev/zero", O_RDWR | O_CLOEXEC));
  UniqueFd const folder(::open("/", O_RDONLY | O_CLOEXEC));
  for (auto const* const other : {&reader, &writer, &zeros, &folder}) {
    EXPECT_FALSE(m_vmm->can_import(*other));
  }
  EXPECT_FALSE(m_vmm->can_import(UniqueFd()));
  EXPECT_EQ(provider().in_use(), before) << "nothing is kept";
  m_vmm->release(handle);
  EXPECT_TRUE(m_vmm->can_import(descriptor)) << "it keeps the memory";
}

}  // namespace
}  // namespace symm_test
