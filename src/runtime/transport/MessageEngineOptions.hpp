// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_MESSAGE_ENGINE_OPTIONS_HPP
#define SYMM_TRANSPORT_MESSAGE_ENGINE_OPTIONS_HPP

#include <memory>
#include <string>
#include <vector>

#include "../base/EnvironmentTable.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/Vmm.hpp"
#include "MessageEngine.hpp"

namespace symm::Impl {

struct MessageEngineOptions {
  /// In seconds: a watched PE that is silent for that long is lost. 0: none is.
  double peer_timeout = 60;

  /// \throws UsageError on this PE.
  static MessageEngineOptions from_environment() {
    return {.peer_timeout =
                env_seconds(environment::peer_timeout).value_or(60)};
  }
};

/// Makes the engine of a job of several nodes. It delivers nothing until it has
/// a receiver; messages that arrive before wait.
///
/// Collective: all PEs, with equal options.
/// \param bootstrap used here and in close().
/// \param exchange its nodes are those of the job.
/// \param vmm of the host. All three must outlive the engine.
/// \throws SystemError on all PEs, if a PE cannot make one (UCX).
std::unique_ptr<MessageEngine> make_message_engine(
    Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
    MessageEngineOptions const& options);

/// The library that the engine would use on this machine: "UCX 1.13.1". Local.
/// \throws SystemError with what is missing.
[[nodiscard]] std::string message_engine_of_this_machine();

/// The network transports that the engine would choose from: "tcp/eth0". Local.
/// \throws SystemError with what is missing.
[[nodiscard]] std::vector<std::string> message_transports_of_this_machine();

}  // namespace symm::Impl

#endif
