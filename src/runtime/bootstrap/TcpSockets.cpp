// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TcpSockets.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <memory>

#include "../base/Interrupted.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

constexpr auto what_starts_tcp = "symm::initialize by TCP";
/// The maximum time for connecting to one address.
constexpr auto tcp_connect_time = std::chrono::seconds(2);

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// Null if the name cannot be resolved at present.
Addresses find_addresses(char const* host, std::string const& port, int flags) {
  addrinfo hints{};
  hints.ai_family   = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags    = flags;
  addrinfo* list    = nullptr;
  return ::getaddrinfo(host, port.c_str(), &hints, &list) == 0 ? Addresses(list)
                                                               : Addresses();
}

void set_option(UniqueFd const& socket, int level, int option, int value) {
  if (::setsockopt(socket.get(), level, option, &value, sizeof value) != 0)
    throw SystemError(what_starts_tcp, "setsockopt", errno);
}

/// Connects a socket that has no connection yet. Returns whether this succeeded
/// in time.
bool connect(UniqueFd const& socket, addrinfo const& address) {
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0)
    return true;
  // The connection attempt also continues after EINTR.
  if (errno != EINPROGRESS && errno != EINTR) return false;
  std::array events{pollfd{socket.get(), POLLOUT, 0}};
  int error       = 0;
  socklen_t bytes = sizeof error;
  return poll_until(events, Deadline(tcp_connect_time)) > 0 &&
         ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) ==
             0 &&
         error == 0;
}

[[noreturn]] void throw_ended(Pe pe) {
  throw SystemError(
      Text("PE ", pe, " has ended, or has given up, while others wait for it"));
}

/// Throws after a call on a connection has failed, unless errno is EAGAIN.
void throw_unless_busy(char const* call, Pe other) {
  if (errno == EAGAIN) return;
  if (errno == EPIPE || errno == ECONNRESET) throw_ended(other);
  throw SystemError(Text("a message to or from PE ", other), call, errno);
}

void wait_for_pe(UniqueFd const& socket, short events, Pe other,
                 Deadline const& deadline) {
  std::array entries{pollfd{socket.get(), events, 0}};
  int const n = poll_until(entries, deadline);
  if (n < 0) throw SystemError(Text("waiting for PE ", other), "poll", errno);
  if (n > 0) return;
  throw SystemError(Text("PE ", other,
                         " has not taken the next step of the start or end of "
                         "the job within SYMM_START_TIMEOUT seconds; if it "
                         "needs more time, raise SYMM_START_TIMEOUT (0: no "
                         "limit)"));
}

}  // namespace

UniqueFd listen_at(std::string const& port) {
  int error = 0;
  // An IPv6 socket accepts both kinds of connections.
  auto const list = find_addresses(nullptr, port, AI_PASSIVE);
  for (int const family : {AF_INET6, AF_INET}) {
    for (auto const* it = list.get(); it != nullptr; it = it->ai_next) {
      if (it->ai_family != family) continue;
      UniqueFd socket(
          ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (!socket) {
        error = errno;
        continue;
      }
      set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
      if (family == AF_INET6) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
      if (::bind(socket.get(), it->ai_addr, it->ai_addrlen) == 0 &&
          ::listen(socket.get(), INT_MAX) == 0)
        return socket;
      error = errno;
    }
  }
  throw SystemError("symm::initialize: PE 0 cannot listen at port " + port +
                        (error == EADDRINUSE
                             ? ", which another program uses, possibly another "
                               "job with the same SYMM_ROOT"
                             : ""),
                    "bind", error);
}

std::string port_of(UniqueFd const& listener) {
  sockaddr_storage name{};
  socklen_t bytes = sizeof name;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&name),
                    &bytes) != 0)
    throw SystemError(what_starts_tcp, "getsockname", errno);
  auto const port = name.ss_family == AF_INET6
                        ? reinterpret_cast<sockaddr_in6&>(name).sin6_port
                        : reinterpret_cast<sockaddr_in&>(name).sin_port;
  return std::to_string(ntohs(port));
}

UniqueFd connect_to(std::string const& host, std::string const& port) {
  auto const list = find_addresses(host.c_str(), port, 0);
  for (auto const* it = list.get(); it != nullptr; it = it->ai_next) {
    UniqueFd socket(
        ::socket(it->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket || !connect(socket, *it)) continue;
    set_tcp_options(socket);
    return socket;
  }
  return {};
}

void set_tcp_options(UniqueFd const& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 20);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 6);
}

bool is_open(UniqueFd const& socket) {
  if (!socket) return false;
  char byte        = 0;
  auto const bytes = uninterrupted(
      [&] { return ::recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT); });
  return bytes > 0 || (bytes < 0 && errno == EAGAIN);
}

void send_all(UniqueFd const& socket, void const* data, std::size_t bytes,
              Pe other, Deadline const& deadline) {
  auto const* from = static_cast<char const*>(data);
  while (bytes > 0) {
    auto const sent = uninterrupted([&] {
      return ::send(socket.get(), from, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent < 0) {
      throw_unless_busy("send", other);
      wait_for_pe(socket, POLLOUT, other, deadline);
      continue;
    }
    from += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void receive_all(UniqueFd const& socket, void* data, std::size_t bytes,
                 Pe other, Deadline const& deadline) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    auto const got = uninterrupted(
        [&] { return ::recv(socket.get(), to, bytes, MSG_DONTWAIT); });
    if (got == 0) errno = ECONNRESET;
    if (got <= 0) {
      throw_unless_busy("recv", other);
      wait_for_pe(socket, POLLIN, other, deadline);
      continue;
    }
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

void throw_if_one_has_ended(std::vector<UniqueFd> const& sockets) {
  std::vector<pollfd> entries;
  for (auto const& socket : sockets)
    entries.push_back({socket.get(), POLLRDHUP, 0});
  if (poll_now(entries) <= 0) return;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].revents != 0) throw_ended(static_cast<Pe>(i));
  }
}

}  // namespace symm::Impl
