// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/FdExchange.hpp"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace symm {

namespace {

/// How long a PE waits for another one to connect while the job starts.
constexpr int connect_timeout_ms = 60'000;

/// How many PEs connect to one listener before it accepts: below the smallest
/// limit on waiting connections (net.core.somaxconn) in use, 128.
constexpr int batch_pes = 64;

using JobId = std::array<std::uint64_t, 2>;

/// What a PE tells the others before they connect.
struct Introduction {
  JobId job_id{};  // PE 0's counts
  std::uint64_t network_namespace = 0;
  std::int64_t pid                = 0;
  char boot_id[40]{};
  char host[64]{};
};

/// First message on a connection.
struct Hello {
  JobId job_id{};
  std::int32_t pe = 0;
};

/// What every PE sends to every other in an exchange, with or without a
/// descriptor beside it.
struct Message {
  bool has_descriptor = false;
  FdExchange::Note note{};
};

/// The first line of a file, "" where the system has no such file.
std::string read_line(char const* path) {
  char line[40]       = "";
  std::FILE* const in = std::fopen(path, "r");
  if (in == nullptr && errno != ENOENT && errno != EACCES) {
    throw SystemError(std::string("cannot read ") + path, "fopen", errno);
  }
  if (in != nullptr) {
    if (std::fgets(line, sizeof line, in) == nullptr) line[0] = '\0';
    static_cast<void>(std::fclose(in));  // read only: nothing to lose
  }
  return line;
}

Introduction introduce_myself() {
  Introduction me;
  std::size_t const bytes = sizeof(me.job_id);
  if (::getrandom(me.job_id.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
    throw SystemError("cannot draw a job id", "getrandom", errno);
  }
  struct stat status {};
  // Abstract sockets are per network namespace; without /proc all PEs say 0.
  if (::stat("/proc/self/ns/net", &status) == 0) {
    me.network_namespace = status.st_ino;
  }
  me.pid = ::getpid();
  read_line("/proc/sys/kernel/random/boot_id").copy(me.boot_id, 36);
  if (::gethostname(me.host, sizeof(me.host) - 1) != 0) {
    throw SystemError("cannot name this host", "gethostname", errno);
  }
  return me;
}

bool same_node(Introduction const& a, Introduction const& b) {
  return std::strcmp(a.boot_id, b.boot_id) == 0 &&
         a.network_namespace == b.network_namespace;
}

struct Address {
  sockaddr_un name{};
  socklen_t bytes = 0;
};

Address address_of(JobId const& job_id, Pe pe) {
  Address address;
  address.name.sun_family = AF_UNIX;
  // The leading 0 makes it an abstract name: no file, gone with the socket.
  int const length = std::snprintf(
      address.name.sun_path + 1, sizeof(address.name.sun_path) - 1,
      "symm-%016llx%016llx-%d", static_cast<unsigned long long>(job_id[0]),
      static_cast<unsigned long long>(job_id[1]), pe);
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                         static_cast<std::size_t>(length));
  return address;
}

sockaddr const* generic(Address const& address) {
  return reinterpret_cast<sockaddr const*>(&address.name);
}

UniqueFd new_socket() {
  UniqueFd result(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!result) throw SystemError("FdExchange", "socket", errno);
  return result;
}

void wait_readable(int fd, std::string const& what) {
  pollfd entry{fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, connect_timeout_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) throw SystemError(what, "poll", errno);
  if (ready == 0) {
    throw SystemError(what + ": no answer within " +
                      std::to_string(connect_timeout_ms / 1000) + " s");
  }
}

ucred credentials_of(int fd) {
  ucred peer{};
  socklen_t bytes = sizeof(peer);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) {
    throw SystemError("FdExchange", "getsockopt(SO_PEERCRED)", errno);
  }
  return peer;
}

/// The other end must be a process of our user (and, where this namespace can
/// see it, the very process that introduced itself).
void check_credentials(int fd, std::int64_t pid, Pe pe) {
  auto const peer = credentials_of(fd);
  if (peer.uid != ::geteuid() || (peer.pid != 0 && peer.pid != pid)) {
    throw SystemError(
        "FdExchange: the process that calls itself PE " + std::to_string(pe) +
        " is process " + std::to_string(peer.pid) + " of user " +
        std::to_string(peer.uid) + ", expected process " + std::to_string(pid) +
        " of user " + std::to_string(::geteuid()));
  }
}

