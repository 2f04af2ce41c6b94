// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PE_STACK_HPP
#define SYMM_TEST_PE_STACK_HPP

#include <chrono>
#include <memory>
#include <support/FaultyVmm.hpp>
#include <support/SimulatedNodes.hpp>

#include <runtime/bootstrap/Bootstrap.hpp>
#include <runtime/bootstrap/FdExchange.hpp>
#include <runtime/bootstrap/Nodes.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>
#include <runtime/pes/Rendezvous.hpp>

namespace symm_test {

/// The layers that the runtime builds below the heap, with a Vmm that can be
/// made to fail. Construction is collective.
struct PeStack {
  /// \param job null: all PEs are on one node.
  explicit PeStack(symm::Impl::Bootstrap& bootstrap,
                   std::chrono::duration<double> timeout = {},
                   SimulatedNodes const* job             = nullptr)
      : memory(bootstrap.n_pes()),
        vmm(memory),
        exchange(bootstrap,
                 job == nullptr ? symm::Impl::Nodes::one(bootstrap.n_pes())
                                : job->shape.nodes_of(bootstrap.my_pe()),
                 timeout),
        link(exchange.nodes().n() == 1 ? nullptr
                                       : job->messages->link_of(bootstrap)),
        rendezvous(bootstrap, exchange, vmm, timeout, link.get()) {}

  symm::Impl::Vmm_HostMemfd memory;
  FaultyVmm vmm;
  symm::Impl::FdExchange exchange;
  std::unique_ptr<SharedMessages::Link> link;
  symm::Impl::Rendezvous rendezvous;
};

}  // namespace symm_test

#endif
