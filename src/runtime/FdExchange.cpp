// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <runtime/FdExchange.hpp>

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace symm {

namespace {

/// How long a PE waits for the others to connect while the job starts.
constexpr int connect_timeout_ms = 60'000;

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

/// One byte goes with every descriptor, since SCM_RIGHTS needs data.
enum class Message : char { descriptor = 'd', nothing = 'n' };

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

void check_same_node(std::vector<Introduction> const& all, Pe my_pe) {
  auto const& me = all[static_cast<std::size_t>(my_pe)];
  for (std::size_t pe = 0; pe < all.size(); ++pe) {
    if (same_node(me, all[pe])) continue;
    throw SystemError("PE " + std::to_string(my_pe) + " runs on " + me.host +
                      ", PE " + std::to_string(pe) + " on " + all[pe].host +
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
  auto const agree = [&](std::optional<Failure> const& mine) {
    return symm::agree(m_bootstrap, mine);
  };
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
  // Everybody listens now. Connect to the lower PEs, which accept in turn.
  step([&] {
    for (Pe pe = 0; pe < me; ++pe) {
      auto socket        = new_socket();
      auto const address = address_of(job_id, pe);
      if (::connect(socket.get(), generic(address), address.bytes) != 0) {
        throw SystemError("FdExchange: PE " + std::to_string(pe), "connect",
                          errno);
      }
      check_credentials(socket.get(), all[static_cast<std::size_t>(pe)].pid,
                        pe);
      Hello const hello{job_id, me};
      if (::send(socket.get(), &hello, sizeof hello, MSG_NOSIGNAL) !=
          static_cast<ssize_t>(sizeof hello)) {
        throw SystemError("FdExchange: PE " + std::to_string(pe), "send",
                          errno);
      }
      m_sockets[static_cast<std::size_t>(pe)] = std::move(socket);
    }
  });
  step([&] {
    int missing = n_pes - 1 - me;
    while (missing > 0) {
      wait_readable(listener.get(), "FdExchange: accept");
      UniqueFd socket(
          ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket) throw SystemError("FdExchange", "accept4", errno);
      // The name of the socket can be found out: other users cannot disturb.
      if (credentials_of(socket.get()).uid != ::geteuid()) continue;
      wait_readable(socket.get(), "FdExchange: greeting");
      Hello hello;
      if (::recv(socket.get(), &hello, sizeof hello, MSG_WAITALL) !=
          static_cast<ssize_t>(sizeof hello)) {
        throw SystemError("FdExchange: greeting", "recv", errno);
      }
      if (hello.job_id != job_id || hello.pe <= me || hello.pe >= n_pes ||
          m_sockets[static_cast<std::size_t>(hello.pe)]) {
        throw SystemError("FdExchange: a stranger connected to PE " +
                          std::to_string(me));
      }
      auto const pe = static_cast<std::size_t>(hello.pe);
      check_credentials(socket.get(), all[pe].pid, hello.pe);
      m_sockets[pe] = std::move(socket);
      --missing;
    }
  });
}

void FdExchange::send(Pe to, int fd) const {
  Message message = fd >= 0 ? Message::descriptor : Message::nothing;
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
  do {
    sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent == static_cast<ssize_t>(sizeof message)) return;
  int const error = errno;
  if (error != EPIPE && error != ECONNRESET && fd >= 0) {
    send(to, -1);  // keep the mesh in step: the peer waits for a message
  }
  throw SystemError("passing a file descriptor to PE " + std::to_string(to),
                    "sendmsg", error);
}

UniqueFd FdExchange::receive(Pe from) const {
  char message = 0;
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
    received = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
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
  UniqueFd result;
  cmsghdr const* const rights = CMSG_FIRSTHDR(&header);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    result = UniqueFd(fd);
  }
  if (!result && message == static_cast<char>(Message::descriptor)) {
    throw SystemError(what +
                      ": it got lost; are too many files open (ulimit -n)?");
  }
  return result;
}

std::vector<UniqueFd> FdExchange::exchange(int fd) {
  std::vector<UniqueFd> result(m_sockets.size());
  std::optional<Failure> failure;
  auto const note = [&](std::optional<Failure> const& step) {
    if (step && !failure) failure = step;
  };
  for (std::size_t pe = 0; pe < m_sockets.size(); ++pe) {
    if (!m_sockets[pe]) continue;
    note(failure_of([&] { send(static_cast<Pe>(pe), fd); }));
  }
  for (std::size_t pe = 0; pe < m_sockets.size(); ++pe) {
    if (!m_sockets[pe]) continue;
    note(failure_of([&] { result[pe] = receive(static_cast<Pe>(pe)); }));
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

}  // namespace symm