/// Bounds what a blocking call can wait for; 0: no bound.
void set_timeout(int fd, int option, int milliseconds) {
  timeval const limit{milliseconds / 1000, 0};
  if (::setsockopt(fd, SOL_SOCKET, option, &limit, sizeof limit) != 0) {
    throw SystemError("FdExchange", "setsockopt", errno);
  }
}

/// What a call on a socket has transferred or, if that is not all, why.
void check_all(ssize_t transferred, std::size_t bytes, std::string const& what,
               char const* call) {
  if (transferred < 0) throw SystemError(what, call, errno);
  if (transferred != static_cast<ssize_t>(bytes)) {
    throw SystemError(what + ": " + call + " ended early");
  }
}

UniqueFd connect_to(Pe pe, std::int64_t pid, Hello const& hello) {
  std::string const what = "FdExchange: PE " + std::to_string(pe);
  auto socket            = new_socket();
  auto const address     = address_of(hello.job_id, pe);
  set_timeout(socket.get(), SO_SNDTIMEO, connect_timeout_ms);
  int result = 0;
  do {
    result = ::connect(socket.get(), generic(address), address.bytes);
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw SystemError(what, "connect", errno);
  check_credentials(socket.get(), pid, pe);
  check_all(::send(socket.get(), &hello, sizeof hello, MSG_NOSIGNAL),
            sizeof hello, what, "send");
  return socket;
}

/// The next connection and its greeting; no socket if it was another user's.
std::pair<UniqueFd, Hello> accept_greeting(int listener) {
  wait_readable(listener, "FdExchange: accept");
  UniqueFd socket;
  do {
    socket = UniqueFd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  } while (!socket && errno == EINTR);
  if (!socket) throw SystemError("FdExchange", "accept4", errno);
  // The name of the socket can be found out: other users cannot disturb.
  if (credentials_of(socket.get()).uid != ::geteuid()) return {};
  set_timeout(socket.get(), SO_RCVTIMEO, connect_timeout_ms);
  Hello hello;
  check_all(::recv(socket.get(), &hello, sizeof hello, MSG_WAITALL),
            sizeof hello, "FdExchange: greeting", "recv");
  set_timeout(socket.get(), SO_RCVTIMEO, 0);
  return {std::move(socket), hello};
}

void check_same_node(std::vector<Introduction> const& all, Pe my_pe) {
  auto const& me = all[static_cast<std::size_t>(my_pe)];
  for (std::size_t pe = 0; pe < all.size(); ++pe) {
    if (same_node(me, all[pe])) continue;
    bool const same_kernel = std::strcmp(me.boot_id, all[pe].boot_id) == 0;
    throw SystemError("PE " + std::to_string(my_pe) + " runs on " + me.host +
                      ", PE " + std::to_string(pe) + " on " + all[pe].host +
                      (same_kernel ? " in another network namespace" : "") +
                      ": this version reaches the PEs of one node only; start "
                      "all PEs on one node");
  }
}

}  // namespace

FdExchange::FdExchange(Bootstrap& bootstrap)
    : m_bootstrap(bootstrap),
      m_sockets(static_cast<std::size_t>(bootstrap.n_pes())) {
  connect_mesh();
}

void FdExchange::connect_mesh() {
  Pe const me      = m_bootstrap.my_pe();
  int const n_pes  = m_bootstrap.n_pes();
  auto const agree = agree_through(m_bootstrap);
  Introduction mine;
  auto const step = [&](std::function<void()> const& work) {
    all_or_none(agree, "connecting the PEs of this node", work);
  };
  step([&] { mine = introduce_myself(); });
  auto const all    = allgather(m_bootstrap, mine);
  auto const job_id = all[0].job_id;

  UniqueFd listener;
  step([&] {
    check_same_node(all, me);
    listener           = new_socket();
    auto const address = address_of(job_id, me);
    if (::bind(listener.get(), generic(address), address.bytes) != 0) {
      throw SystemError("FdExchange", "bind", errno);
    }
    if (::listen(listener.get(), n_pes) != 0) {
      throw SystemError("FdExchange", "listen", errno);
    }
  });
  // Everybody listens now. Each PE connects to the lower ones, which accept.
  for (Pe first = 0; first < n_pes; first += batch_pes) {
    Pe const end = std::min(first + batch_pes, n_pes);
    step([&] {
      for (Pe pe = 0; first <= me && me < end && pe < me; ++pe) {
        m_sockets[static_cast<std::size_t>(pe)] = connect_to(
            pe, all[static_cast<std::size_t>(pe)].pid, Hello{job_id, me});
      }
    });
    step([&] {
      int missing = end - std::max(first, me + 1);
      while (missing > 0) {
        auto [socket, hello] = accept_greeting(listener.get());
        if (!socket) continue;
        auto const pe = static_cast<std::size_t>(hello.pe);
        if (hello.job_id != job_id || hello.pe <= me || hello.pe >= n_pes ||
            m_sockets[pe]) {
          throw SystemError("FdExchange: a stranger connected to PE " +
                            std::to_string(me));
        }
        check_credentials(socket.get(), all[pe].pid, hello.pe);
        m_sockets[pe] = std::move(socket);
        --missing;
      }
    });
  }
}

