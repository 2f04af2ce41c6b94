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

/// A network library that a job can select at startup.
struct MessageEngineKind {
  /// The name that selects this library in SYMM_NETWORK, such as "ucx".
  std::string_view name;

  /// The name and version of the library on this machine, such as "UCX 1.13.1".
  /// Local.
  /// \throws SystemError if the library cannot run here. The message says what
  ///         is missing.
  std::string (*library)();

  // The next two pointers are null if library() always throws.

  /// The networks that the library would choose from, such as "tcp/eth0".
  /// Local.
  /// \throws SystemError.
  std::vector<std::string> (*networks)();

  /// Creates the engine for a multi-node job. The engine delivers nothing until
  /// it has a receiver; messages that arrive earlier are held back.
  ///
  /// Collective over all PEs, which must pass equal options.
  /// \param bootstrap Used here and in close().
  /// \param exchange Its nodes() must be the job's nodes.
  /// \param vmm The Vmm for host memory. `bootstrap`, `exchange` and `vmm` must
  ///        outlive the engine.
  /// \throws SystemError on all PEs if any PE cannot create its engine.
  std::unique_ptr<MessageEngine> (*make)(Bootstrap& bootstrap,
                                         FdExchange& exchange, Vmm& vmm,
                                         MessageEngineOptions const& options);

  /// Describes the operations that engines of this kind perform without
  /// involving the target's processor. Local. The pointer is null if engines of
  /// this kind have no such operations.
  /// \throws SystemError, with the reason, if these operations are unavailable
  ///   on this machine.
  std::string (*one_sided)() = nullptr;
};

using MessageEngineKinds = std::span<MessageEngineKind const>;

/// All network libraries that this project supports, in order of preference. If
/// a library was excluded from the build, its library() throws.
[[nodiscard]] MessageEngineKinds message_engines();

/// The kind that SYMM_NETWORK names; null if that variable is not set. Local.
/// \throws UsageError on this PE if no kind has that name.
[[nodiscard]] MessageEngineKind const* message_engine_of_environment(
    MessageEngineKinds kinds = message_engines());

/// Collective: returns the kind that SYMM_NETWORK names or, if that variable is
/// not set, the first of `kinds` that can run on all PEs. The result is the
/// same on all PEs.
/// \param n_nodes The number of nodes in the job, for error messages.
/// \throws UsageError on all PEs if SYMM_NETWORK names an unknown kind or
///         differs between PEs. Throws SystemError on all PEs if no kind can
///         run on all of them. For each kind, the message names a PE that
///         cannot run it and gives the reason.
[[nodiscard]] MessageEngineKind const& choose_message_engine(
    Bootstrap& bootstrap, int n_nodes,
    MessageEngineKinds kinds = message_engines());

}  // namespace symm::Impl

#endif
