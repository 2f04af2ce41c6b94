// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_DESCRIPTORS_HPP
#define SYMM_ENGINES_DESCRIPTORS_HPP

#include <sys/socket.h>

#include <functional>
#include <set>

namespace symm::Impl {

// These functions prevent programs started by a PE from inheriting the file
// descriptors that a network library opens. They are local and callable from
// any thread.

/// Sets close-on-exec on `fd` so that programs started by this process do not
/// inherit it.
void close_on_exec(int fd) noexcept;

/// Calls body(fd) for each open file descriptor in this process, provided that
/// the system lists the descriptors in /proc.
void for_each_descriptor(std::function<void(int fd)> const& body);

/// The descriptors that a program started by this process would inherit.
[[nodiscard]] std::set<int> inheritable_descriptors();

/// Calls close_on_exec() for each socket whose local or remote address
/// satisfies is_library().
void close_sockets_on_exec(
    std::function<bool(sockaddr_storage const&)> const& is_library);

/// Whether `a` and `b` are Internet addresses with the same host and port.
[[nodiscard]] bool is_same_address(sockaddr_storage const& a,
                                   sockaddr_storage const& b);

}  // namespace symm::Impl

#endif
