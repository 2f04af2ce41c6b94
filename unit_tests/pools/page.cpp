// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What docs/pools.md shows; check_pages.py compares the two.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>

#include <Kokkos_SymmetricSpace.hpp>

namespace {

void require(symm::Status status) {
  if (status != symm::Status::success)
    throw std::runtime_error(symm::last_error());
}

using Exec = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double*, symm::SymmetricSpace>;

// Brings u to the PE on the left, through temporaries.
void shift(Exec const& exec, symm::MemPool pool, View const& u, int n_steps) {
  auto const team      = symm::team_world();
  int const left_pe    = (symm::my_pe() + symm::n_pes() - 1) % symm::n_pes();
  auto const each_of_n = Kokkos::RangePolicy<Exec>(exec, 0, u.extent_int(0));

  for (int step = 0; step < n_steps; ++step) {
    Kokkos::View<double*, symm::SymmetricSpace> inbox(
        Kokkos::view_alloc(exec, symm::SymmetricSpace(pool), "inbox"),
        u.extent(0));
    symm::barrier(exec, team);  // all PEs have got here: peers may write to it
    auto const outbox = symm::peer_view(inbox, left_pe);
    Kokkos::parallel_for(
        "send", each_of_n, KOKKOS_LAMBDA(int i) { outbox(i) = u(i); });
    symm::barrier(exec, team);  // all have written: it may be read
    Kokkos::parallel_for(
        "receive", each_of_n, KOKKOS_LAMBDA(int i) { u(i) = inbox(i); });
  }  // freed here, in the order of exec
}

TEST(PoolsPage, temporaries_that_peers_write_to) {
  symm::UniqueMemPool const pool(symm::MemPoolProperties{});
  Exec const exec;
  View const u("u", 1000);
  Kokkos::deep_copy(u, symm::my_pe());
  shift(exec, pool, u, 5);
  exec.fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, u);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(host(static_cast<std::size_t>(i)),
              (symm::my_pe() + 5) % symm::n_pes());
  }
}

void add_one(Exec const& exec, View const& t) {
  Kokkos::parallel_for(
      "add one", Kokkos::RangePolicy<Exec>(exec, 0, t.extent_int(0)),
      KOKKOS_LAMBDA(int i) { t(i) += 1; });
}

TEST(PoolsPage, two_instances_use_one_block) {
  symm::UniqueMemPool const pool(symm::MemPoolProperties{});
  auto const instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  auto const first     = instances[0];
  auto const second    = instances[1];
  int const n          = 1000;

  View t(Kokkos::view_alloc(first, symm::SymmetricSpace(pool), "t"), n);
  add_one(first, t);
  require(symm::order_after(second, first));  // second waits for first
  add_one(second, t);
  require(symm::order_after(first, second));  // and first for second, so that
  t = {};  // what ends here, in the order of first, is not in use by second
}

TEST(PoolsPage, plain_blocks) {
  symm::UniqueMemPool const pool(symm::MemPoolProperties{});
  Exec const exec;
  std::size_t const bytes = 4096;

  double* block = nullptr;
  require(symm::malloc_from_pool_async(&block, bytes, pool, exec));
  // kernels of exec use it
  require(symm::free_async(block, exec));

  EXPECT_NE(block, nullptr);
}

TEST(PoolsPage, memory_is_kept) {
  symm::UniqueMemPool pool(symm::MemPoolProperties{});

  pool.set_release_threshold(std::size_t{256} << 20);

  View(Kokkos::view_alloc(Exec(), symm::SymmetricSpace(pool), "t"), 1000);
  symm::heap_trim();
  EXPECT_GT(pool.reserved(), 0);
  pool.trim_to(0);
  EXPECT_EQ(pool.reserved(), 0);
}

TEST(PoolsPage, a_local_pool) {
  if (symm::my_pe() == 0) {  // no other PE need call
    Exec const exec;
    int const n = 1000;

    symm::MemPoolProperties properties;
    properties.kind = symm::MemPoolKind::local;
    symm::UniqueMemPool const scratch(properties);
    View t(Kokkos::view_alloc(exec, symm::SymmetricSpace(scratch), "t"), n);

    add_one(exec, t);
    EXPECT_THROW(symm::global_view(t), symm::UsageError);
    t = {};
  }
  symm::barrier_all();
}

TEST(PoolsPage, between_processes) {
  // Of one process, too; pool_sharing.cpp has several.
  if (symm::my_pe() == 0) {
    Exec const exec;
    std::size_t const bytes = 1000;

    symm::MemPoolProperties properties;
    properties.kind        = symm::MemPoolKind::local;
    properties.handle_type = symm::MemPoolHandleType::posix_file_descriptor;
    properties.max_bytes   = std::size_t{64} << 20;
    symm::UniqueMemPool const pool(properties);
    void* block = nullptr;
    require(symm::malloc_from_pool_async(&block, bytes, pool, exec));
    int descriptor = -1;  // ours to close
    require(symm::mem_pool_export_to_shareable_handle(
        &descriptor, pool, properties.handle_type, 0));
    symm::MemPoolPtrExportData data;
    require(symm::mem_pool_export_pointer(&data, block));

    symm::MemPool imported;
    require(symm::mem_pool_import_from_shareable_handle(
        &imported, &descriptor, symm::MemPoolHandleType::posix_file_descriptor,
        0));
    void* address = nullptr;
    require(symm::mem_pool_import_pointer(&address, imported, &data));
    // kernels of the importer use the exporter's block
    require(symm::free_async(address, exec));
    require(symm::mem_pool_destroy(imported));

    require(symm::free_async(block, exec));
    ::close(descriptor);
  }
  symm::barrier_all();
}

}  // namespace
