// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the memory pools ask of the streams of a GPU, with the fake driver.

#include <gmock/gmock.h>
#include <support/FakeCuda.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <runtime/base/Failure.hpp>
#include <runtime/gpu/Vmm_Gpu.hpp>
#include "GpuNames.hpp"

namespace symm_test::queues {
namespace {

using symm::Impl::failure_of;
using symm::Impl::Vmm_Gpu;
using symm::Impl::gpu::Driver;
using testing::AllOf;

constexpr int late_ms = 50;

class CudaQueues : public testing::Test {
 protected:
  void SetUp() override {
    FakeCuda::set_machine(1);
    m_vmm.emplace(Driver::instance(), symm::MemoryKind::device, 0);
    m_first  = fake().make_stream();
    m_second = fake().make_stream();
  }
  void TearDown() override {
    fake().heal();
    if (m_vmm) m_vmm->synchronize();
    fake().destroy_stream(m_first);
    fake().destroy_stream(m_second);
  }

  static FakeCuda const& fake() { return FakeCuda::instance(); }

  /// A kernel in a stream, which sets `has_ended` late.
  static void launch_late(CUstream stream, std::atomic<bool>& has_ended) {
    fake().launch(
        0, late_ms, [&] { has_ended = true; }, stream);
  }

  std::optional<Vmm_Gpu> m_vmm;
  CUstream m_first  = nullptr;
  CUstream m_second = nullptr;
};

TEST_F(CudaQueues, is_idle_tells_of_that_stream_alone) {
  std::atomic<bool> has_ended{false};
  launch_late(m_first, has_ended);
  EXPECT_FALSE(m_vmm->is_idle(m_first));
  EXPECT_TRUE(m_vmm->is_idle(m_second));
  EXPECT_TRUE(m_vmm->is_idle(nullptr));
  EXPECT_FALSE(has_ended) << "nobody has waited";
  m_vmm->wait(m_first);
  EXPECT_TRUE(m_vmm->is_idle(m_first));
}

TEST_F(CudaQueues, wait_waits_for_that_stream_alone) {
  for (CUstream const stream : {m_first, CUstream{nullptr}}) {
    std::atomic<bool> has_ended{false};
    launch_late(stream, has_ended);
    m_vmm->wait(m_second);
    EXPECT_FALSE(has_ended);
    m_vmm->wait(stream);
    EXPECT_TRUE(has_ended);
  }
}

TEST_F(CudaQueues, H53_make_wait_orders_streams_and_does_not_wait) {
  for (CUstream const earlier : {m_first, CUstream{nullptr}}) {
    std::atomic<bool> has_ended{false};
    std::atomic<bool> is_behind{false};
    launch_late(earlier, has_ended);
    m_vmm->make_wait(m_second, earlier);
    fake().launch(
        0, 0, [&] { is_behind = has_ended.load(); }, m_second);
    EXPECT_FALSE(has_ended) << "the host has not waited";
    m_vmm->wait(m_second);
    EXPECT_TRUE(is_behind);
  }
}

TEST_F(CudaQueues, H53_one_event_is_enough_for_waits_that_are_under_way) {
  std::atomic<bool> first_ended{false};
  std::atomic<bool> second_ended{false};
  std::atomic<bool> is_behind{false};
  CUstream const third = fake().make_stream();
  launch_late(m_first, first_ended);
  m_vmm->make_wait(third, m_first);
  launch_late(m_second, second_ended);
  m_vmm->make_wait(third, m_second);
  fake().launch(
      0, 0, [&] { is_behind = first_ended && second_ended; }, third);
  EXPECT_EQ(fake().counts().events, 1U);
  m_vmm->wait(third);
  EXPECT_TRUE(is_behind);
  fake().destroy_stream(third);
}

TEST_F(CudaQueues, wait_for_words_holds_up_later_work_of_that_stream_alone) {
  using Wait        = Vmm_Gpu::WordWait;
  auto const bytes  = m_vmm->granularity(symm::Impl::Vmm::Granularity::minimum);
  char* const words = m_vmm->reserve(bytes);
  auto const handle = m_vmm->create(bytes, symm::Impl::Vmm::Sharing::none);
  m_vmm->map(words, bytes, 0, handle);
  m_vmm->set_access(words, bytes, symm::Impl::Vmm::Access::read_write);
  constexpr auto minus_2 = ~std::uint64_t{1};
  struct {
    Wait wait;
    std::uint64_t before;
    std::uint64_t after;
  } const cases[] = {
      {{words, 5}, 4, 5},          {{words, 5}, minus_2, 7},
      {{words, 0}, minus_2, 0},    {{words, 0, 4}, 0xffff'ffffU, 1},
      {{words, 5, 8, true}, 6, 5}, {{words, 5, 4, true}, 6, 5},
  };
  for (auto const& [wait, before, after] : cases) {
    Vmm_Gpu::WordStore store{words, before, wait.bytes};
    m_vmm->store_words(m_second, &store, 1);
    m_vmm->wait(m_second);
    std::atomic<bool> has_ended{false};
    m_vmm->wait_for_words(m_first, &wait, 1);
    fake().launch(
        0, 0, [&] { has_ended = true; }, m_first);
    std::this_thread::sleep_for(std::chrono::milliseconds(late_ms));
    EXPECT_FALSE(has_ended);
    EXPECT_TRUE(m_vmm->is_idle(m_second));
    store.value = after;
    m_vmm->store_words(m_second, &store, 1);
    m_vmm->wait(m_first);
    EXPECT_TRUE(has_ended);
  }
  m_vmm->unmap(words, bytes);
  m_vmm->release(handle);
  m_vmm->address_free(words, bytes);
}

TEST_F(CudaQueues, HIP_does_not_wait_for_at_least_a_negative_number) {
  if (!is_hip) GTEST_SKIP() << "CUDA's words wrap around";
  std::uint64_t word = 0;
  for (std::size_t const bytes : {4U, 8U}) {
    Vmm_Gpu::WordWait const waits[] = {{&word, 1, bytes},
                                       {&word, ~std::uint64_t{0}, bytes}};
    EXPECT_THROW(m_vmm->wait_for_words(m_first, waits, 2), symm::UsageError);
    EXPECT_TRUE(m_vmm->is_idle(m_first)) << "none is enqueued";
  }
}

TEST_F(CudaQueues, the_event_ends_with_the_memory) {
  EXPECT_EQ(fake().counts().events, 0U) << "made when it is needed";
  m_vmm->make_wait(m_second, m_first);
  EXPECT_EQ(fake().counts().events, 1U);
  m_vmm.reset();
  EXPECT_EQ(fake().counts().events, 0U);
}

TEST_F(CudaQueues, H16_is_captured_tells_and_leaves_the_capture_valid) {
  EXPECT_FALSE(m_vmm->is_captured(m_first));
  EXPECT_FALSE(m_vmm->is_captured(nullptr));
  fake().begin_capture(m_first);
  EXPECT_TRUE(m_vmm->is_captured(m_first));
  EXPECT_FALSE(m_vmm->is_captured(m_second));
  EXPECT_TRUE(m_vmm->is_captured(nullptr)) << "it would wait for the other";
  EXPECT_TRUE(fake().end_capture(m_first));
  EXPECT_FALSE(m_vmm->is_captured(m_first));
}

TEST_F(CudaQueues,
       words_are_neither_stored_nor_waited_for_in_a_capture_of_HIP) {
  if (!is_hip) GTEST_SKIP() << "CUDA records them";
  std::uint64_t word = 0;
  Vmm_Gpu::WordStore const store{&word, 1, 8};
  Vmm_Gpu::WordWait const wait{&word, 1};
  fake().begin_capture(m_first);
  EXPECT_THROW(m_vmm->store_words(m_first, &store, 1), symm::UsageError);
  EXPECT_THROW(m_vmm->wait_for_words(m_first, &wait, 1), symm::UsageError);
  EXPECT_TRUE(fake().end_capture(m_first));
}

TEST_F(CudaQueues, a_thread_without_a_context_may_ask_and_gets_none) {
  std::thread([&] {
    for (CUstream const stream : {m_first, CUstream{nullptr}}) {
      EXPECT_TRUE(m_vmm->is_idle(stream));
      EXPECT_FALSE(m_vmm->is_captured(stream));
      m_vmm->wait(stream);
      m_vmm->make_wait(m_second, stream);
    }
    EXPECT_EQ(fake().n_current_contexts(), 0);
  }).join();
}

/// The text of the SystemError that `call` throws.
template <class Call>
std::string error_of(Call const& call) {
  auto const failure = failure_of(call);
  if (!failure) return "no error";
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::system);
  return failure->message;
}

TEST_F(CudaQueues, what_the_driver_refuses_is_an_error_that_names_it) {
  auto const make_wait = [&] { m_vmm->make_wait(m_second, m_first); };
  struct {
    char const* function;
    std::function<void()> call;
  } const cases[] = {
      {"cuStreamQuery", [&] { static_cast<void>(m_vmm->is_idle(m_first)); }},
      {"cuStreamSynchronize", [&] { m_vmm->wait(m_first); }},
      {"cuEventCreate", make_wait},
      {"cuEventRecord", make_wait},
      {"cuStreamWaitEvent", make_wait},
      {"cuStreamIsCapturing",
       [&] { static_cast<void>(m_vmm->is_captured(m_first)); }},
  };
  for (auto const& [function, call] : cases) {
    fake().fail(function, CUDA_ERROR_UNKNOWN);
    EXPECT_THAT(error_of(call), AllOf(HasSubstr("GPU 0"), HasSubstr(function),
                                      HasSubstr("CUDA_ERROR_UNKNOWN")));
    fake().heal();
    EXPECT_EQ(error_of(call), "no error") << function;
  }
  EXPECT_EQ(fake().counts().events, 1U);
}

TEST_F(CudaQueues, a_lost_context_is_an_error) {
  m_vmm->make_wait(m_second, m_first);
  fake().lose_context(0);
  EXPECT_THAT(error_of([&] { static_cast<void>(m_vmm->is_idle(m_first)); }),
              HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_THAT(error_of([&] { m_vmm->wait(m_first); }),
              HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_THAT(error_of([&] { m_vmm->make_wait(m_second, m_first); }),
              HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  m_vmm.reset();
}

}  // namespace
}  // namespace symm_test::queues
