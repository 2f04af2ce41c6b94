// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_UCX_TEST_HPP
#define SYMM_TEST_UCX_TEST_HPP

#include <cstdlib>

#include "engine_test.hpp"

#include <runtime/engines/MessageEngine_Ucx.hpp>

namespace symm_test {

/// Whether this machine has UCX. A process of its own looks: PEs are forked,
/// and UCX is not for processes that fork.
inline bool has_ucx() {
  static bool const has = [] {
    auto const results = try_pes(1, {}, [](ForkedBootstrap&) {
      static_cast<void>(symm::Impl::Ucp::instance());
    });
    if (!results[0].has_succeeded()) {
      GTEST_LOG_(WARNING) << results[0].output;
    }
    return results[0].has_succeeded();
  }();
  return has;
}

/// A test that skips itself where there is no UCX. It may use any network.
class UcxTest : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("SYMM_NETWORK");
    ::unsetenv("UCX_TLS");
    ::unsetenv("UCX_NET_DEVICES");
    if (!has_ucx()) GTEST_SKIP() << "there is no UCX on this machine";
  }
};

}  // namespace symm_test

#endif
