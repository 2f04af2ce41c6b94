// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory that processes share: V12, V28, V30, V33, V36, V38, V40. The processes
// make their providers after the fork; descriptors travel with SCM_RIGHTS.

#include <support/ForkedPes.hpp>

#include <utility>

#include <runtime/bootstrap/FdExchange.hpp>
#include <runtime/symm_errors.hpp>
#include "VmmContract.hpp"

namespace symm_test {
namespace {

using symm::UsageError;
using symm::Impl::Bootstrap;
using symm::Impl::FdExchange;
using symm::Impl::UniqueFd;
using symm::Impl::Vmm;

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
  std::unique_ptr<symm::Impl::MemoryProvider> vmm;
  std::size_t unit;
};

TEST_P(VmmContractOfPes, V12_a_handle_means_nothing_in_another_process) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    Peer peer(provider(), bootstrap);
    Vmm::Handle mine;
    if (peer.exports()) {
      mine = peer.vmm->create(peer.unit, Vmm::Sharing::by_descriptor);
    }
    auto const theirs = symm::Impl::allgather(bootstrap, mine)[0];
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

TEST_P(VmmContractOfPes,
       V33_V38_another_process_imports_and_maps_what_is_exported) {
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

TEST_P(VmmContractOfPes, V28_V30_the_importing_process_sets_rights_of_its_own) {
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
      bool const is_set = set_read_only(*peer.vmm, address, peer.unit);
      EXPECT_EQ(provider().can_read(address), is_set);
      EXPECT_FALSE(provider().can_write(address));
    }
    bootstrap.barrier();
    EXPECT_EQ(provider().can_write(address), peer.exports());
    bootstrap.barrier();
    if (!peer.exports()) {
      peer.vmm->set_access(address, peer.unit, Vmm::Access::read_write);
      EXPECT_TRUE(provider().can_write(address));
    }
  });
}

TEST_P(VmmContractOfPes, V36_an_importer_keeps_memory_its_creator_released) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    Peer peer(provider(), bootstrap);
    // Of all processes, where the provider cannot tell them apart: all have
    // started by now, and nobody begins before all have looked.
    bootstrap.barrier();
    auto const before = provider().in_use();
    bootstrap.barrier();
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
    } else {
      handle = peer.vmm->import_handle(peer.pass(), peer.unit);
      peer.vmm->map(address, peer.unit, 0, handle);
      peer.vmm->set_access(address, peer.unit, Vmm::Access::read_write);
      peer.vmm->release(handle);
    }
    bootstrap.barrier();
    if (peer.exports() && provider().counts_references()) {
      EXPECT_EQ(provider().in_use(), before);
    } else {
      EXPECT_TRUE(is_more_in_use_than(before)) << "the mapping keeps it";
    }
    bootstrap.barrier();
    if (!peer.exports()) {
      EXPECT_EQ(provider().read(address, peer.unit), pattern(peer.unit, 1));
      peer.vmm->unmap(address, peer.unit);
    }
    bootstrap.barrier();
    EXPECT_EQ(provider().in_use(), before);
  });
}

TEST_P(VmmContractOfPes,
       V40_handles_of_one_memory_may_differ_between_processes) {
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
    auto const all = symm::Impl::allgather(bootstrap, handle);
    EXPECT_NE(all[0], all[1]);
    // Each is good for its own process.
    char* const address = peer.vmm->reserve(peer.unit);
    peer.vmm->map(address, peer.unit, 0, handle);
    peer.vmm->release(handle);
  });
}

}  // namespace
}  // namespace symm_test
