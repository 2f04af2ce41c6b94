// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CUDA_RUNTIME_HPP
#define SYMM_TEST_CUDA_RUNTIME_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/FakeCuda.hpp>
#include <support/ForkedPes.hpp>
#include <support/ProcessResources.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include "GpuNames.hpp"

/// What the tests of the runtime with GPUs share: PEs are forked processes, the
/// GPUs those of the fake driver.
namespace symm_test {

constexpr std::size_t mib = std::size_t{1} << 20U;

/// The machine has two GPUs unless a test says otherwise.
class CudaRuntime : public testing::Test {
 protected:
  void SetUp() override {
    for (char const* variable :
         {"SYMM_STATIC_HEAP", "SYMM_SYMMETRIC_SIZE", "SYMM_HEAP_LIMIT",
          "SYMM_TIMEOUT", "NVSHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_SIZE"}) {
      ASSERT_EQ(::unsetenv(variable), 0);
    }
    FakeCuda::set_machine(2);
  }
};

inline FakeCuda const& fake() { return FakeCuda::instance(); }

inline void initialize(ForkedBootstrap const& bootstrap,
                       std::optional<int> device) {
  symm::Impl::Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap),
                                  device);
}

inline symm::Impl::SymmetricHeap& heap(symm::MemoryKind kind) {
  return symm::Impl::Runtime::instance("test").heap(kind, "test");
}

/// What a process holds of the driver and of the system.
struct Held {
  FakeCudaCounts counts;
  std::size_t descriptors;

  friend bool operator==(Held const& a, Held const& b) {
    return a.counts == b.counts && a.descriptors == b.descriptors;
  }
  friend std::ostream& operator<<(std::ostream& out, Held const& held) {
    return out << held.counts << ", " << held.descriptors << " descriptors";
  }
};

inline Held held() {
  auto const counts = fake().counts();  // loads the driver, at first
  return {counts, n_open_descriptors()};
}

/// What every PE has in the memory of its GPU from the start to the end, for PE
/// teams: more if no PEs share a GPU, since packets are many then.
/// \param n_on_gpu of the GPU that most PEs have.
constexpr std::size_t start_bytes(std::size_t n_on_gpu) {
  return n_on_gpu > 1 ? 2 * mib : 4 * mib;
}

/// Collective: the PEs have what they take at the start, so many on each GPU,
/// and no more at any place.
inline void expect_only_start_in_use(symm::Impl::Bootstrap& bootstrap,
                                     std::size_t n_on_gpu0,
                                     std::size_t n_on_gpu1) {
  auto const bytes = start_bytes(std::max(n_on_gpu0, n_on_gpu1));
  bootstrap.barrier();
  EXPECT_EQ(fake().bytes_in_use("gpu0"), n_on_gpu0 * bytes);
  EXPECT_EQ(fake().bytes_in_use("gpu1"), n_on_gpu1 * bytes);
  EXPECT_EQ(fake().bytes_in_use("numa0"), 0U);
  bootstrap.barrier();
}

/// Collective: no PE keeps memory at any place any more.
inline void expect_nothing_in_use(symm::Impl::Bootstrap& bootstrap) {
  expect_only_start_in_use(bootstrap, 0, 0);
}

/// Differs for every sender, receiver and element.
inline char value(symm::Pe from, symm::Pe to, std::size_t i) {
  return static_cast<char>(from * 32 + to * 8 + static_cast<int>(i % 7));
}

/// Collective: every PE writes the next one's copy and finds in its own what
/// the previous one wrote.
inline void expect_data_arrives(symm::Impl::SymmetricHeap& heap, void* block,
                                std::size_t bytes) {
  ASSERT_NE(block, nullptr);
  auto const& map    = heap.map();
  auto* const mine   = static_cast<char*>(block);
  symm::Pe const to  = (map.my_pe + 1) % map.n_pes;
  auto* const theirs = map.peer_ptr(mine, to);
  for (std::size_t i = 0; i < bytes; ++i) theirs[i] = value(map.my_pe, to, i);
  symm::barrier_all();
  symm::Pe const from = (map.my_pe + map.n_pes - 1) % map.n_pes;
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (mine[i] != value(from, map.my_pe, i)) ++n_wrong;
  }
  EXPECT_EQ(n_wrong, 0U) << "of " << bytes;
  symm::barrier_all();
}

/// Why a call failed; on success a failure of the test.
inline symm::Impl::Failure failure_text(std::function<void()> const& call) {
  auto const failure = symm::Impl::failure_of(call);
  EXPECT_TRUE(failure) << "on every PE";
  return failure.value_or(symm::Impl::Failure{});
}

/// What the statistics say of a heap, but for the number of calls.
inline std::string stats_of(symm::Impl::SymmetricHeap& heap) {
  auto const stats = heap.stats();
  std::string text;
  for (auto const number :
       {stats.live_blocks, stats.live_bytes, stats.free_bytes,
        stats.largest_free_bytes, stats.mapped_bytes, stats.n_chunks}) {
    text += std::to_string(number) + " ";
  }
  return text;
}

}  // namespace symm_test

#endif
