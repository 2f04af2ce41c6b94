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

/// Sockets for starting a job over TCP. All of them are non-blocking.
namespace symm::Impl {

/// Opens a listening socket for IPv6 and IPv4 connections if the host supports
/// both.
/// \param port "0" means any free port.
/// \throws SystemError on this PE.
[[nodiscard]] UniqueFd listen_at(std::string const& port);
[[nodiscard]] std::string port_of(UniqueFd const& listener);

/// Connects to a host, trying each of its addresses for up to two seconds.
/// Returns an empty descriptor if none of them accepts the connection.
/// \throws SystemError on this PE.
[[nodiscard]] UniqueFd connect_to(std::string const& host,
                                  std::string const& port);
/// Sets the options of a connection between PEs. If the other host goes down,
/// the connection breaks within a minute.
/// \throws SystemError on this PE.
void set_tcp_options(UniqueFd const& socket);

/// Whether the other process still has the connection open, as far as this
/// process can tell.
[[nodiscard]] bool is_open(UniqueFd const& socket);

// The next two functions send and receive `bytes` bytes. `other` is the PE that
// an error message names. Both functions throw SystemError on this PE if the
// other process has ended or closed the connection, or if it does not respond
// before the deadline.

void send_all(UniqueFd const& socket, void const* data, std::size_t bytes,
              Pe other, Deadline const& deadline);
void receive_all(UniqueFd const& socket, void* data, std::size_t bytes,
                 Pe other, Deadline const& deadline);

/// Checks the connections without waiting or receiving data.
/// \param sockets indexed by PE; empty ones are skipped.
/// \throws SystemError on this PE if a PE has ended or closed the connection;
///         the message names the first such PE.
void throw_if_one_has_ended(std::vector<UniqueFd> const& sockets);

}  // namespace symm::Impl

#endif
