// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_DESCRIPTORS_HPP
#define SYMM_ENGINES_DESCRIPTORS_HPP

#include <sys/socket.h>

#include <functional>
#include <set>

namespace symm::Impl {

// File descriptors that a network library opens, which programs that a PE
// starts are not to get. Local, any thread.

/// Programs that this process starts do not get it.
void close_on_exec(int fd) noexcept;

/// Calls body(descriptor) for all of this process, if the system tells them.
void for_each_descriptor(std::function<void(int fd)> const& body);

/// The descriptors that programs would get.
[[nodiscard]] std::set<int> inheritable_descriptors();

/// close_on_exec() for sockets with an end, here or there, for which
/// is_library(address) is true; Internet addresses only.
void close_sockets_on_exec(
    std::function<bool(sockaddr_storage const&)> const& is_library);

/// Whether they have the same host and port.
[[nodiscard]] bool is_same_address(sockaddr_storage const& a,
                                   sockaddr_storage const& b);

}  // namespace symm::Impl

#endif
