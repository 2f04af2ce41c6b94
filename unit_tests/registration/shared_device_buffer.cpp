// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// GPU memory of cudaMalloc or hipMalloc that peers' kernels and copies reach.

#include <array>
#include <optional>
#include <utility>

#include <support/ProcessResources.hpp>
#include <support/gpu.hpp>

#include "shared_buffers.hpp"

namespace {

using namespace symm_test;
using symm::SharedDeviceBuffer;

using DeviceView = Kokkos::View<int*, GpuSpace>;
using PeerView   = symm::UnmanagedView<DeviceView>;

constexpr std::size_t mib = std::size_t{1} << 20U;

class SharedDeviceBuffers : public SharedBuffers {};

/// Memory of cudaMalloc or hipMalloc with guard cells on both sides.
class GuardedInts {
 public:
  explicit GuardedInts(std::size_t count) : m_count(count) {
    auto const bytes = (count + 2 * n_guards) * sizeof(int);
    void* start      = nullptr;
    EXPECT_EQ(gpuMalloc(&start, bytes), gpuSuccess);
    m_start = static_cast<int*>(start);
    Kokkos::deep_copy(PeerView(m_start, count + 2 * n_guards), guard);
  }
  GuardedInts(GuardedInts const&)            = delete;
  GuardedInts& operator=(GuardedInts const&) = delete;
  ~GuardedInts() { EXPECT_EQ(gpuFree(m_start), gpuSuccess); }

  [[nodiscard]] int* data() const { return m_start + n_guards; }
  [[nodiscard]] std::size_t count() const { return m_count; }
  [[nodiscard]] PeerView view(std::size_t begin, std::size_t count) const {
    return PeerView(data() + begin, count);
  }
  /// Cells before `begin` and from `end` on that are still as they were.
  [[nodiscard]] bool is_intact_outside(std::size_t begin,
                                       std::size_t end) const {
    PeerView const before(m_start, n_guards + begin);
    PeerView const behind(data() + end, n_guards + m_count - end);
    return count_equal(before, guard) == before.size() &&
           count_equal(behind, guard) == behind.size();
  }

