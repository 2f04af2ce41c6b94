// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_ORDER_TEST_HPP
#define SYMM_TEST_ORDER_TEST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "transport_test.hpp"

/// Blocks and flags of PE 0 for PE 1, whose order tests look at.
namespace symm_test {

constexpr PeMemory data{1, Segment::host_heap, 4096};
constexpr PeMemory flag{1, Segment::host_heap, 8};

/// Delivers until the flag has this value, and nothing else.
inline testing::AssertionResult flag_comes(FakeJob& job, std::uint64_t value) {
  while (job.target(1).at(flag.offset()) != value) {
    if (!job.network.step()) return testing::AssertionFailure() << "no flag";
  }
  return testing::AssertionSuccess();
}

/// How a flag gets there.
enum class Form { put, put_nbi, put_signal, post_atomic, atomic };
constexpr std::array all_forms{Form::put, Form::put_nbi, Form::put_signal,
                               Form::post_atomic, Form::atomic};

inline void send_flag(FakeJob& job, Form form, std::uint64_t value) {
  auto& channel = job[0].channel();
  switch (form) {
    case Form::put: channel.put(flag, &value, 8); break;
    case Form::put_nbi:
      channel.put(flag, &value, 8, Completion::none);
      static_cast<void>(job[0].poll());
      break;
    case Form::put_signal:
      channel.put_signal({1, Segment::host_heap, 0}, nullptr, 0, flag, value,
                         AtomicOp::set);
      break;
    case Form::post_atomic:
      channel.post_atomic(flag, AtomicOp::set, WordType::u64, value);
      static_cast<void>(job[0].poll());
      break;
    case Form::atomic:
      static_cast<void>(
          channel.atomic(flag, AtomicOp::swap, WordType::u64, value));
      break;
  }
}

/// What is before a fence is there before each form of flag behind it, for
/// blocks of these sizes. \returns the number of blocks.
template <class Sizes>
std::uint64_t expect_blocks_before_flags(FakeJob& job, Sizes const& sizes) {
  std::uint64_t round = 0;
  for (auto const completion : {Completion::local, Completion::none}) {
    for (auto const bytes : sizes) {
      for (auto const form : all_forms) {
        for (int repeat = 0; repeat < 8; ++repeat) {
          ++round;
          auto const block = block_of(round, bytes);
          // Something else first, so that there is more to be overtaken.
          job[0].channel().put({1, Segment::host_heap, 64}, &round, 8,
                               Completion::none);
          job[0].channel().put(data, block.data(), bytes, completion);
          job[0].channel().fence();
          send_flag(job, form, round);
          EXPECT_TRUE(flag_comes(job, round));
          EXPECT_EQ(job.target(1).at(64), round);
          EXPECT_TRUE(holds(job.target(1).heap() + data.offset(), round, bytes))
              << bytes << " bytes, form " << static_cast<int>(form);
          job[0].channel().quiet();
          std::fill_n(job.target(1).heap() + data.offset(), bytes, std::byte{});
        }
      }
    }
  }
  return round;
}

}  // namespace symm_test

#endif
