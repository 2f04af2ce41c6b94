// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TcpAcceptance.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <utility>

#include "../base/Interrupted.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "TcpSockets.hpp"

namespace symm::Impl {

namespace {

/// The maximum number of open connections that have not sent a TcpHello.
constexpr std::size_t max_silent_tcp = 256;
/// The maximum number of PEs that an error message names.
constexpr int max_named = 8;
/// The interval at which PE 0 checks silent connections.
constexpr auto silent_pause = std::chrono::milliseconds(20);

/// Answers a PE. The send may fail if the PE has ended; PE 0 then notices that
/// the connection is closed.
void answer(UniqueFd const& socket, TcpAnswer const& message) {
  static_cast<void>(uninterrupted([&] {
    return ::send(socket.get(), &message, sizeof message,
                  MSG_NOSIGNAL | MSG_DONTWAIT);
  }));
}

void refuse(UniqueFd const& socket, Text const& why) {
  answer(socket, TcpAnswer(TcpAnswer::Kind::refused, why));
}

}  // namespace

TcpAcceptance::TcpAcceptance(TcpJob const& job, UniqueFd listener,
                             std::uint64_t key)
    : m_job(job), m_key(key), m_silent(std::move(listener), max_silent_tcp) {}

TcpLinks TcpAcceptance::accept_all(Deadline const& deadline) {
  while (n_missing() > 0) {
    if (deadline.is_over()) give_up();
    m_silent.look([&](UniqueFd& socket) { return hear(socket); });
    if (n_missing() == 0) break;
    std::array events{pollfd{m_silent.listener().get(), POLLIN, 0}};
    if (poll_until(events, Deadline(silent_pause)) < 0)
      throw SystemError("symm::initialize by TCP", "poll", errno);
  }
  return links();
}

TcpLinks TcpAcceptance::links() {
  TcpLinks links;
  links.steps.resize(index_of(m_job.n_pes));
  links.lives.resize(index_of(m_job.n_pes));
  for (auto& [pe, member] : m_members) {
    answer(member.steps, TcpAnswer());
    links.steps[index_of(pe)] = std::move(member.steps);
    links.lives[index_of(pe)] = std::move(member.life);
  }
  return links;
}

bool TcpAcceptance::Member::is_there() const {
  return is_open(steps) && is_open(life);
}

void TcpAcceptance::give_up() {
  auto const n_there =
      std::count_if(m_members.begin(), m_members.end(),
                    [](auto const& entry) { return entry.second.is_there(); });
  int const n_missing = m_job.n_pes - 1 - static_cast<int>(n_there);
  Text why(n_missing > 1 ? "PEs" : "PE");
  int n_named = 0;
  for (Pe pe = 1; n_named < std::min(n_missing, max_named); ++pe) {
    auto const member = m_members.find(pe);
    if (member != m_members.end() && member->second.is_there()) continue;
    why.append(n_named++ == 0 ? " " : ", ", pe);
  }
  why.append(n_missing > n_named ? " and others have"
             : n_named > 1       ? " have"
                                 : " has",
             " not connected to PE 0 (",
             m_job.share ? "" : "SYMM_ROOT=", m_job.root,
             ") within SYMM_START_TIMEOUT seconds, or ended since: ", n_missing,
             " of ", m_job.n_pes, " PEs are missing");
  for (auto const& [pe, member] : m_members) {
    if (member.steps)
      answer(member.steps, TcpAnswer(TcpAnswer::Kind::given_up, why));
  }
  throw SystemError(Text("symm::initialize: ", why));
}

/// Whether this connection is settled: it belongs to a PE, does not belong to
/// any PE, or is closed.
bool TcpAcceptance::hear(UniqueFd& socket) {
  TcpHello hello;
  auto const receive = [&](int flags) {
    return uninterrupted(
        [&] { return ::recv(socket.get(), &hello, sizeof hello, flags); });
  };
  auto const bytes = receive(MSG_PEEK);
  if (bytes < 0) return errno != EAGAIN;
  if (bytes == 0) return true;
  if (bytes < static_cast<ssize_t>(sizeof hello)) return false;
  static_cast<void>(receive(0));  // the whole message has arrived
  if (hello.magic != TcpHello().magic || hello.key != m_key ||
      hello.purpose > TcpPurpose::life)
    return true;
  if (hello.n_pes != m_job.n_pes || hello.pe < 1 || hello.pe >= m_job.n_pes) {
    refuse(socket,
           Text("PE 0 has a job of ", m_job.n_pes,
                " PEs, but this process is PE ", hello.pe, " of ", hello.n_pes,
                "; start all PEs with the same SYMM_PES, and number SYMM_PE "
                "from 0"));
    return true;
  }
  join(hello, socket);
  return true;
}

void TcpAcceptance::join(TcpHello const& hello, UniqueFd& socket) {
  auto& member       = m_members[hello.pe];
  bool const is_same = member.process == hello.process;
  // The process has given up on this attempt.
  if (is_same && hello.attempt < member.attempt) return;
  if (!is_same && (is_open(member.life) || is_open(member.steps))) {
    return refuse(socket,
                  Text("PE ", hello.pe,
                       " has already connected; two processes have "
                       "this SYMM_PE, or two jobs have this SYMM_ROOT"));
  }
  m_n_complete -= member.is_complete() ? 1 : 0;
  if (!is_same || hello.attempt > member.attempt)
    member = {hello.process, hello.attempt, {}, {}};
  set_tcp_options(socket);
  (hello.purpose == TcpPurpose::steps ? member.steps : member.life) =
      std::move(socket);
  m_n_complete += member.is_complete() ? 1 : 0;
}

}  // namespace symm::Impl
