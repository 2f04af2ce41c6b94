// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "FdExchange.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "../base/Deadline.hpp"
#include "../base/Failure.hpp"
#include "../base/Interrupted.hpp"

namespace symm::Impl {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

/// The message that every PE sends to every other PE in an exchange, with or
/// without a descriptor attached.
struct FdExchange::Message {
  std::uint64_t exchange       = 0;  // the exchange's number
  std::uint64_t has_descriptor = 0;
  Attachment note{};
};

/// A message with room for a descriptor, in the form that sendmsg() and
/// recvmsg() expect. An Envelope contains pointers to itself, so it cannot be
/// moved.
struct FdExchange::Envelope {
  static_assert(std::has_unique_object_representations_v<Message>,
                "padding would send what is left on the stack");

  Message message;
  iovec data{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr header{};

  explicit Envelope(Message const& content = {}) : message(content) {
    header.msg_iov        = &data;
    header.msg_iovlen     = 1;
    header.msg_control    = control;
    header.msg_controllen = sizeof control;
  }
  Envelope(Envelope const&)            = delete;
  Envelope& operator=(Envelope const&) = delete;
};

FdExchange::FdExchange(Bootstrap& bootstrap, Nodes nodes,
                       std::chrono::duration<double> timeout)
    : m_bootstrap(bootstrap),
      m_timeout(timeout),
      m_nodes(std::move(nodes)),
      m_links(connect_mesh(bootstrap, m_nodes)) {}

void FdExchange::end_job_of_gone(Pe pe) const {
  std::fprintf(stderr,
               "symm: PE %d: the process of PE %d is gone while file "
               "descriptors were exchanged; ending the job\n",
               m_bootstrap.my_pe(), pe);
  m_bootstrap.abort();
  std::abort();  // for the compiler
}

void FdExchange::end_job_out_of_step(char const* what, Pe pe,
                                     char const* why) const {
  std::fprintf(stderr,
               "symm: PE %d: %s PE %d in exchange %llu of file descriptors: "
               "%s. The PEs would be out of step; ending the job\n",
               m_bootstrap.my_pe(), what, pe,
               static_cast<unsigned long long>(m_n_exchanges), why);
  m_bootstrap.abort();
  std::abort();  // for the compiler
}

MeshLink const& FdExchange::link(Pe near) const {
  return m_links[static_cast<std::size_t>(near - m_nodes.first_near())];
}

MeshLink const* FdExchange::find_link(Pe pe) const {
  return m_nodes.is_near(pe) ? &link(pe) : nullptr;
}

void FdExchange::send(Pe to, int fd, Attachment const& note) const {
  Envelope envelope({m_n_exchanges, 1, note});
  auto& header          = envelope.header;
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level    = SOL_SOCKET;
  rights->cmsg_type     = SCM_RIGHTS;
  rights->cmsg_len      = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);

