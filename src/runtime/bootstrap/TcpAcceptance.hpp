// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TCP_ACCEPTANCE_HPP
#define SYMM_TCP_ACCEPTANCE_HPP

#include <cstdint>
#include <map>
#include <string_view>

#include "../base/Deadline.hpp"
#include "../base/Types.hpp"
#include "../base/UniqueFd.hpp"
#include "SilentSockets.hpp"
#include "TcpJob.hpp"
#include "TcpMessages.hpp"

namespace symm::Impl {

/// On PE 0, accepts connections from the other PEs. Allocates memory only for
/// PEs that have connected, because a wrong SYMM_PES may be arbitrarily large.
class TcpAcceptance {
 public:
  /// \param job must outlive this object.
  /// \param key the job's key, which the other PEs present.
  TcpAcceptance(TcpJob const& job, UniqueFd listener, std::uint64_t key);

  /// \throws SystemError on this PE if not all PEs have connected before the
  ///         deadline. PE 0 then also sends the reason to the PEs that have
  ///         connected.
  [[nodiscard]] TcpLinks accept_all(Deadline const& deadline);

 private:
  /// A PE that has connected, even if its connections have since closed.
  struct Member {
    std::uint64_t process = 0;  // TcpHello::process
    std::uint32_t attempt = 0;  // TcpHello::attempt
    UniqueFd steps;
    UniqueFd life;

    [[nodiscard]] bool is_complete() const { return steps && life; }
    /// Whether both connections are still open; false if the PE has ended.
    [[nodiscard]] bool is_there() const;
  };

  [[nodiscard]] int n_missing() const { return m_job.n_pes - 1 - m_n_complete; }
  [[noreturn]] void give_up();
  [[nodiscard]] bool hear(UniqueFd& socket);
  void join(TcpHello const& hello, UniqueFd& socket);
  [[nodiscard]] TcpLinks links();

  TcpJob const& m_job;
  std::uint64_t m_key;
  SilentSockets m_silent;
  std::map<Pe, Member> m_members;
  int m_n_complete = 0;
};

}  // namespace symm::Impl

#endif
