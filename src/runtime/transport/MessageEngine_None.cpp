// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Replaces MessageEngine_Ucx.cpp in a build without UCX's headers.
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "MessageEngineOptions.hpp"

namespace symm::Impl {

std::unique_ptr<MessageEngine> make_message_engine(
    Bootstrap& /*bootstrap*/, FdExchange& exchange, Vmm& /*vmm*/,
    MessageEngineOptions const& /*options*/) {
  throw SystemError(
      Text("this job has PEs on ", exchange.nodes().n(),
           " nodes, and this library was built for one node only: install the "
           "headers of UCX 1.13 or later (Debian's libucx-dev), configure it "
           "with SYMM_ENABLE_UCX=ON and build it again, or start all PEs on "
           "one node"));
}

namespace {

[[noreturn]] void throw_none() {
  throw SystemError(
      "this library was built for one node only (SYMM_ENABLE_UCX)");
}

}  // namespace

std::string message_engine_of_this_machine() { throw_none(); }

std::vector<std::string> message_transports_of_this_machine() { throw_none(); }

}  // namespace symm::Impl
