// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_LINKS_HPP
#define SYMM_TCP_LINKS_HPP

#include "TcpJob.hpp"

namespace symm::Impl {

/// Collective: connects every PE with PE 0. A job of one PE needs no `root`.
///
/// Connections of other programs are dropped; a PE whose connection was dropped
/// among them connects again. A PE proves its identity by the key that the file
/// or TcpJob::share conveys. With "host:port" there is no key, and any process
/// that reaches the port can take part.
/// \throws UsageError on this PE, if `root` is no address. UsageError on a PE
///         that PE 0 refuses: it has another number of PEs, its PE is there
///         already, or not all PEs have connected in time. SystemError on PE 0,
///         if not all PEs have connected in time, and on a PE that does not
///         find PE 0.
[[nodiscard]] TcpLinks connect_by_tcp(TcpJob const& job);

}  // namespace symm::Impl

#endif
