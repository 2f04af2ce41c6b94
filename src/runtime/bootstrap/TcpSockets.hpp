// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_SOCKETS_HPP
#define SYMM_TCP_SOCKETS_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "../base/Deadline.hpp"
#include "../base/Types.hpp"
#include "../base/UniqueFd.hpp"

/// Sockets of a start by TCP. None of them blocks.
namespace symm::Impl {

/// A socket that takes connections of IPv6 and IPv4, if the host has both.
/// \param port "0": any that is free.
/// \throws SystemError on this PE.
[[nodiscard]] UniqueFd listen_at(std::string const& port);
[[nodiscard]] std::string port_of(UniqueFd const& listener);

/// Empty if nobody takes the connection within two seconds for each address of
/// the host. \throws SystemError on this PE.
[[nodiscard]] UniqueFd connect_to(std::string const& host,
                                  std::string const& port);
/// For a connection of PEs. A host that is gone ends it within a minute.
/// \throws SystemError on this PE.
void set_tcp_options(UniqueFd const& socket);

/// Whether the other process has the connection, as far as this one knows.
[[nodiscard]] bool is_open(UniqueFd const& socket);

// Messages. \param other for the message. \throws SystemError on this PE, if
// the other process has ended or closed the connection, or takes no part before
// the deadline.

void send_all(UniqueFd const& socket, void const* data, std::size_t bytes,
              Pe other, Deadline const& deadline);
void receive_all(UniqueFd const& socket, void* data, std::size_t bytes,
                 Pe other, Deadline const& deadline);

/// Waits for nobody, and takes no data. \param sockets by PE; none: left out.
/// \throws SystemError on this PE, with the first PE that has ended or closed
///         its connection, if there is one.
void throw_if_one_has_ended(std::vector<UniqueFd> const& sockets);

}  // namespace symm::Impl

#endif