  int const socket = link(to).socket.get();
  // The socket has room for the message, because a PE is at most one exchange
  // ahead of another.
  auto const try_to_send = [&] {
    auto const sent = uninterrupted([&] {
      return ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
      end_job_of_gone(to);
    }
    return sent >= 0 ? 0 : errno;
  };
  int error = 0;
  if (fd >= 0) {
    error            = try_to_send();
    int retries_left = 10'000;  // one per millisecond
    // The user has too many descriptors in flight, perhaps from another job.
    while (error == ETOOMANYREFS && retries_left-- > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      error = try_to_send();
    }
    if (error == 0) return;
  }
  // Send a message without a descriptor, because the peer is waiting for a
  // message.
  envelope.message.has_descriptor = 0;
  header.msg_control              = nullptr;
  header.msg_controllen           = 0;
  if (int const second = try_to_send(); second != 0) {
    end_job_out_of_step("no message was sent to", to, std::strerror(second));
  }
  if (fd >= 0) {
    throw SystemError("passing a file descriptor to PE " + std::to_string(to),
                      "sendmsg", error);
  }
}

void FdExchange::wait_for_message(Pe from) const {
  auto const& peer       = link(from);
  auto const start       = Clock::now();
  auto next_report       = m_timeout;
  auto const has_message = [&](std::chrono::milliseconds patience) {
    std::array entries{pollfd{peer.socket.get(), POLLIN, 0},
                       pollfd{peer.process.get(), POLLIN, 0}};
    int const n = patience.count() == 0
                      ? poll_now(entries)
                      : poll_until(entries, Deadline(patience));
    if (n < 0)
      end_job_out_of_step("cannot wait for", from, std::strerror(errno));
    return (entries[0].revents & POLLIN) != 0;
  };
  while (!has_message(health_interval)) {
    // Check for the message again after is_gone(): a process may have sent its
    // message and then ended.
    if (is_gone(from) && !has_message({})) end_job_of_gone(from);
    std::chrono::duration<double> const waited = Clock::now() - start;
    if (m_timeout.count() <= 0 || waited < next_report) continue;
    next_report = waited + m_timeout;
    std::fprintf(stderr,
                 "symm: PE %d has waited %ld s for PE %d in exchange %llu of "
                 "file descriptors, which is part of a collective call that "
                 "creates or maps memory. Still waiting (SYMM_TIMEOUT sets the "
                 "seconds between reports, 0: none).\n",
                 m_bootstrap.my_pe(), static_cast<long>(waited.count()), from,
                 static_cast<unsigned long long>(m_n_exchanges));
  }
}

FdExchange::Parcel FdExchange::receive(Pe from) const {
  Envelope envelope;
  auto& header        = envelope.header;
  auto const& message = envelope.message;
  int const socket    = link(from).socket.get();
  ssize_t received    = 0;
  do {
    wait_for_message(from);
    received = uninterrupted([&] {
      return ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    });
  } while (received < 0 && errno == EAGAIN);
  if (received == 0 || (received < 0 && errno == ECONNRESET)) {
    end_job_of_gone(from);
  }
  Parcel result{{}, message.note};
  cmsghdr const* const rights = CMSG_FIRSTHDR(&header);
  if (received > 0 && rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    result.descriptor = UniqueFd(fd);
  }
  char const* const what = "no message was received from";
  if (received < 0) end_job_out_of_step(what, from, std::strerror(errno));
  if (received != static_cast<ssize_t>(sizeof message)) {
    end_job_out_of_step(what, from, "it is truncated");
  }
  if (message.exchange != m_n_exchanges) {
    char text[64];
    static_cast<void>(std::snprintf(
        text, sizeof text, "the next one belongs to exchange %llu",
        static_cast<unsigned long long>(message.exchange)));
    end_job_out_of_step(what, from, text);
  }
  if (!result.descriptor && message.has_descriptor != 0) {
    throw SystemError(
        "receiving a file descriptor from PE " + std::to_string(from) +
        ": it was lost; raise the limit of open files (ulimit -n)");
  }
  return result;
}

std::vector<FdExchange::Parcel> FdExchange::exchange(int fd,
                                                     Attachment const& note) {
  ++m_n_exchanges;
  std::vector<Parcel> result;
  int const n_near = m_nodes.n_near();
  auto failure =
      failure_of([&] { result.resize(static_cast<std::size_t>(n_near)); });
  auto const keep_first = [&](std::optional<Failure> const& step) {
    if (step && !failure) failure = step;
  };
  // In each round, a PE sends to one PE and receives from one PE. More messages
  // at once could exceed the system's limit on a user's descriptors in flight,
  // which is ulimit -n.
  Pe const first = m_nodes.first_near();
  int const me   = m_bootstrap.my_pe() - first;
  for (int round = 1; round < n_near; ++round) {
    int const to   = (me + round) % n_near;
    int const from = (me + n_near - round) % n_near;
    keep_first(failure_of([&] { send(first + to, fd, note); }));
    keep_first(failure_of([&] {
      auto parcel = receive(first + from);
      if (!result.empty()) {
        result[static_cast<std::size_t>(from)] = std::move(parcel);
      }
    }));
  }
  if (failure) throw_failure(*failure);
  return result;
}

bool FdExchange::is_gone(Pe pe) const {
  auto const* const peer = find_link(pe);
  if (peer == nullptr || !peer->socket) return false;
  std::array entries{pollfd{peer->socket.get(), 0, 0},
                     pollfd{peer->process.get(), POLLIN, 0}};
  return poll_now(entries) > 0 &&
         ((entries[0].revents & (POLLHUP | POLLERR)) != 0 ||
          (entries[1].revents & POLLIN) != 0);
}

pid_t FdExchange::process_of(Pe pe) const {
  auto const* const peer = find_link(pe);
  return peer == nullptr ? 0 : peer->pid;
}

}  // namespace symm::Impl
