// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TcpLinks.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include "../base/Deadline.hpp"
#include "../base/Failure.hpp"
#include "../base/Interrupted.hpp"
#include "../base/RandomNumber.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "TcpAcceptance.hpp"
#include "TcpMessages.hpp"
#include "TcpPlace.hpp"
#include "TcpSockets.hpp"

namespace symm::Impl {

namespace {

/// The pause between two attempts to connect.
constexpr auto pause = std::chrono::milliseconds(20);

// Startup on PE 0.

/// Removes the file at the end of the scope, when PE 0 no longer needs it.
struct FileOfScope {
  std::string path;
  ~FileOfScope() { static_cast<void>(::unlink(path.c_str())); }
};

TcpLinks accept_others(TcpJob const& job, Deadline const& deadline) {
  if (job.share) {
    auto listener    = listen_at("0");
    auto const place = tcp_place_here(port_of(listener));
    static_cast<void>(job.share(text_of(place)));
    return TcpAcceptance(job, std::move(listener), place.key)
        .accept_all(deadline);
  }
  if (!is_tcp_file(job.root)) {
    auto const place = tcp_place_of(job.root);
    return TcpAcceptance(job, listen_at(place.port), place.key)
        .accept_all(deadline);
  }
  auto listener    = listen_at("0");  // any free port
  auto const path  = path_of_tcp_file(job.root);
  auto const place = write_tcp_file(path, port_of(listener));
  FileOfScope const file{path};
  return TcpAcceptance(job, std::move(listener), place.key)
      .accept_all(deadline);
}

// Startup on the other PEs.

/// A process that is looking for PE 0.
class Search {
 public:
  Search(TcpJob const& job, Deadline const& deadline)
      // PE 0's timeout may have started later than this PE's, so wait twice as
      // long for PE 0's answer.
      : m_job(job), m_deadline(deadline), m_last(2 * job.timeout) {
    do {
      m_hello.process = draw_number();
    } while (m_hello.process == 0);
    m_hello.pe    = job.my_pe;
    m_hello.n_pes = job.n_pes;
  }

  TcpLinks run() {
    auto const shared = m_job.share ? place_of_text(m_job.share({}))
                                    : std::optional<TcpPlace>();
    do {
      auto const place =
          m_job.share ? shared
          : is_tcp_file(m_job.root)
              ? read_tcp_file(path_of_tcp_file(m_job.root), m_why_not)
              : std::optional(tcp_place_of(m_job.root));
      if (place) {
        for (auto const& host : place->hosts) {
          if (auto links = try_host(host, *place)) return std::move(*links);
        }
        m_why_not = Text("no answer from there");
      }
      std::this_thread::sleep_for(pause);
    } while (!m_deadline.is_over());
    throw SystemError(
        Text("symm::initialize: PE ", m_job.my_pe, " has not found PE 0 ",
             m_job.share               ? "by "
             : is_tcp_file(m_job.root) ? "by the file of SYMM_ROOT="
                                       : "at SYMM_ROOT=",
             m_job.root, " within SYMM_START_TIMEOUT seconds: ", m_why_not));
  }

 private:
  /// Connects to PE 0. Returns nullopt if PE 0 is not at that address (anymore)
  /// or if PE 0 has dropped a connection.
  std::optional<TcpLinks> try_host(std::string const& host,
                                   TcpPlace const& place) {
    TcpLinks links;
    m_hello.key = place.key;
    ++m_hello.attempt;
    for (auto const purpose : {TcpPurpose::life, TcpPurpose::steps}) {
      auto socket     = connect_to(host, place.port);
      m_hello.purpose = purpose;
      if (!socket) return std::nullopt;
      // The send does not block: a new connection has room for the message.
      auto const sent = uninterrupted([&] {
        return ::send(socket.get(), &m_hello, sizeof m_hello, MSG_NOSIGNAL);
      });
      if (sent != static_cast<ssize_t>(sizeof m_hello)) return std::nullopt;
      (purpose == TcpPurpose::life ? links.lives : links.steps)
          .push_back(std::move(socket));
    }
    auto answer = wait_for_answer(links.steps[0], links.lives[0]);
    if (!answer) return std::nullopt;
    if (answer->kind == TcpAnswer::Kind::let_in) return links;
    answer->why.back() = '\0';
    if (answer->kind == TcpAnswer::Kind::given_up)
      throw SystemError(Text("symm::initialize: ", answer->why.data()));
    throw UsageError(Text("symm::initialize: PE ", m_job.my_pe,
                          " was rejected: ", answer->why.data()));
  }

  /// Waits for the answer, which PE 0 sends once all PEs have connected.
  /// Returns nullopt if PE 0 has dropped a connection.
  std::optional<TcpAnswer> wait_for_answer(UniqueFd const& steps,
                                           UniqueFd const& life) const {
    std::array events{pollfd{steps.get(), POLLIN, 0},
                      pollfd{life.get(), POLLIN, 0}};
    TcpAnswer answer;
    while (poll_until(events, m_last) > 0) {
      if (events[0].revents != 0) {
        if (failure_of(
                [&] { receive_all(steps, &answer, sizeof answer, 0, m_last); }))
          return std::nullopt;
        return answer;
      }
      auto const bytes = uninterrupted([&] {
        return ::recv(life.get(), &answer, sizeof answer,
                      MSG_DONTWAIT | MSG_PEEK);
      });
      if (bytes == 0 || (bytes < 0 && errno != EAGAIN)) return std::nullopt;
      if (bytes == static_cast<ssize_t>(sizeof answer)) return answer;
      // A shorter message is an exit status: the job has started and is already
      // ending, and the answer arrives on the other connection.
      if (bytes > 0) events[1].fd = -1;
    }
    return std::nullopt;
  }

  TcpJob const& m_job;
  Deadline m_deadline;
  Deadline m_last;
  TcpHello m_hello;
  Text m_why_not;
};

}  // namespace

TcpLinks connect_by_tcp(TcpJob const& job) {
  if (job.n_pes == 1) {
    TcpLinks links;
    links.steps.resize(1);
    links.lives.resize(1);
    return links;
  }
  Deadline const deadline(job.timeout);
  return job.my_pe == 0 ? accept_others(job, deadline)
                        : Search(job, deadline).run();
}

}  // namespace symm::Impl