void FdExchange::send(Pe to, int fd, Note const& note) const {
  Message message{fd >= 0, note};
  iovec data{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr header{};
  header.msg_iov    = &data;
  header.msg_iovlen = 1;
  if (fd >= 0) {
    header.msg_control    = control;
    header.msg_controllen = sizeof control;
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level    = SOL_SOCKET;
    rights->cmsg_type     = SCM_RIGHTS;
    rights->cmsg_len      = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  int const socket = m_sockets[static_cast<std::size_t>(to)].get();
  ssize_t sent     = 0;
  int retries_left = 10'000;  // of a millisecond
  while ((sent = ::sendmsg(socket, &header, MSG_NOSIGNAL)) < 0) {
    // Other descriptors of this user are on their way, another job's maybe.
    if (errno == ETOOMANYREFS && retries_left-- > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (errno != EINTR) {
      break;
    }
  }
  if (sent == static_cast<ssize_t>(sizeof message)) return;
  int const error = errno;
  if (error != EPIPE && error != ECONNRESET && fd >= 0) {
    send(to, -1, note);  // keep the mesh in step: the peer waits for a message
  }
  throw SystemError("passing a file descriptor to PE " + std::to_string(to),
                    "sendmsg", error);
}

FdExchange::Parcel FdExchange::receive(Pe from) const {
  Message message;
  iovec data{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr header{};
  header.msg_iov        = &data;
  header.msg_iovlen     = 1;
  header.msg_control    = control;
  header.msg_controllen = sizeof control;
  int const socket      = m_sockets[static_cast<std::size_t>(from)].get();
  ssize_t received      = 0;
  do {
    received = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  } while (received < 0 && errno == EINTR);
  if (received == 0 || (received < 0 && errno == ECONNRESET)) {
    std::fprintf(stderr,
                 "symm: PE %d: the process of PE %d is gone while file "
                 "descriptors were exchanged; ending the job\n",
                 m_bootstrap.my_pe(), from);
    m_bootstrap.abort();
  }
  std::string const what =
      "receiving a file descriptor from PE " + std::to_string(from);
  if (received < 0) throw SystemError(what, "recvmsg", errno);
  if (received != static_cast<ssize_t>(sizeof message)) {
    throw SystemError(what + ": the message is cut off");
  }
  Parcel result{{}, message.note};
  cmsghdr const* const rights = CMSG_FIRSTHDR(&header);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    result.descriptor = UniqueFd(fd);
  }
  if (!result.descriptor && message.has_descriptor) {
    throw SystemError(what +
                      ": it got lost; are too many files open (ulimit -n)?");
  }
  return result;
}

std::vector<FdExchange::Parcel> FdExchange::exchange(int fd, Note const& note) {
  std::vector<Parcel> result(m_sockets.size());
  std::optional<Failure> failure;
  auto const keep_first = [&](std::optional<Failure> const& step) {
    if (step && !failure) failure = step;
  };
  // In rounds, each PE sending to one and receiving from one: the system limits
  // how many descriptors of a user are on their way (like ulimit -n).
  auto const n_pes = static_cast<Pe>(m_sockets.size());
  Pe const me      = m_bootstrap.my_pe();
  for (Pe round = 1; round < n_pes; ++round) {
    Pe const to   = (me + round) % n_pes;
    Pe const from = (me + n_pes - round) % n_pes;
    keep_first(failure_of([&] { send(to, fd, note); }));
    keep_first(failure_of(
        [&] { result[static_cast<std::size_t>(from)] = receive(from); }));
  }
  if (failure) throw_failure(*failure);
  return result;
}

bool FdExchange::is_gone(Pe pe) const {
  auto const& socket = m_sockets[static_cast<std::size_t>(pe)];
  if (!socket) return false;
  pollfd entry{socket.get(), 0, 0};
  return ::poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLERR)) != 0;
}

pid_t FdExchange::process_of(Pe pe) const {
  auto const& socket = m_sockets[static_cast<std::size_t>(pe)];
  return socket ? credentials_of(socket.get()).pid : ::getpid();
}

}  // namespace symm
