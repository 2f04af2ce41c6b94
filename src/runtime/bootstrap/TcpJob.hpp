// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_JOB_HPP
#define SYMM_TCP_JOB_HPP

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "../base/Types.hpp"
#include "../base/UniqueFd.hpp"

namespace symm::Impl {

/// The information that a process needs to join a job over TCP.
struct TcpJob {
  /// PE 0's address: "host:port", or "file:path" for a file that PE 0 writes to
  /// a file system that all PEs share.
  std::string root;
  Pe my_pe  = 0;
  int n_pes = 1;
  /// SYMM_START_TIMEOUT; 0 means no timeout.
  std::chrono::duration<double> timeout{60};
  /// If set, distributes PE 0's address, which is then not in `root`.
  /// Collective: on all PEs, returns the text that PE 0 has passed.
  std::function<std::string(std::string const&)> share;
};

/// Connections to PE 0. On PE 0, each vector contains one entry per PE, and PE
/// 0's own entry is empty. On any other PE, each vector contains only the
/// connection to PE 0.
struct TcpLinks {
  std::vector<UniqueFd> steps;  // for collective steps
  std::vector<UniqueFd> lives;  // each closes when the process at the other end
                                // exits
};

}  // namespace symm::Impl

#endif
