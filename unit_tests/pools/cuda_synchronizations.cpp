// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// P01, counted by CUPTI: which functions of the driver pools and their Views
// call, and that none of them waits.

#include <cupti.h>
#include <gtest/gtest.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>
#include <map>
#include <string>

#include "gpu_streams.hpp"

namespace symm_test::cuda_synchronizations {
namespace {

/// Calls of the driver's functions, by name, and waits, from now on.
class DriverCalls {
 public:
  DriverCalls() {
    EXPECT_EQ(cuptiSubscribe(&m_subscriber, &note, this), CUPTI_SUCCESS);
    for (auto const domain :
         {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_SYNCHRONIZE}) {
      EXPECT_EQ(cuptiEnableDomain(1, m_subscriber, domain), CUPTI_SUCCESS);
    }
  }
  ~DriverCalls() { EXPECT_EQ(cuptiUnsubscribe(m_subscriber), CUPTI_SUCCESS); }
  DriverCalls(DriverCalls const&)            = delete;
  DriverCalls& operator=(DriverCalls const&) = delete;

  /// Of this thread: streams or contexts that were waited for, of any API.
  [[nodiscard]] int n_waits() const { return m_n_waits; }
  /// Calls that are named as what waits is.
  [[nodiscard]] int n_synchronizing() const {
    int result = 0;
    for (auto const& [name, count] : m_calls) {
      if (name.find("Synchronize") != std::string::npos) result += count;
    }
    return result;
  }
  /// "cuMemcpyAsync 1000, ...".
  [[nodiscard]] std::string text() const {
    std::string result;
    for (auto const& [name, count] : m_calls) {
      result += name + " " + std::to_string(count) + ", ";
    }
    return result + "waits " + std::to_string(m_n_waits);
  }

 private:
  static void CUPTIAPI note(void* self, CUpti_CallbackDomain domain,
                            CUpti_CallbackId /*id*/, void const* data) {
    auto& calls = *static_cast<DriverCalls*>(self);
    if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE) {
      ++calls.m_n_waits;
      return;
    }
    auto const& call = *static_cast<CUpti_CallbackData const*>(data);
    if (call.callbackSite == CUPTI_API_ENTER)
      ++calls.m_calls[call.functionName];
  }

  CUpti_SubscriberHandle m_subscriber = nullptr;
  std::map<std::string, int> m_calls;
  int m_n_waits = 0;
};

constexpr int n_rounds = 1000;

class CudaSynchronizations : public testing::Test {
 protected:
  using View = Kokkos::View<int*, symm::SymmetricCudaSpace>;

  CudaSynchronizations() {
    for (auto const& stream : m_streams) {  // the pool gets its memory
      release(allocate(m_pool, stream), stream);
      View const view(
          Kokkos::view_alloc(stream, symm::SymmetricCudaSpace(m_pool), "view"),
          pool_ints);
    }
    symm::barrier_all(Kokkos::Cuda());
    barrier_of(m_streams);
  }
  ~CudaSynchronizations() override { end_pool(m_pool); }

  /// A counter sees that something waits.
  static void expect_counter_works() {
    DriverCalls const calls;
    Kokkos::fence();
    EXPECT_GT(calls.n_waits(), 0);
    EXPECT_GT(calls.n_synchronizing(), 0);
  }
  static void expect_no_wait(char const* what, DriverCalls const& calls) {
    EXPECT_EQ(calls.n_waits(), 0) << calls.text();
    EXPECT_EQ(calls.n_synchronizing(), 0) << calls.text();
    if (symm::my_pe() == 0) {
      std::printf("%d x %s: %s\n", n_rounds, what, calls.text().c_str());
    }
  }

  symm::MemPool m_pool = make_pool({.memory = symm::MemoryKind::device});
  std::vector<Kokkos::Cuda> m_streams = make_streams(4);
};

TEST_F(CudaSynchronizations, P01_1000_blocks_need_none) {
  expect_counter_works();
  DriverCalls const calls;
  for (int i = 0; i < n_rounds; ++i) {
    auto const& stream = m_streams[static_cast<std::size_t>(i % 4)];
    release(allocate(m_pool, stream), stream);
    if (i % 16 == 15) barrier_of(m_streams);
  }
  expect_no_wait("malloc_async + free_async", calls);
}

TEST_F(CudaSynchronizations, P01_1000_Views_need_none) {
  for (bool const is_filled : {false, true}) {
    DriverCalls const calls;
    for (int i = 0; i < n_rounds; ++i) {
      auto const& stream = m_streams[static_cast<std::size_t>(i % 4)];
      symm::SymmetricCudaSpace const space(m_pool);
      if (is_filled) {
        View const view(Kokkos::view_alloc(stream, space, "view"), pool_ints);
      } else {
        View const view(Kokkos::view_alloc(stream, space, "view",
                                           Kokkos::WithoutInitializing),
                        pool_ints);
      }
      if (i % 16 == 15) barrier_of(m_streams);
    }
    expect_no_wait(is_filled ? "View, filled" : "View, not filled", calls);
  }
}

}  // namespace
}  // namespace symm_test::cuda_synchronizations
