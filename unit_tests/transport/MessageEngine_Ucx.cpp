// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// MessageEngine_Ucx: how it sets UCX up.
#include <cstdlib>

#include "ucx_test.hpp"

namespace {

using namespace symm_test;

class MessageEngineUcx : public UcxTest {};

TEST_F(MessageEngineUcx, send_buffers_are_small_between_nodes_of_one_machine) {
  struct Case {
    bool is_one_machine;
    char const* chosen;
    char const* taken;
  };
  for (Case const& its :
       {Case{true, nullptr, "128k"}, Case{false, nullptr, nullptr},
        Case{true, "200k", "200k"}}) {
    expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
      ::unsetenv("UCX_TCP_SNDBUF");
      if (its.chosen != nullptr) ::setenv("UCX_TCP_SNDBUF", its.chosen, 1);
      auto nodes          = nodes_of(bootstrap);
      nodes.are_pretended = its.is_one_machine;
      EngineParts parts(bootstrap, nodes);
      auto const engine = parts.make({});
      // What UCX has read.
      EXPECT_STREQ(std::getenv("UCX_TCP_SNDBUF"), its.taken);
      engine->close();
    });
  }
}

}  // namespace
