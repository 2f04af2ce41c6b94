// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TcpLinks.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "../base/RandomNumber.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "TcpPlace.hpp"

namespace symm::Impl {

namespace {

using Clock     = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

constexpr auto what = "symm::initialize by TCP";
/// Between two attempts.
constexpr auto pause = std::chrono::milliseconds(20);
/// How long one address may take to answer.
constexpr auto tcp_connect_time = std::chrono::seconds(2);
/// Connections that may be open without a TcpHello.
constexpr std::size_t max_silent_tcp = 256;

enum class Purpose : std::uint32_t { steps, life };

/// The first message on a connection.
struct TcpHello {
  std::array<char, 8> magic{'s', 'y', 'm', 'm', 'T', 'C', 'P', '1'};
  std::uint64_t key     = 0;
  std::uint64_t process = 0;  // equal on both connections of a process
  std::int32_t pe = 0, n_pes = 0;
  Purpose purpose    = Purpose::steps;
  std::uint32_t zero = 0;
};
/// PE 0's answer on the connection for steps, once all PEs are there, or not.
struct TcpAnswer {
  std::uint32_t is_refused = 0;
  std::array<char, 508> why{};
};
// Padding would send what is left on the stack.
static_assert(std::has_unique_object_representations_v<TcpHello>);
static_assert(std::has_unique_object_representations_v<TcpAnswer>);

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// Null if the name is not known (now).
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
    throw SystemError(what, "setsockopt", errno);
}

/// A host that is gone ends a connection, too, within a minute.
void set_options(UniqueFd const& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 20);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 6);
}

void set_blocking(UniqueFd const& socket, bool blocks) {
  int const flags = ::fcntl(socket.get(), F_GETFL);
  if (flags < 0 ||
      ::fcntl(socket.get(), F_SETFL,
              blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) != 0)
    throw SystemError(what, "fcntl", errno);
}

/// Whether there is something to do before `end`.
bool wait_for(int fd, short events, TimePoint end) {
  auto const left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now())
          .count();
  pollfd entry{fd, events, 0};
  return left > 0 &&
         ::poll(&entry, 1, static_cast<int>(std::min<long>(left, INT_MAX))) > 0;
}

// PE 0.

UniqueFd listen_at(std::string const& port) {
  int error = 0;
  // One for IPv6 takes connections of both kinds.
  auto const list = find_addresses(nullptr, port, AI_PASSIVE);
  for (int const family : {AF_INET6, AF_INET}) {
    for (auto const* it = list.get(); it != nullptr; it = it->ai_next) {
      if (it->ai_family != family) continue;
      UniqueFd socket(
          ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (!socket) continue;
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
                             ? ", which another program has, maybe another job "
                               "that was started with the same SYMM_ROOT"
                             : ""),
                    "bind", error);
}

std::string port_of(UniqueFd const& listener) {
  sockaddr_storage name{};
  socklen_t bytes = sizeof name;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&name),
                    &bytes) != 0)
    throw SystemError(what, "getsockname", errno);
  auto const port = name.ss_family == AF_INET6
                        ? reinterpret_cast<sockaddr_in6&>(name).sin6_port
                        : reinterpret_cast<sockaddr_in&>(name).sin_port;
  return std::to_string(ntohs(port));
}

/// To a PE that may have gone: its end of the connection tells it.
void answer(UniqueFd const& socket, Text const& why_refused) {
  TcpAnswer its;
  std::string_view const text = why_refused;
  its.is_refused              = text.empty() ? 0 : 1;
  text.copy(its.why.data(), its.why.size() - 1);
  static_cast<void>(
      ::send(socket.get(), &its, sizeof its, MSG_NOSIGNAL | MSG_DONTWAIT));
}

/// PE 0 accepts the others.
class Acceptance {
 public:
  Acceptance(TcpJob const& job, UniqueFd listener, std::uint64_t key)
      : m_job(job), m_listener(std::move(listener)), m_key(key) {
    m_links.steps.resize(index_of(job.n_pes));
    m_links.lives.resize(index_of(job.n_pes));
    m_processes.resize(index_of(job.n_pes));
  }

  TcpLinks accept_all(TimePoint end) {
    while (auto const missing = first_missing()) {
      if (Clock::now() > end) give_up(*missing);
      accept_some();
      std::erase_if(m_silent, [&](auto& socket) { return hear(socket); });
      if (m_silent.size() > max_silent_tcp) m_silent.erase(m_silent.begin());
      static_cast<void>(
          wait_for(m_listener.get(), POLLIN, Clock::now() + pause));
    }
    for (Pe pe = 1; pe < m_job.n_pes; ++pe) {
      set_blocking(m_links.steps[index_of(pe)], true);
      answer(m_links.steps[index_of(pe)], Text());
    }
    return std::move(m_links);
  }

