// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_MISSING_ENGINE_HPP
#define SYMM_TEST_MISSING_ENGINE_HPP

#include <string>
#include <support/ForkedPes.hpp>

#include <runtime/bootstrap/FdExchange.hpp>
#include <runtime/bootstrap/Nodes.hpp>
#include <runtime/engines/MessageEngines.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>

namespace symm_test {

/// Why multi-node jobs cannot start on this machine; "" if they can.
inline std::string const& missing_engine() {
  static std::string const missing = [] {
    auto const results = run_pes(2, [](ForkedBootstrap& bootstrap) {
      symm::Impl::FdExchange exchange(bootstrap,
                                      symm::Impl::find_nodes(bootstrap, 1), {});
      symm::Impl::Vmm_HostMemfd vmm;
      symm::Impl::choose_message_engine(bootstrap, 2)
          .make(bootstrap, exchange, vmm, {})
          ->close();
    });
    return results[0].has_succeeded() ? std::string() : results[0].output;
  }();
  return missing;
}

}  // namespace symm_test

#endif
