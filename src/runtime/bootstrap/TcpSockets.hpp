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

/// Opens a socket that accepts IPv6 and IPv4 connections, if the host has both.
/// \param port "0" means any free port.
/// \throws SystemError on this PE.
[[nodiscard]] UniqueFd listen_at(std::string const& port);
[[nodiscard]] std::string port_of(UniqueFd const& listener);

/// Connects to a host. Returns an empty descriptor if no address of the host
/// accepts the connection within two seconds.
/// \throws SystemError on this PE.
[[nodiscard]] UniqueFd connect_to(std::string const& host,
                                  std::string const& port);
/// Sets the options of a connection between PEs. If the other host is gone, the
/// connection breaks within a minute.
/// \throws SystemError on this PE.
void set_tcp_options(UniqueFd const& socket);

/// Whether the other process still holds the connection, as far as this process
/// knows.
[[nodiscard]] bool is_open(UniqueFd const& socket);

// Messages. `other` is the PE that an error message names. Both functions throw
// SystemError on this PE, if the other process has ended or closed the
// connection, or does not take part before the deadline.

void send_all(UniqueFd const& socket, void const* data, std::size_t bytes,
              Pe other, Deadline const& deadline);
void receive_all(UniqueFd const& socket, void* data, std::size_t bytes,
                 Pe other, Deadline const& deadline);

/// Neither waits nor receives data.
/// \param sockets indexed by PE; empty ones are skipped.
/// \throws SystemError on this PE, if a PE has ended or closed the connection;
///         the message names the first such PE.
void throw_if_one_has_ended(std::vector<UniqueFd> const& sockets);

}  // namespace symm::Impl

#endif