 private:
  [[nodiscard]] std::optional<Pe> first_missing() const {
    for (Pe pe = 1; pe < m_job.n_pes; ++pe) {
      if (!m_links.steps[index_of(pe)] || !m_links.lives[index_of(pe)])
        return pe;
    }
    return std::nullopt;
  }

  [[noreturn]] void give_up(Pe missing) {
    int n_missing = 0;
    for (Pe pe = 1; pe < m_job.n_pes; ++pe)
      n_missing += m_links.steps[index_of(pe)] ? 0 : 1;
    Text const why("PE ", missing, n_missing > 1 ? " and others have" : " has",
                   " not connected to PE 0 (",
                   m_job.share ? "" : "SYMM_ROOT=", m_job.root,
                   ") within SYMM_START_TIMEOUT seconds: ", n_missing, " of ",
                   m_job.n_pes, " PEs are missing");
    for (Pe pe = 1; pe < m_job.n_pes; ++pe) {
      if (m_links.steps[index_of(pe)]) answer(m_links.steps[index_of(pe)], why);
    }
    throw SystemError(Text("symm::initialize: ", why));
  }

  void accept_some() {
    for (;;) {
      UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr,
                                SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (socket) {
        set_options(socket);
        m_silent.push_back(std::move(socket));
      } else if (errno != EINTR && errno != ECONNABORTED) {
        if (errno == EAGAIN) return;
        throw SystemError(what, "accept4", errno);
      }
    }
  }

  /// Whether this connection is settled: a PE's, a stranger's, or gone.
  bool hear(UniqueFd& socket) {
    TcpHello hello;
    auto const bytes = ::recv(socket.get(), &hello, sizeof hello, MSG_PEEK);
    if (bytes < 0) return errno != EAGAIN && errno != EINTR;
    if (bytes == 0) return true;
    if (bytes < static_cast<ssize_t>(sizeof hello)) return false;
    static_cast<void>(::recv(socket.get(), &hello, sizeof hello, 0));
    if (hello.magic != TcpHello().magic || hello.key != m_key) return true;
    if (hello.n_pes != m_job.n_pes || hello.pe < 1 || hello.pe >= m_job.n_pes) {
      answer(socket,
             Text("PE 0 has a job of ", m_job.n_pes,
                  " PEs, this process is PE ", hello.pe, " of ", hello.n_pes,
                  ": start all with one SYMM_PES, and with SYMM_PE from 0"));
      return true;
    }
    auto& life    = m_links.lives[index_of(hello.pe)];
    auto& steps   = m_links.steps[index_of(hello.pe)];
    auto& process = m_processes[index_of(hello.pe)];
    if (process != hello.process) {
      if (is_open(life) || is_open(steps)) {
        answer(socket, Text("there is a PE ", hello.pe,
                            " already: two processes have this SYMM_PE, or two "
                            "jobs this SYMM_ROOT"));
        return true;
      }
      life.reset();
      steps.reset();
      process = hello.process;
    }
    (hello.purpose == Purpose::steps ? steps : life) = std::move(socket);
    return true;
  }

  /// A PE that has lost its connection tries again.
  static bool is_open(UniqueFd const& socket) {
    if (!socket) return false;
    char byte        = 0;
    auto const bytes = ::recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return bytes > 0 || (bytes < 0 && (errno == EAGAIN || errno == EINTR));
  }

  TcpJob const& m_job;
  UniqueFd m_listener;
  std::uint64_t m_key;
  TcpLinks m_links;
  std::vector<std::uint64_t> m_processes;  // of each PE, TcpHello::process
  std::vector<UniqueFd> m_silent;          // accepted, without a TcpHello yet
};

/// Has the file gone when PE 0 needs it no more.
struct FileOfScope {
  std::string path;
  ~FileOfScope() { static_cast<void>(::unlink(path.c_str())); }
};

TcpLinks accept_others(TcpJob const& job, TimePoint end) {
  if (job.share) {
    auto listener    = listen_at("0");
    auto const place = tcp_place_here(port_of(listener));
    static_cast<void>(job.share(text_of(place)));
    return Acceptance(job, std::move(listener), place.key).accept_all(end);
  }
  if (!is_tcp_file(job.root)) {
    auto const place = tcp_place_of(job.root);
    return Acceptance(job, listen_at(place.port), place.key).accept_all(end);
  }
  auto listener = listen_at("0");  // any that is free
  FileOfScope const file{path_of_tcp_file(job.root)};
  auto const place = write_tcp_file(file.path, port_of(listener));
  return Acceptance(job, std::move(listener), place.key).accept_all(end);
}

