// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_NETWORK_TEST_HPP
#define SYMM_TEST_NETWORK_TEST_HPP

#include <cstdlib>
#include <map>

#include "engine_test.hpp"

namespace symm_test {

/// Whether this machine has the library of SYMM_NETWORK. A process of its own
/// looks: PEs are forked, and these libraries are not for processes that fork.
inline bool has_network(std::string const& name) {
  static std::map<std::string, bool> has;
  auto const [its, is_new] = has.emplace(name, false);
  if (is_new) {
    auto const results = try_pes(1, {}, [](ForkedBootstrap&) {
      static_cast<void>(symm::Impl::message_engine_of_environment()->library());
    });
    its->second        = results[0].has_succeeded();
    if (!its->second) GTEST_LOG_(WARNING) << results[0].output;
  }
  return its->second;
}

/// A test of each network library, which skips itself where that is not there.
/// It may use any network. The parameter is the value of SYMM_NETWORK.
class NetworkTest : public testing::TestWithParam<char const*> {
 protected:
  void SetUp() override {
    ::unsetenv("UCX_TLS");
    ::unsetenv("UCX_NET_DEVICES");
    ::unsetenv("FI_PROVIDER");
    ::setenv("SYMM_NETWORK", GetParam(), 1);
    if (!has_network(GetParam())) {
      GTEST_SKIP() << "there is no " << GetParam() << " on this machine";
    }
  }
  void TearDown() override { ::unsetenv("SYMM_NETWORK"); }
};

/// Only UCX notices without watch() that a process has ended.
inline void watch_if_needed(TestEngine& test, Pe pe) {
  if (std::string(std::getenv("SYMM_NETWORK")) != "ucx") {
    test.engine->watch(pe);
  }
}

#define SYMM_TEST_FOR_ALL_NETWORKS(suite)                   \
  INSTANTIATE_TEST_SUITE_P(                                 \
      Networks, suite, testing::Values("ucx", "libfabric"), \
      [](auto const& network) { return std::string(network.param); })

}  // namespace symm_test

#endif
