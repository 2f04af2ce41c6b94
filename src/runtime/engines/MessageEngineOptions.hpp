// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_MESSAGE_ENGINE_OPTIONS_HPP
#define SYMM_ENGINES_MESSAGE_ENGINE_OPTIONS_HPP

#include "../base/EnvironmentTable.hpp"

namespace symm::Impl {

struct MessageEngineOptions {
  /// A watched PE that is silent for this many seconds is considered lost. 0:
  /// no limit.
  double peer_timeout = 60;

  /// \throws UsageError on this PE.
  static MessageEngineOptions from_environment() {
    return {.peer_timeout =
                env_seconds(environment::peer_timeout).value_or(60)};
  }
};

}  // namespace symm::Impl

#endif