// The other PEs.

/// Empty if nobody takes the connection.
UniqueFd connect_to(std::string const& host, std::string const& port) {
  auto const list = find_addresses(host.c_str(), port, 0);
  for (auto const* it = list.get(); it != nullptr; it = it->ai_next) {
    UniqueFd socket(
        ::socket(it->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) continue;
    if (::connect(socket.get(), it->ai_addr, it->ai_addrlen) != 0) {
      int error       = errno;
      socklen_t bytes = sizeof error;
      if (error != EINPROGRESS ||
          !wait_for(socket.get(), POLLOUT, Clock::now() + tcp_connect_time) ||
          ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) !=
              0 ||
          error != 0)
        continue;
    }
    set_blocking(socket, true);
    set_options(socket);
    return socket;
  }
  return {};
}

/// Nothing if this is not PE 0, or not any more.
std::optional<TcpLinks> try_host(TcpJob const& job, std::string const& host,
                                 TcpPlace const& place, TimePoint end) {
  TcpLinks links;
  auto const process = draw_number();
  for (auto const purpose : {Purpose::life, Purpose::steps}) {
    auto socket = connect_to(host, place.port);
    TcpHello hello;
    hello.key     = place.key;
    hello.process = process;
    hello.pe      = job.my_pe;
    hello.n_pes   = job.n_pes;
    hello.purpose = purpose;
    if (!socket || ::send(socket.get(), &hello, sizeof hello, MSG_NOSIGNAL) !=
                       static_cast<ssize_t>(sizeof hello))
      return std::nullopt;
    (purpose == Purpose::life ? links.lives : links.steps)
        .push_back(std::move(socket));
  }
  // PE 0 gives up by itself; it may have started later.
  auto const last =
      end + std::chrono::duration_cast<Clock::duration>(job.timeout);
  TcpAnswer its;
  for (std::size_t done = 0; done < sizeof its;) {
    if (!wait_for(links.steps[0].get(), POLLIN, last)) return std::nullopt;
    auto const bytes =
        ::recv(links.steps[0].get(), reinterpret_cast<char*>(&its) + done,
               sizeof its - done, 0);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return std::nullopt;
    done += static_cast<std::size_t>(bytes);
  }
  if (its.is_refused == 0) return links;
  its.why.back() = '\0';
  throw UsageError(Text("symm::initialize: PE ", job.my_pe,
                        " is not let in: ", its.why.data()));
}

TcpLinks connect_to_first(TcpJob const& job, TimePoint end) {
  auto const shared =
      job.share ? place_of_text(job.share({})) : std::optional<TcpPlace>();
  do {
    auto const place = job.share ? shared
                       : is_tcp_file(job.root)
                           ? read_tcp_file(path_of_tcp_file(job.root))
                           : std::optional(tcp_place_of(job.root));
    for (auto const& host : place ? place->hosts : std::vector<std::string>()) {
      if (auto links = try_host(job, host, *place, end))
        return std::move(*links);
    }
    std::this_thread::sleep_for(pause);
  } while (Clock::now() < end);
  throw SystemError(Text("symm::initialize: PE ", job.my_pe,
                         " has not found PE 0 ",
                         job.share               ? "by "
                         : is_tcp_file(job.root) ? "by the file of SYMM_ROOT="
                                                 : "at SYMM_ROOT=",
                         job.root, " within SYMM_START_TIMEOUT seconds"));
}

}  // namespace

TcpLinks connect_by_tcp(TcpJob const& job) {
  if (job.n_pes == 1) {
    TcpLinks links;
    links.steps.resize(1);
    links.lives.resize(1);
    return links;
  }
  auto const end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(job.timeout);
  return job.my_pe == 0 ? accept_others(job, end) : connect_to_first(job, end);
}

void send_all(UniqueFd const& socket, void const* data, std::size_t bytes,
              Pe other) {
  auto const* from = static_cast<char const*>(data);
  while (bytes > 0) {
    auto const sent = ::send(socket.get(), from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0)
      throw SystemError(Text("a message to PE ", other), "send", errno);
    from += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void receive_all(UniqueFd const& socket, void* data, std::size_t bytes,
                 Pe other) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    auto const got = ::recv(socket.get(), to, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw SystemError(Text("a message of PE ", other), "recv", errno);
    if (got == 0) {
      throw SystemError(
          Text("PE ", other, " has ended while others wait for it"));
    }
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace symm::Impl
