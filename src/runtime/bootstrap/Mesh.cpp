// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Mesh.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../base/Deadline.hpp"
#include "../base/Interrupted.hpp"
#include "../base/RandomNumber.hpp"
#include "../base/Types.hpp"
#include "../symm_errors.hpp"
#include "SilentSockets.hpp"

namespace symm::Impl {

namespace {

using Clock  = std::chrono::steady_clock;
using Number = std::array<std::uint64_t, 2>;

/// The maximum time for connecting the PEs.
constexpr auto connect_time = std::chrono::seconds(60);
/// The time for which a PE tries to connect before it checks whether another PE
/// has failed.
constexpr auto round_time = std::chrono::milliseconds(100);
/// The maximum number of open connections that have not sent a Hello, in
/// addition to the connections from PEs.
constexpr std::size_t max_silent = 256;

/// The random numbers that a PE draws before the PEs connect. All PEs on a node
/// use the numbers drawn by the node's first PE.
struct Introduction {
  Number name{};  // part of the socket addresses on the node
  Number key{};   // known only to the node's PEs
};

/// The first message on a connection.
struct Hello {
  Number key{};
  std::int64_t pe = 0;
};
// Padding would leak uninitialized stack bytes.
static_assert(std::has_unique_object_representations_v<Introduction>);
static_assert(std::has_unique_object_representations_v<Hello>);

Introduction introduce_myself() {
  return {{draw_number(), draw_number()}, {draw_number(), draw_number()}};
}

struct Address {
  sockaddr_un name{};
  socklen_t bytes = 0;

  Address(Number const& number, Pe pe) {
    name.sun_family = AF_UNIX;
    // A leading 0 makes the name abstract: there is no file, and the name
    // disappears with the socket.
    int const length = std::snprintf(
        name.sun_path + 1, sizeof(name.sun_path) - 1, "symm-%016llx%016llx-%d",
        static_cast<unsigned long long>(number[0]),
        static_cast<unsigned long long>(number[1]), pe);
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                   static_cast<std::size_t>(length));
  }

  [[nodiscard]] sockaddr const* generic() const {
    return reinterpret_cast<sockaddr const*>(&name);
  }
};

int open_socket() {
  return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}
/// \throws SystemError on this PE if open_socket() has failed.
UniqueFd checked_socket(UniqueFd socket) {
  if (!socket) throw SystemError("connecting PEs", "socket", errno);
  return socket;
}

UniqueFd listen_here(Address const& address) {
  auto listener = checked_socket(UniqueFd(open_socket()));
  if (::bind(listener.get(), address.generic(), address.bytes) != 0) {
    throw SystemError("connecting PEs", "bind", errno);
  }
  // Use the longest queue that the system allows, because connections from
  // other programs take up slots in it, too.
  if (::listen(listener.get(), INT_MAX) != 0) {
    throw SystemError("connecting PEs", "listen", errno);
  }
  return listener;
}

/// The credentials of the process at a socket's other end.
ucred other_end_of(UniqueFd const& socket) {
  ucred process{};
  socklen_t bytes = sizeof process;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &process, &bytes) !=
      0) {
    throw SystemError("connecting PEs", "getsockopt(SO_PEERCRED)", errno);
  }
  return process;
}

/// Connects one PE to the mesh. The PE connects to the lower-numbered PEs on
/// its node and accepts connections from the higher-numbered ones. It does both
/// concurrently and never waits for just one PE.
class Start {
 public:
  Start(Introduction const& its_node, Nodes const& nodes, Pe my_pe)
      : m_name(its_node.name),
        m_nodes(nodes),
        m_my_pe(my_pe),
        m_links(static_cast<std::size_t>(nodes.n_near())),
        m_hello{its_node.key, my_pe},
        m_silent(listen_here(Address(m_name, my_pe)),
                 static_cast<std::size_t>(nodes.n_near()) + max_silent) {
    link(my_pe).pid = ::getpid();
  }

  [[nodiscard]] bool is_complete() const { return !missing(); }

  /// The first PE to which this PE has no link.
  [[nodiscard]] std::optional<Pe> missing() const {
    for (Pe const pe : m_nodes.near_pes()) {
      if (!link(pe).socket && pe != m_my_pe) return pe;
    }
    return std::nullopt;
  }

  /// Connects PEs until all links exist or until `end`.
  void work_until(Clock::time_point end) {
    while (!is_complete() && Clock::now() < end) {
      bool is_queue_full = false;
      for (Pe pe = m_nodes.first_near(); pe < m_my_pe; ++pe) {
        if (!link(pe).socket && !connect_to(pe)) is_queue_full = true;
      }
      m_silent.look([&](UniqueFd& socket) { return hear_greeting(socket); });
      for (Pe const pe : std::exchange(m_to_open, {})) open_process(link(pe));
      if (is_queue_full) {
        // Other processes take free slots in the queue immediately, so do not
        // sleep before the next attempt.
        ::sched_yield();
      } else if (!is_complete()) {
        wait_for_events();
      }
    }
  }

  [[nodiscard]] std::vector<MeshLink> take_links() {
    return std::move(m_links);
  }

