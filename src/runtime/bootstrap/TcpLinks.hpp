// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_LINKS_HPP
#define SYMM_TCP_LINKS_HPP

#include "TcpJob.hpp"

namespace symm::Impl {

/// Collective: connects every PE with PE 0. A job of one PE needs no `root`.
/// Connections of strangers are
/// dropped; a PE whose connection was dropped among them connects again. A PE
/// proves that it is one by a number in the file; without a file everybody who
/// reaches the port can take part. \throws UsageError on this PE, if `root`
/// names no place. UsageError on the
///         PE that PE 0 refuses: another number of PEs, a PE that is there
///         already. SystemError on this PE, if not all PEs are there in time.
[[nodiscard]] TcpLinks connect_by_tcp(TcpJob const& job);

}  // namespace symm::Impl

#endif
