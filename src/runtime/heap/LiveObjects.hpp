// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LIVE_OBJECTS_HPP
#define SYMM_LIVE_OBJECTS_HPP

#include <span>
#include <string>
#include <vector>

namespace symm::Impl {

/// Returns the warnings that finalize() prints about Views that are still
/// alive. There is one line for each of the program's Views, and one line for
/// each library object that owns Views. The labels of Views that belong to
/// library objects look like `symm::Mailbox "updates", inboxes` or
/// `symm::Migration::migrate, signals`.
/// \param views The Views, each as "\"label\" (size)"; labels may be truncated.
[[nodiscard]] std::vector<std::string> lines_of_live_views(
    std::span<std::string const> views);

}  // namespace symm::Impl

#endif
