// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_DESCRIPTORS_HPP
#define SYMM_ENGINES_DESCRIPTORS_HPP

#include <sys/socket.h>

#include <functional>
#include <set>

namespace symm::Impl {

// Keep the file descriptors that a network library opens from programs that a
// PE starts. Local, any thread.

/// Sets close-on-exec: programs that this process starts do not inherit `fd`.
void close_on_exec(int fd) noexcept;

/// Calls body(fd) for each open descriptor of this process, if the system lists
/// them in /proc.
void for_each_descriptor(std::function<void(int fd)> const& body);

/// The descriptors that a started program would inherit.
[[nodiscard]] std::set<int> inheritable_descriptors();

/// Calls close_on_exec() for each socket whose local or remote address
/// satisfies is_library(address).
void close_sockets_on_exec(
    std::function<bool(sockaddr_storage const&)> const& is_library);

/// Whether both are Internet addresses with the same host and port.
[[nodiscard]] bool is_same_address(sockaddr_storage const& a,
                                   sockaddr_storage const& b);

}  // namespace symm::Impl

#endif
