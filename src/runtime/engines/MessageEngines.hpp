// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_MESSAGE_ENGINES_HPP
#define SYMM_ENGINES_MESSAGE_ENGINES_HPP

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/Vmm.hpp"
#include "MessageEngine.hpp"
#include "MessageEngineOptions.hpp"

namespace symm::Impl {

/// A network library that a job can choose when it starts.
struct MessageEngineKind {
  /// The name in SYMM_NETWORK, such as "ucx".
  std::string_view name;

  /// The library of this machine, such as "UCX 1.13.1". Local.
  /// \throws SystemError with what is missing, if it cannot run here.
  std::string (*library)();

  // The next two are null if library() always throws.

  /// The networks that the library would choose from, such as "tcp/eth0".
  /// Local.
  /// \throws SystemError.
  std::vector<std::string> (*networks)();

  /// Makes the engine of a job of several nodes. The engine delivers nothing
  /// until it has a receiver; messages that arrive before then wait.
  ///
  /// Collective: all PEs, with equal options.
  /// \param bootstrap used here and in close().
  /// \param exchange its nodes are those of the job.
  /// \param vmm the host's. All three must outlive the engine.
  /// \throws SystemError on all PEs, if a PE cannot make one.
  std::unique_ptr<MessageEngine> (*make)(Bootstrap& bootstrap,
                                         FdExchange& exchange, Vmm& vmm,
                                         MessageEngineOptions const& options);

  /// Describes the operations that engines of this kind carry out without the
  /// target's processor. Local. Null if there are none.
  /// \throws SystemError with the reason, if there are none on this machine.
  std::string (*one_sided)() = nullptr;
};

using MessageEngineKinds = std::span<MessageEngineKind const>;

/// All network libraries that this library supports, the preferred one first.
/// If it was built without one, that one's library() throws.
[[nodiscard]] MessageEngineKinds message_engines();

/// The one that SYMM_NETWORK names; null if that variable is not set. Local.
/// \throws UsageError on this PE, if there is none of that name.
[[nodiscard]] MessageEngineKind const* message_engine_of_environment(
    MessageEngineKinds kinds = message_engines());

/// Collective: the one that SYMM_NETWORK names; otherwise the first of `kinds`
/// that can run on all PEs. The same on all PEs.
/// \param n_nodes the number of nodes of the job, for error messages.
/// \throws UsageError on all PEs, if SYMM_NETWORK names none, or differs.
///         SystemError on all PEs, if none can run on all PEs; the message
///         names a PE that cannot run it and the reason.
[[nodiscard]] MessageEngineKind const& choose_message_engine(
    Bootstrap& bootstrap, int n_nodes,
    MessageEngineKinds kinds = message_engines());

}  // namespace symm::Impl

#endif
