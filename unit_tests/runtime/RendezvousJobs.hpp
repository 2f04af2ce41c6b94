// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_RENDEZVOUS_JOBS_HPP
#define SYMM_TEST_RENDEZVOUS_JOBS_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>
#include <support/SimulatedNodes.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/pes/Rendezvous.hpp>

/// Jobs of forked PEs with a rendezvous, on one node or on simulated ones.
namespace symm_test {

using PeOfNodes = std::function<void(symm::Impl::Bootstrap&, PeStack&)>;

/// run_pes(), with a stack.
inline std::vector<PeResult> run_on_nodes(NodeShape const& shape,
                                          std::chrono::duration<double> timeout,
                                          PeOfNodes const& body) {
  SimulatedNodes const job(shape);
  return run_pes(shape.n_pes(), [&](ForkedBootstrap& bootstrap) {
    PeStack stack(bootstrap, timeout, &job);
    body(bootstrap, stack);
  });
}

/// expect_on_pes(), with a stack.
inline void expect_on_nodes(NodeShape const& shape, PeOfNodes const& body) {
  SimulatedNodes const job(shape);
  expect_on_pes(shape.n_pes(), [&](ForkedBootstrap& bootstrap) {
    PeStack stack(bootstrap, {}, &job);
    body(bootstrap, stack);
  });
}

/// All PEs of a job call `call`, which must throw the same on all of them; they
/// go on with calls that work.
inline void fails_on_all(symm::Impl::Bootstrap& bootstrap, PeStack& stack,
                         std::function<void(PeStack&, symm::Pe)> const& call,
                         symm::Impl::ErrorKind kind,
                         testing::Matcher<std::string const&> const& message) {
  using symm::Impl::RuntimeCall;
  for (int round = 0; round < 3; ++round) {
    auto const failure =
        symm::Impl::failure_of([&] { call(stack, bootstrap.my_pe()); });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, kind) << failure->message;
    EXPECT_THAT(failure->message, message);
    using Beginning = std::array<char, 1024>;
    Beginning mine{};
    std::string_view(failure->message).copy(mine.data(), mine.size());
    EXPECT_THAT(symm::Impl::allgather(bootstrap, mine), testing::Each(mine));
    // M30: the next call works, with either slot of the records.
    for (int i = 0; i <= round; ++i) {
      EXPECT_NO_THROW(stack.rendezvous.meet(
          {.operation = RuntimeCall::malloc, .arguments = {64}}));
      EXPECT_FALSE(stack.rendezvous.agree(std::nullopt));
    }
  }
}

/// fails_on_all(), in a job of its own.
inline void expect_failure_on_all(
    NodeShape const& shape, std::function<void(PeStack&, symm::Pe)> const& call,
    symm::Impl::ErrorKind kind,
    testing::Matcher<std::string const&> const& message) {
  expect_on_nodes(shape, [&](symm::Impl::Bootstrap& bootstrap, PeStack& stack) {
    fails_on_all(bootstrap, stack, call, kind, message);
  });
}

}  // namespace symm_test

#endif
