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

/// A launcher tells this to each process of a job that starts by TCP.
struct TcpJob {
  /// Where PE 0 is found: "host:port", or "file:path" of a file that PE 0
  /// writes, on a file system that all PEs share.
  std::string root;
  Pe my_pe  = 0;
  int n_pes = 1;
  /// SYMM_START_TIMEOUT; 0: none.
  std::chrono::duration<double> timeout{60};
  /// If set, carries the place of PE 0 in the stead of `root`. Collective: PE 0
  /// passes a text, which all get.
  std::function<std::string(std::string const&)> share;
};

/// Connections with PE 0: of PE 0 one for each PE, its own without a socket; of
/// another PE one, the first.
struct TcpLinks {
  std::vector<UniqueFd> steps;  // for collective steps
  std::vector<UniqueFd> lives;  // each ends with the other process
};

}  // namespace symm::Impl

#endif
