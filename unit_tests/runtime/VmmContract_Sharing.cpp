// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory that processes share: V12, V26, V28, V30, V33-V36, V38, V40. The
// processes make their providers after the fork; descriptors travel with
// SCM_RIGHTS.

#include <fcntl.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>

#include <array>
#include <type_traits>
#include <utility>

#include <runtime/Error.hpp>
#include <runtime/FdExchange.hpp>
#include "VmmContract.hpp"

namespace symm_test {
namespace {

using symm::Bootstrap;
using symm::FdExchange;
using symm::UniqueFd;
using symm::UsageError;
using symm::Vmm;

/// What one of two processes does with a Vmm of its own; PE 0 exports, PE 1
/// imports.
struct Peer {
  Peer(VmmProvider const& its_provider, Bootstrap& its_bootstrap)
      : bootstrap(its_bootstrap),
        exchange(bootstrap),
        vmm(its_provider.make()),
        unit(vmm->granularity(Vmm::Granularity::minimum)) {}

  [[nodiscard]] bool exports() const { return bootstrap.my_pe() == 0; }

  /// Collective: what PE 0 sends arrives at PE 1.
  UniqueFd pass(UniqueFd descriptor = {}) {
    auto received = exchange.exchange(descriptor.get());
    return std::move(received[exports() ? 1 : 0].descriptor);
  }

  Bootstrap& bootstrap;
  FdExchange exchange;
  std::unique_ptr<Vmm> vmm;
  std::size_t unit;
};

TEST_P(VmmContract, V12_a_handle_means_nothing_in_another_process) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    Peer peer(provider(), bootstrap);
    Vmm::Handle mine;
    if (peer.exports()) {
      mine = peer.vmm->create(peer.unit, Vmm::Sharing::by_descriptor);
    }
    auto const theirs = symm::allgather(bootstrap, mine)[0];
    if (peer.exports()) {
      peer.vmm->release(theirs);
    } else {
      char* const address = peer.vmm->reserve(peer.unit);
      EXPECT_THROW(peer.vmm->map(address, peer.unit, 0, theirs), UsageError);
      EXPECT_THROW(static_cast<void>(peer.vmm->export_handle(theirs)),
                   UsageError);
      EXPECT_THROW(peer.vmm->release(theirs), UsageError);
    }
  });
}

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

TEST_P(VmmContract, V33_V38_another_process_imports_and_maps_what_is_exported) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    Peer peer(provider(), bootstrap);
    auto const bytes = 3 * peer.unit;
    Vmm::Handle handle;
    if (peer.exports()) {
      handle = peer.vmm->create(bytes, Vmm::Sharing::by_descriptor);
      static_cast<void>(peer.pass(peer.vmm->export_handle(handle)));
    } else {
      handle = peer.vmm->import_handle(peer.pass(), bytes);
    }
    char* const address = peer.vmm->reserve(bytes);
    peer.vmm->map(address, bytes, 0, handle);
    peer.vmm->set_access(address, bytes, Vmm::Access::read_write);
    if (peer.exports()) provider().write(address, pattern(bytes, 1));
    bootstrap.barrier();
    EXPECT_EQ(provider().read(address, bytes), pattern(bytes, 1));
    bootstrap.barrier();
    if (!peer.exports()) provider().write(address, pattern(bytes, 2));
    bootstrap.barrier();
    EXPECT_EQ(provider().read(address, bytes), pattern(bytes, 2))
        << "and the other way round";
  });
}

TEST_P(VmmContract, V28_V30_the_importing_process_sets_rights_of_its_own) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    Peer peer(provider(), bootstrap);
    Vmm::Handle handle;
    char* const address = peer.vmm->reserve(peer.unit);
    if (peer.exports()) {
      handle = peer.vmm->create(peer.unit, Vmm::Sharing::by_descriptor);
      peer.vmm->map(address, peer.unit, 0, handle);
      peer.vmm->set_access(address, peer.unit, Vmm::Access::read_write);
      static_cast<void>(peer.pass(peer.vmm->export_handle(handle)));
    } else {
      handle = peer.vmm->import_handle(peer.pass(), peer.unit);
      peer.vmm->map(address, peer.unit, 0, handle);
      EXPECT_FALSE(provider().can_read(address)) << "the exporter's may";
      peer.vmm->set_access(address, peer.unit, Vmm::Access::read);
      EXPECT_TRUE(provider().can_read(address));
      EXPECT_FALSE(provider().can_write(address));
    }
    bootstrap.barrier();
    EXPECT_EQ(provider().can_write(address), peer.exports());
  });
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
  auto const before = provider().n_references();
  auto const handle = m_vmm->create(m_unit, Vmm::Sharing::none);
  EXPECT_THROW(static_cast<void>(m_vmm->export_handle(handle)), UsageError);
  m_vmm->release(handle);
  EXPECT_EQ(provider().n_references(), before);
}

