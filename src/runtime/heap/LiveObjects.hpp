// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LIVE_OBJECTS_HPP
#define SYMM_LIVE_OBJECTS_HPP

#include <span>
#include <string>
#include <vector>

namespace symm::Impl {

/// What finalize() says of Views that are alive: a line for each View of the
/// program, and one for all Views of an object of the library. Their labels are
/// `symm::Mailbox "updates", inboxes` or `symm::Migration::migrate, signals`.
/// \param views each as "\"label\" (size)"; labels may be cut.
[[nodiscard]] std::vector<std::string> lines_of_live_views(
    std::span<std::string const> views);

}  // namespace symm::Impl

#endif