 private:
  [[nodiscard]] std::size_t index(Pe pe) const {
    return index_of(pe - m_nodes.first_near());
  }
  MeshLink& link(Pe pe) { return m_links[index(pe)]; }
  [[nodiscard]] MeshLink const& link(Pe pe) const { return m_links[index(pe)]; }

  /// Returns false if the listen queue on `pe` is full.
  bool connect_to(Pe pe) {
    auto socket = checked_socket(m_silent.open_with_room(open_socket));
    Address const address(m_name, pe);
    auto const what = "connecting to PE " + std::to_string(pe);
    if (uninterrupted([&] {
          return ::connect(socket.get(), address.generic(), address.bytes);
        }) != 0) {
      if (errno == EAGAIN) return false;
      throw SystemError(what, "connect", errno);
    }
    auto const process = other_end_of(socket);
    if (process.uid != ::geteuid()) {
      throw SystemError(
          what + ": its process belongs to user " +
          std::to_string(process.uid) + ", this process to user " +
          std::to_string(::geteuid()) + "; start all PEs as the same user");
    }
    if (uninterrupted([&] {
          return ::send(socket.get(), &m_hello, sizeof m_hello, MSG_NOSIGNAL);
        }) != static_cast<ssize_t>(sizeof m_hello)) {
      throw SystemError(what, "send", errno);
    }
    link(pe) = {std::move(socket), {}, process.pid};
    open_process(link(pe));
    return true;
  }

  /// Whether this connection is settled: it has become the link to a PE, or it
  /// does not belong to a PE.
  bool hear_greeting(UniqueFd& socket) {
    if (other_end_of(socket).uid != ::geteuid()) return true;
    Hello hello;
    auto const bytes = uninterrupted(
        [&] { return ::recv(socket.get(), &hello, sizeof hello, 0); });
    if (bytes < 0 && errno == EAGAIN) return false;
    if (bytes < 0 && errno != ECONNRESET) {
      throw SystemError("connecting PEs", "recv", errno);
    }
    if (bytes == static_cast<ssize_t>(sizeof hello) &&
        hello.key == m_hello.key) {
      auto const pe  = static_cast<Pe>(hello.pe);
      auto const pid = other_end_of(socket).pid;
      link(pe)       = {std::move(socket), {}, pid};
      m_to_open.push_back(pe);
    }
    return true;
  }

  /// Sets MeshLink::process.
  void open_process(MeshLink& peer) {
#ifdef SYS_pidfd_open
    if (peer.pid <= 0) return;
    peer.process = m_silent.open_with_room([&] {
      return static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0));
    });
    // ENOSYS: Linux before 5.3. EPERM: a container that forbids unknown system
    // calls.
    if (!peer.process && errno != ENOSYS && errno != EPERM)
      throw SystemError("connecting PEs", "pidfd_open", errno);
#else
    static_cast<void>(peer);
#endif
  }

  void wait_for_events() {
    std::vector<pollfd> entries{{m_silent.listener().get(), POLLIN, 0}};
    for (auto const& socket : m_silent.sockets()) {
      entries.push_back({socket.get(), POLLIN, 0});
    }
    if (poll_until(entries, Deadline(std::chrono::milliseconds(10))) < 0) {
      throw SystemError("connecting PEs", "poll", errno);
    }
  }

  Number m_name;
  Nodes const& m_nodes;
  Pe m_my_pe;
  std::vector<MeshLink> m_links;
  Hello m_hello;
  SilentSockets m_silent;
  std::vector<Pe> m_to_open;  // PEs whose links have no `process` yet
};

}  // namespace

std::vector<MeshLink> connect_mesh(Bootstrap& bootstrap, Nodes const& nodes) {
  Pe const me      = bootstrap.my_pe();
  auto const agree = agree_through(bootstrap);
  auto const step  = [&](auto const& work) {
    all_or_none(agree, "connecting the PEs of a node", work);
  };
  Introduction mine;
  std::vector<Introduction> all;
  step([&] {
    mine = introduce_myself();
    all.resize(static_cast<std::size_t>(bootstrap.n_pes()));
  });
  bootstrap.allgather(&mine, all.data(), sizeof mine);
  std::optional<Start> start;
  step([&] {
    auto const leader = static_cast<std::size_t>(nodes.first_near());
    start.emplace(all[leader], nodes, me);
  });
  // All PEs are listening now.
  auto const deadline = Clock::now() + connect_time;
  for (bool is_complete = false; !is_complete;) {
    step([&] {
      auto const now = Clock::now();
      start->work_until(now + round_time);
      if (auto const missing = start->missing(); missing && now > deadline) {
        throw SystemError("no connection to PE " + std::to_string(*missing) +
                          " within " + std::to_string(connect_time.count()) +
                          " s");
      }
    });
    // All PEs take part in this step after connecting. So each PE was alive
    // when its process was opened by PID, and no other process had that PID.
    is_complete = !first_to_say(bootstrap, !start->is_complete());
  }
  return start->take_links();
}

}  // namespace symm::Impl