TEST_P(VmmContract, V36_memory_goes_back_when_all_descriptors_are_closed) {
  auto const before = provider().n_references();
  auto const block  = new_block(4 * m_unit);
  auto descriptor   = m_vmm->export_handle(block.handle);
  auto other        = m_vmm->export_handle(block.handle);
  provider().write(block.address, pattern(block.bytes, 1));
  remove(block);
  EXPECT_EQ(provider().n_references(), before + 2) << "the descriptors only";
  EXPECT_GE(provider().bytes_behind(descriptor), block.bytes);
  descriptor.reset();
  EXPECT_EQ(provider().n_references(), before + 1);
  EXPECT_GE(provider().bytes_behind(other), block.bytes) << "still there";
  // It lives: who imports it finds what was written.
  auto const imported = m_vmm->import_handle(std::move(other), block.bytes);
  char* const address = m_vmm->reserve(block.bytes);
  map(address, block.bytes, imported);
  EXPECT_EQ(provider().read(address, block.bytes), pattern(block.bytes, 1));
  remove({address, block.bytes, imported});
  EXPECT_EQ(provider().n_references(), before) << "nothing keeps it now";
}

TEST_P(VmmContract, V36_an_importer_keeps_memory_that_its_creator_released) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    Peer peer(provider(), bootstrap);
    auto const before   = provider().n_references();
    char* const address = peer.vmm->reserve(peer.unit);
    Vmm::Handle handle;
    if (peer.exports()) {
      handle = peer.vmm->create(peer.unit, Vmm::Sharing::by_descriptor);
      peer.vmm->map(address, peer.unit, 0, handle);
      peer.vmm->set_access(address, peer.unit, Vmm::Access::read_write);
      provider().write(address, pattern(peer.unit, 1));
      static_cast<void>(peer.pass(peer.vmm->export_handle(handle)));
      peer.vmm->unmap(address, peer.unit);
      peer.vmm->release(handle);
      EXPECT_EQ(provider().n_references(), before);
    } else {
      handle = peer.vmm->import_handle(peer.pass(), peer.unit);
    }
    bootstrap.barrier();
    if (!peer.exports()) {
      peer.vmm->map(address, peer.unit, 0, handle);
      peer.vmm->set_access(address, peer.unit, Vmm::Access::read);
      peer.vmm->release(handle);
      EXPECT_EQ(provider().read(address, peer.unit), pattern(peer.unit, 1));
      EXPECT_EQ(provider().n_references(), before + 1) << "the mapping only";
      peer.vmm->unmap(address, peer.unit);
      EXPECT_EQ(provider().n_references(), before);
    }
  });
}

TEST_P(VmmContract, V38_what_is_imported_must_be_what_was_exported) {
  auto const handle = m_vmm->create(2 * m_unit, Vmm::Sharing::by_descriptor);
  for (std::size_t const bytes :
       {std::size_t{0}, std::size_t{1}, m_unit, 3 * m_unit}) {
    EXPECT_THROW(static_cast<void>(
                     m_vmm->import_handle(m_vmm->export_handle(handle), bytes)),
                 symm::Error)
        << bytes << " bytes, it has " << 2 * m_unit;
  }
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
  m_vmm->release(handle);
}

TEST_P(VmmContract, V40_handles_of_one_memory_may_differ_between_processes) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    Peer peer(provider(), bootstrap);
    // Another history, so that equal handles would be a coincidence.
    for (int i = 0; peer.exports() && i < 3; ++i) {
      peer.vmm->release(peer.vmm->create(peer.unit, Vmm::Sharing::none));
    }
    Vmm::Handle handle;
    if (peer.exports()) {
      handle = peer.vmm->create(peer.unit, Vmm::Sharing::by_descriptor);
      static_cast<void>(peer.pass(peer.vmm->export_handle(handle)));
    } else {
      handle = peer.vmm->import_handle(peer.pass(), peer.unit);
    }
    auto const all = symm::allgather(bootstrap, handle);
    EXPECT_NE(all[0], all[1]);
    // Each is good for its own process.
    char* const address = peer.vmm->reserve(peer.unit);
    peer.vmm->map(address, peer.unit, 0, handle);
    peer.vmm->release(handle);
  });
}

}  // namespace
}  // namespace symm_test