 private:
  static constexpr std::size_t n_guards = 8;
  static constexpr int guard            = -77;
  std::size_t m_count;
  int* m_start = nullptr;
};

/// Collective: kernels of all PEs have ended, and everybody sees what they did.
void barrier() { symm::barrier_all(Kokkos::DefaultExecutionSpace{}); }

constexpr std::size_t odd_device_counts[] = {1, 3, 513, 100'003};

TEST_F(SharedDeviceBuffers, kernels_write_every_element_of_every_pe) {
  auto const me = symm::my_pe();
  for (std::size_t const count : odd_device_counts) {
    auto const region = [&](Pe from) {
      return static_cast<std::size_t>(from) * count;
    };
    GuardedInts const own(region(symm::n_pes()));
    SharedDeviceBuffer<int> buffer(own.data(), own.count());
    EXPECT_EQ(buffer.peer(me), own.data()) << "never opened by IPC";
    for (Pe to = 0; to < symm::n_pes(); ++to) {
      EXPECT_EQ(buffer.count(to), own.count());
      fill(PeerView(buffer.peer(to) + region(me), count), me, to);
    }
    barrier();
    for (Pe from = 0; from < symm::n_pes(); ++from) {
      EXPECT_EQ(count_wrong(own.view(region(from), count), from, me), 0U)
          << count << " from PE " << from;
    }
    EXPECT_TRUE(own.is_intact_outside(0, own.count()));
    buffer.close();
  }
}

TEST_F(SharedDeviceBuffers, kernels_and_copies_read_every_pe) {
  auto const me = symm::my_pe();
  for (std::size_t const count : odd_device_counts) {
    GuardedInts const own(count);
    fill(own.view(0, count), me, me);
    SharedDeviceBuffer<int const> buffer(own.data(), own.count());
    for (Pe from = 0; from < symm::n_pes(); ++from) {
      Kokkos::View<int const*, GpuSpace,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
          theirs(buffer.peer(from), count);
      EXPECT_EQ(count_wrong(theirs, from, from), 0U) << "by a kernel";
      DeviceView const on_gpu("on_gpu", count);
      Kokkos::deep_copy(on_gpu, theirs);
      EXPECT_EQ(count_wrong(on_gpu, from, from), 0U) << "GPU to GPU";
      Kokkos::View<int*, Kokkos::HostSpace> const on_host("on_host", count);
      Kokkos::deep_copy(on_host, theirs);
      EXPECT_EQ(count_wrong(on_host, from, from), 0U) << "GPU to host";
    }
    buffer.close();
  }
}

TEST_F(SharedDeviceBuffers, counts_differ_between_pes_and_may_be_0) {
  auto const me       = symm::my_pe();
  auto const count_of = [](Pe pe) {
    return static_cast<std::size_t>(pe) * static_cast<std::size_t>(pe) * 1003;
  };
  GuardedInts const own(count_of(me));
  fill(own.view(0, own.count()), me, me);
  SharedDeviceBuffer<int> buffer(me == 0 ? nullptr : own.data(), own.count());
  EXPECT_EQ(buffer.peer(0), nullptr);
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(buffer.count(pe), count_of(pe));
    EXPECT_EQ(count_wrong(PeerView(buffer.peer(pe), count_of(pe)), pe, pe), 0U);
  }
  buffer.close();
}

TEST_F(SharedDeviceBuffers, a_part_of_an_allocation_is_shared_where_it_begins) {
  auto const me = symm::my_pe();
  GuardedInts const own(3000);
  // Another offset on every PE.
  auto const begin_of = [](Pe pe) {
    return static_cast<std::size_t>(pe) * 501 + 1;
  };
  SharedDeviceBuffer<int> buffer(own.data() + begin_of(me), 777);
  fill(PeerView(buffer.peer(right()), 777), me, right());
  barrier();
  EXPECT_EQ(count_wrong(own.view(begin_of(me), 777), left(), me), 0U);
  EXPECT_TRUE(own.is_intact_outside(begin_of(me), begin_of(me) + 777));
  buffer.close();
}

TEST_F(SharedDeviceBuffers, several_keep_apart_even_of_one_allocation) {
  auto const me = symm::my_pe();
  // The driver has small allocations in one piece of memory.
  std::array<std::optional<GuardedInts>, 4> own;
  std::vector<SharedDeviceBuffer<int>> buffers;
  for (auto& allocation : own) {
    allocation.emplace(1000U);
    buffers.emplace_back(allocation->data(), 500);
    buffers.emplace_back(allocation->data() + 500, 500);
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    fill(PeerView(buffers[i].peer(right()), 500), me + 10 * static_cast<Pe>(i),
         right());
  }
  barrier();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(count_wrong(own[i / 2]->view(i % 2 * 500, 500),
                          left() + 10 * static_cast<Pe>(i), me),
              0U)
        << i;
  }
  // The others are still there when some are closed.
  for (std::size_t i = 0; i < 7; i += 2) buffers[i].close();
  for (std::size_t i = 1; i < 8; i += 2) {
    EXPECT_EQ(count_wrong(PeerView(buffers[i].peer(right()), 500),
                          me + 10 * static_cast<Pe>(i), right()),
              0U)
        << i;
  }
  for (std::size_t i = 1; i < 8; i += 2) buffers[i].close();
  for (auto const& allocation : own) {
    EXPECT_TRUE(allocation->is_intact_outside(0, 1000));
  }
}

TEST_F(SharedDeviceBuffers, blocks_of_64_MiB_arrive) {
  auto const me               = symm::my_pe();
  constexpr std::size_t count = 16 * mib + 1;
  GuardedInts const own(count);
  SharedDeviceBuffer<int> buffer(own.data(), count);
  DeviceView const mine("mine", count);
  fill(mine, me, right());
  Kokkos::deep_copy(PeerView(buffer.peer(right()), count), mine);
  barrier();
  EXPECT_EQ(count_wrong(own.view(0, count), left(), me), 0U);
  EXPECT_TRUE(own.is_intact_outside(0, count));
  buffer.close();
}

