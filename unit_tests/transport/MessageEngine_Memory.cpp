// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Engines of all network libraries where private memory is missing.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include <support/Sanitizers.hpp>

#include "network_test.hpp"

namespace {
std::atomic<bool> s_fails{false};

void* memory_of(std::size_t bytes) {
  return s_fails ? nullptr : std::malloc(bytes | 1U);
}
}  // namespace

// GCC would compare inlined ones with the delete of others.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  auto* const memory = memory_of(bytes);
  return memory != nullptr ? memory : throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes,
                                     std::nothrow_t const&) noexcept {
  return memory_of(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using namespace symm_test;
using namespace std::chrono_literals;

class MessageEngineMemory : public NetworkTest {};

SYMM_TEST_FOR_ALL_NETWORKS(MessageEngineMemory);

/// PE 1 does that while PE 0 has no memory, which loses it then and says why.
void expect_lost(bool has_met_before,
                 std::function<void(TestEngine&)> const& send) {
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    TestEngine test(bootstrap);
    if (has_met_before) {
      if (test.me == 1) test.send(0, 1, {});
      EXPECT_TRUE(test.me != 0 ||
                  test.poll_until([&] { return test.receiver.n_data == 1; }));
    }
    bootstrap.barrier();
    if (test.me == 0) s_fails = true;
    bootstrap.barrier();
    if (test.me == 1) send(test);
    auto const end = Clock::now() + 10s;
    while (test.me == 0 && test.receiver.n_lost == 0 && Clock::now() < end) {
      std::this_thread::sleep_for(1ms);
    }
    s_fails = false;
    bootstrap.barrier();
    if (test.me == 1) return;
    EXPECT_EQ(test.receiver.lost_pe, 1);
    EXPECT_NE(std::string(test.receiver.lost_why).find("no private memory"),
              std::string::npos)
        << test.receiver.lost_why;
  });
}

TEST_P(MessageEngineMemory, a_first_message_that_cannot_be_taken_is_told) {
  expect_lost(false, [](TestEngine& test) { test.send(0, 1, {}); });
}

/// Bytes that this process has allocated. (Its resident memory differs by what
/// malloc keeps of freed memory, with libfabric in steps of 17 MiB.)
std::size_t allocated_bytes() {
  auto const info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST_P(MessageEngineMemory, engines_in_turn_keep_none) {
  if (is_sanitized) GTEST_SKIP() << "sanitizers have a malloc of their own";
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    std::size_t after_some = 0;
    for (int i = 0; i < 12; ++i) {
      if (i == 4) after_some = allocated_bytes();
      TestEngine test(bootstrap);
      EXPECT_TRUE(test.ask(1 - test.me, 1));
      bootstrap.barrier();
    }
    EXPECT_LT(allocated_bytes(), after_some + (std::size_t{256} << 10U));
  });
}

TEST_P(MessageEngineMemory, a_large_message_that_cannot_be_taken_is_told) {
  expect_lost(true, [](TestEngine& test) {
    static auto const payload = test.payload_to(0, 1, 4U << 20U);
    test.send(0, 1, payload, TestHead::data, 1);
  });
}

}  // namespace
