// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_ORDER_TEST_HPP
#define SYMM_TEST_ORDER_TEST_HPP

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
      channel.put(flag, &value, 8, Until::is_begun);
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

}  // namespace symm_test

#endif
