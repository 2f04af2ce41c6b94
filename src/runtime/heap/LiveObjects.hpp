// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LIVE_OBJECTS_HPP
#define SYMM_LIVE_OBJECTS_HPP

#include <span>
#include <string>
#include <vector>

namespace symm::Impl {

/// The warnings of finalize() about Views that are still alive: one line for
/// each View of the program, and one line for all Views of a library object.
/// Library labels look like `symm::Mailbox "updates", inboxes` or
/// `symm::Migration::migrate, signals`.
/// \param views each as "\"label\" (size)"; labels may be truncated.
[[nodiscard]] std::vector<std::string> lines_of_live_views(
    std::span<std::string const> views);

}  // namespace symm::Impl

#endif
