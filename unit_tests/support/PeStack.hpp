// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PE_STACK_HPP
#define SYMM_TEST_PE_STACK_HPP

#include <chrono>
#include <support/FaultyVmm.hpp>

#include <runtime/bootstrap/Bootstrap.hpp>
#include <runtime/bootstrap/FdExchange.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>
#include <runtime/pes/Rendezvous.hpp>

namespace symm_test {

/// What the runtime builds below the heap, with a Vmm that can fail.
/// Collective.
struct PeStack {
  explicit PeStack(symm::Impl::Bootstrap& bootstrap,
                   std::chrono::duration<double> timeout = {})
      : memory(bootstrap.n_pes()),
        vmm(memory),
        exchange(bootstrap, timeout),
        rendezvous(bootstrap, exchange, vmm, timeout) {}

  symm::Impl::Vmm_HostMemfd memory;
  FaultyVmm vmm;
  symm::Impl::FdExchange exchange;
  symm::Impl::Rendezvous rendezvous;
};

}  // namespace symm_test

#endif