TEST_F(SharedDeviceBuffers, the_destructor_is_local_and_runs_in_any_order) {
  auto const me = symm::my_pe();
  GuardedInts const own(1000);
  fill(own.view(0, 1000), me, me);
  std::vector<std::optional<SharedDeviceBuffer<int>>> buffers(3);
  for (auto& buffer : buffers) buffer.emplace(own.data(), own.count());
  auto const calls = n_calls();
  for (std::size_t i = 0; i < 2; ++i) {
    buffers[(i + static_cast<std::size_t>(me)) % 3].reset();
  }
  EXPECT_EQ(n_calls(), calls);
  auto& left_over = buffers[(2 + static_cast<std::size_t>(me)) % 3];
  EXPECT_EQ(
      count_wrong(PeerView(left_over->peer(right()), 1000), right(), right()),
      0U);
  left_over.reset();
  barrier();  // now it may be freed
}

TEST_F(SharedDeviceBuffers, memory_can_be_freed_when_close_returns) {
  auto const me           = symm::my_pe();
  auto const descriptors  = n_open_descriptors();
  constexpr int n_rounds  = 100;
  constexpr auto n_blocks = 512 * mib;  // in all rounds, more than any GPU has
  for (int round = 0; round < n_rounds; ++round) {
    void* start = nullptr;
    EXPECT_EQ(gpuMalloc(&start, n_blocks * sizeof(int)), gpuSuccess) << round;
    PeerView const own(static_cast<int*>(start), n_blocks);
    SharedDeviceBuffer<int> buffer(own.data(), n_blocks);
    fill(PeerView(buffer.peer(right()) + 5, 3), me + round, right());
    buffer.close();  // waits for kernels, too
    EXPECT_EQ(count_wrong(PeerView(own.data() + 5, 3), left() + round, me), 0U);
    EXPECT_EQ(gpuFree(start), gpuSuccess);
  }
  // The driver opens some of its own, once.
  EXPECT_LE(n_open_descriptors(), descriptors + 16);
  symm::barrier_all();
}

TEST_F(SharedDeviceBuffers, hundreds_of_one_allocation_leave_nothing_behind) {
  GuardedInts const own(1000);
  auto const cycle = [&](int i) {
    SharedDeviceBuffer<int> buffer(own.data(), own.count());
    if (i % 2 == 0) buffer.close();
  };
  for (int i = 0; i < 10; ++i) cycle(i);
  symm::barrier_all();
  auto const descriptors = n_open_descriptors();
  for (int i = 0; i < 300; ++i) cycle(i);
  symm::barrier_all();
  EXPECT_EQ(n_open_descriptors(), descriptors);
}

TEST_F(SharedDeviceBuffers, other_memory_on_one_pe_is_refused_by_all) {
  GuardedInts const own(100);
  std::vector<int> on_host(100);
  void* managed = nullptr;
  void* pinned  = nullptr;
  EXPECT_EQ(gpuMallocManaged(&managed, 400), gpuSuccess);
  EXPECT_EQ(gpuMallocHost(&pinned, 400), gpuSuccess);
  Kokkos::View<int*, SymmetricGpuSpace> const symmetric("symmetric", 100);
  for (Pe odd = 0; odd < symm::n_pes(); ++odd) {
    for (int* const bad : {on_host.data(), static_cast<int*>(managed),
                           static_cast<int*>(pinned), symmetric.data()}) {
      EXPECT_THAT(message_of<symm::UsageError>([&] {
                    SharedDeviceBuffer<int>(
                        symm::my_pe() == odd ? bad : own.data(), 100);
                  }),
                  AllOf(HasSubstr("symm::SharedDeviceBuffer: " + pe_text(odd) +
                                  " failed: "),
                        HasSubstr(" IPC cannot share")));
    }
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  SharedDeviceBuffer<int>(
                      symm::my_pe() == odd ? nullptr : own.data(), 100);
                }),
                HasSubstr("on " + pe_text(odd) + ": the address is null"));
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  SharedDeviceBuffer<int>(
                      own.data(), symm::my_pe() == odd ? 100 * mib : 100);
                }),
                AllOf(HasSubstr(pe_text(odd) + " failed: "),
                      HasSubstr("the allocation ends after ")));
  }
  SharedDeviceBuffer<int>(own.data(), 100).close();
  EXPECT_EQ(gpuFree(managed), gpuSuccess);
  EXPECT_EQ(gpuFreeHost(pinned), gpuSuccess);
}

