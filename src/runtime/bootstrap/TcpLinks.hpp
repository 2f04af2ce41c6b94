// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_LINKS_HPP
#define SYMM_TCP_LINKS_HPP

#include "TcpJob.hpp"

namespace symm::Impl {

/// Collective: connects every PE to PE 0. A single-PE job needs no `root`.
///
/// Connections from other programs are dropped; a PE whose connection is
/// dropped by mistake reconnects. A PE proves its identity with a key that PE 0
/// distributes in the file or through TcpJob::share. If `root` is "host:port",
/// there is no key, and any process that can reach the port can join.
/// \throws UsageError on this PE if `root` is not an address.
/// \throws UsageError on a PE that PE 0 refuses because the PE's job.n_pes
///         differs from PE 0's or because another process already has the same
///         PE number.
/// \throws SystemError on PE 0 and on the connected PEs if other PEs have not
///         connected in time. Also thrown on a PE that does not find PE 0.
[[nodiscard]] TcpLinks connect_by_tcp(TcpJob const& job);

}  // namespace symm::Impl

#endif
