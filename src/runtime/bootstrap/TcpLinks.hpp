// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_LINKS_HPP
#define SYMM_TCP_LINKS_HPP

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

/// Collective: connects every PE with PE 0. A job of one PE needs no `root`.
/// Connections of strangers are
/// dropped. A PE proves that it is one by a number in the file; without a file
/// everybody who reaches the port can take part.
/// \throws UsageError on this PE, if `root` names no place. UsageError on the
///         PE that PE 0 refuses: another number of PEs, a PE that is there
///         already. SystemError on this PE, if not all PEs are there in time.
[[nodiscard]] TcpLinks connect_by_tcp(TcpJob const& job);

// Blocking. \throws SystemError on this PE, if the other process has ended.

/// \param other for the message.
void send_all(UniqueFd const& socket, void const* data, std::size_t bytes,
              Pe other);
void receive_all(UniqueFd const& socket, void* data, std::size_t bytes,
                 Pe other);

}  // namespace symm::Impl

#endif