TEST_F(SharedDeviceBuffers, wrong_pes_and_closed_ones_are_errors) {
  auto const n = symm::n_pes();
  GuardedInts const own(10);
  SharedDeviceBuffer<int> buffer(own.data(), own.count());
  std::string const name = "symm::SharedDeviceBuffer::";
  for (Pe const bad : {-1, n}) {
    EXPECT_EQ(message_of<symm::UsageError>(
                  [&] { static_cast<void>(buffer.peer(bad)); }),
              name + "peer: invalid " + pe_text(bad) + "; PEs are 0 to " +
                  std::to_string(n - 1));
    EXPECT_THAT(message_of<symm::UsageError>(
                    [&] { static_cast<void>(buffer.count(bad)); }),
                HasSubstr(name + "count: invalid " + pe_text(bad)));
  }
  buffer.close();
  EXPECT_EQ(
      message_of<symm::UsageError>([&] { static_cast<void>(buffer.peer(0)); }),
      name + "peer: the buffer is closed");
  EXPECT_THAT(message_of<symm::UsageError>([&] { buffer.close(); }),
              HasSubstr("the buffer is already closed"));
}

TEST_F(SharedDeviceBuffers, a_host_buffer_on_one_pe_is_an_error_on_all) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  GuardedInts const own(10);
  int on_host = 0;
  for (Pe odd = 0; odd < symm::n_pes(); ++odd) {
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  if (symm::my_pe() == odd) {
                    SharedHostBuffer<int>(&on_host, 1);
                  } else {
                    SharedDeviceBuffer<int>(own.data(), 10);
                  }
                }),
                AllOf(HasSubstr(pe_text(odd) + " called construction of a "
                                               "shared buffer(bytes of an "
                                               "element = 4)"),
                      HasSubstr("memory = GPU")));
  }
  SharedDeviceBuffer<int>(own.data(), 10).close();
}

// Views.

using DeviceMatrix = Kokkos::View<int**, Kokkos::LayoutLeft, GpuSpace>;

TEST_F(SharedDeviceBuffers, a_View_is_shared_and_a_peers_seen_as_a_View) {
  auto const me      = symm::my_pe();
  auto const rows_of = [](Pe pe) { return static_cast<std::size_t>(3 * pe); };
  DeviceMatrix const view("view", rows_of(me), 5);
  auto shared = symm::share_view(view);
  static_assert(std::is_same_v<decltype(shared), SharedDeviceBuffer<int>>);
  auto const theirs =
      symm::peer_view<DeviceMatrix>(shared, right(), rows_of(right()), 5);
  fill(theirs, me, right());
  barrier();
  EXPECT_EQ(count_wrong(view, left(), me), 0U);
  // The last index is the fastest of fill(): element n of column 0 is 5 n.
  auto const column = Kokkos::subview(theirs, Kokkos::ALL, 0);
  EXPECT_EQ(column.extent(0), rows_of(right()));
  if (rows_of(right()) > 0) EXPECT_EQ(get(column, 2), value(me, right(), 10));
  shared.close();
}

TEST_F(SharedDeviceBuffers, a_View_of_more_than_a_peer_has_is_an_error) {
  DeviceMatrix const view("view", 7, 5);
  auto shared = symm::share_view(view);
  EXPECT_THAT(
      message_of<symm::UsageError>([&] {
        static_cast<void>(symm::peer_view<DeviceMatrix>(shared, right(), 6, 6));
      }),
      AllOf(HasSubstr("symm::peer_view: a View of 36 elements"),
            HasSubstr(pe_text(right()) + " has shared 35")));
  shared.close();
}

}  // namespace
