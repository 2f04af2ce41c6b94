// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The two symmetric spaces of a build for GPUs together: the host and kernels
// of all PEs in one memory, and one heap beside the other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/gpu.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using symm::MemoryKind;
using symm::Pe;
using GpuView  = Kokkos::View<int*, SymmetricGpuSpace>;
using HostView = Kokkos::View<int*, symm::SymmetricHostSpace>;

constexpr std::size_t count = 1000;

/// Elements of `view`, as a kernel sees them, that are not what `from` has sent
/// to `to`.
template <class View>
std::size_t count_wrong_in_kernel(View const& view, Pe from, Pe to) {
  std::size_t wrong = 0;
  Kokkos::parallel_reduce(
      "count",
      Kokkos::RangePolicy<Gpu, Kokkos::IndexType<std::size_t>>(0, view.size()),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) {
        if (view(i) != value(from, to, i)) ++sum;
      },
      wrong);
  return wrong;
}

template <class Global>
void launch_fill(Global const& everywhere, Pe from, Pe to) {
  Kokkos::parallel_for(
      "fill",
      Kokkos::RangePolicy<Gpu, Kokkos::IndexType<std::size_t>>(
          0, everywhere.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { everywhere(to, i) = value(from, to, i); });
}

/// What PE `from` has in one memory, into the other memory of PE `to`.
template <class To, class From>
void launch_copy(To const& to, Pe to_pe, From const& from, Pe from_pe) {
  Kokkos::parallel_for(
      "copy",
      Kokkos::RangePolicy<Gpu, Kokkos::IndexType<std::size_t>>(0, to.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { to(to_pe, i) = from(from_pe, i); });
}

/// Plain loads of the host.
std::size_t count_wrong_on_host(HostView const& view, Pe from, Pe to) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (view(i) != value(from, to, i)) ++wrong;
  }
  return wrong;
}

TEST(TwoSpaces, the_host_reads_what_kernels_of_a_peer_have_written) {
  HostView const view("v", count);
  symm::barrier_all();
  launch_fill(symm::global_view(view), symm::my_pe(), right());
  symm::barrier_all(Gpu());
  EXPECT_EQ(count_wrong_on_host(view, left(), symm::my_pe()), 0U);
  EXPECT_EQ(count_wrong_on_host(
                HostView(symm::peer_view(view, right()).data(), count),
                symm::my_pe(), right()),
            0U);
  symm::barrier_all();
}

TEST(TwoSpaces, kernels_read_what_the_host_of_a_peer_has_written) {
  HostView const view("v", count);
  symm::barrier_all();
  auto const remote = symm::peer_view(view, right());
  for (std::size_t i = 0; i < count; ++i) {
    remote(i) = value(symm::my_pe(), right(), i);
  }
  symm::barrier_all();
  EXPECT_EQ(count_wrong_in_kernel(view, left(), symm::my_pe()), 0U);
  EXPECT_EQ(count_wrong_in_kernel(remote, symm::my_pe(), right()), 0U);
  symm::barrier_all();
}

TEST(TwoSpaces, a_kernel_takes_from_one_memory_and_gives_to_the_other) {
  HostView const on_host("host", count);
  GpuView const on_gpu("gpu", count);
  HostView const back("back", count);
  symm::barrier_all();
  fill(on_host, symm::my_pe(), symm::my_pe());
  symm::barrier_all(Gpu());
  auto const host = symm::global_view(on_host);
  auto const gpu  = symm::global_view(on_gpu);
  // From the left PE's host memory to the right PE's GPU memory, and on.
  launch_copy(gpu, right(), host, left());
  symm::barrier_all(Gpu());
  auto const source = (symm::my_pe() + 2 * symm::n_pes() - 2) % symm::n_pes();
  EXPECT_EQ(count_wrong(on_gpu, source, source), 0U);
  launch_copy(symm::global_view(back), symm::my_pe(), gpu, right());
  symm::barrier_all(Gpu());
  EXPECT_EQ(count_wrong_on_host(back, left(), left()), 0U);
}

TEST(TwoSpaces, S14_each_View_is_in_its_own_heap) {
  settled();
  auto const gpu_before  = symm::heap_stats(MemoryKind::device).live_blocks;
  auto const host_before = symm::heap_stats(MemoryKind::host).live_blocks;
  GpuView const on_gpu("gpu", count);
  EXPECT_EQ(symm::heap_stats(MemoryKind::device).live_blocks, gpu_before + 1);
  EXPECT_EQ(symm::heap_stats(MemoryKind::host).live_blocks, host_before);
  HostView const on_host("host", count);
  EXPECT_EQ(symm::heap_stats(MemoryKind::host).live_blocks, host_before + 1);
  auto const& gpu_map  = symm::Impl::heap_map_of(on_gpu, "test");
  auto const& host_map = symm::Impl::heap_map_of(on_host, "test");
  EXPECT_TRUE(gpu_map.contains(on_gpu.data()));
  EXPECT_FALSE(gpu_map.contains(on_host.data()));
  EXPECT_TRUE(host_map.contains(on_host.data()));
  EXPECT_FALSE(host_map.contains(on_gpu.data()));
  EXPECT_TRUE(is_equal_on_all_pes(host_map.offset_of(on_host.data())));
}

TEST(TwoSpaces, the_memory_is_where_its_space_says) {
  GpuView const on_gpu("gpu", count);
  HostView const on_host("host", count);
  auto const memory = gpu_memory_of(on_gpu.data());
  EXPECT_EQ(memory.type, GpuMemory::on_device);
  EXPECT_EQ(memory.device, device_of(Gpu()));
  EXPECT_NE(gpu_memory_of(on_host.data()).type, GpuMemory::on_device);
  symm::barrier_all();
}

TEST(TwoSpaces, M24_both_are_destroyed_in_different_orders) {
  settled();
  auto const gpu_before  = symm::heap_stats(MemoryKind::device).live_blocks;
  auto const host_before = symm::heap_stats(MemoryKind::host).live_blocks;
  for (int round = 0; round < 5; ++round) {
    GpuView on_gpu("gpu", count);
    HostView on_host("host", count);
    if ((symm::my_pe() + round) % 2 == 0) {
      on_gpu  = {};
      on_host = {};
    } else {
      on_host = {};
      on_gpu  = {};
    }
    GpuView const next("next", 2 * count);
  }
  settled();
  EXPECT_EQ(symm::heap_stats(MemoryKind::device).live_blocks, gpu_before);
  EXPECT_EQ(symm::heap_stats(MemoryKind::host).live_blocks, host_before);
}

TEST(TwoSpaces, M30_one_space_here_and_the_other_there_is_a_mismatch) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  EXPECT_THAT(message_of<symm::UsageError>([] {
                if (symm::my_pe() == 0) {
                  GpuView("v", count);
                } else {
                  HostView("v", count);
                }
              }),
              testing::AllOf(testing::HasSubstr("PE 0 called allocation of a "
                                                "View \"v\""),
                             testing::HasSubstr("memory = GPU")));
  HostView const next("next", count);  // nothing is lost
  EXPECT_EQ(count_equal(next, 0), count);
}

TEST(TwoSpaces, a_View_is_no_peer_in_the_other_space) {
  GpuView const on_gpu("gpu", count);
  using Wrong =
      Kokkos::View<int*, symm::SymmetricHostSpace, Kokkos::MemoryUnmanaged>;
  Wrong const wrong(on_gpu.data(), count);
  EXPECT_THAT(message_of<symm::UsageError>([&] { symm::peer_view(wrong, 0); }),
              testing::HasSubstr("not in this PE's part"));
  symm::barrier_all();
}

}  // namespace
