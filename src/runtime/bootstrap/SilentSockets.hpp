// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SILENT_SOCKETS_HPP
#define SYMM_SILENT_SOCKETS_HPP

#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

#include "../base/Interrupted.hpp"
#include "../base/UniqueFd.hpp"

namespace symm::Impl {

/// A listener, and the connections that it has accepted and that have not said
/// yet whose they are.
///
/// Strangers may make any number of connections, and say nothing. Where there
/// are more than a PE keeps, or than it can open, the oldest are dropped: PEs
/// speak at once.
class SilentSockets {
 public:
  /// \param listener does not block.
  /// \param most connections that are kept.
  SilentSockets(UniqueFd listener, std::size_t most)
      : m_listener(std::move(listener)), m_most(most) {}

  [[nodiscard]] UniqueFd const& listener() const { return m_listener; }
  [[nodiscard]] std::vector<UniqueFd> const& sockets() const {
    return m_sockets;
  }

  /// Accepts connections, as many as it keeps at most, and asks about each that
  /// is silent. They do not block.
  /// \param settle settle(socket) returns whether the connection is settled: it
  ///        has taken the socket, or the socket is a stranger's.
  /// \throws SystemError on this PE.
  template <class Settle>
  void look(Settle const& settle) {
    int const lack = accept_some();
    std::erase_if(m_sockets, settle);
    if (lack != 0 && !drop_oldest()) throw_lack(lack);
    while (m_sockets.size() > m_most) drop_oldest();
  }

  /// Opens another descriptor, for which strangers have to make room.
  /// \param open a call of the system; not within look().
  /// \returns as the last call, with its errno.
  template <class Open>
  [[nodiscard]] UniqueFd open_with_room(Open const& open) {
    while (true) {
      UniqueFd opened(uninterrupted(open));
      int const error = errno;
      if (opened || !is_lack(error) || !drop_oldest()) {
        errno = error;
        return opened;
      }
    }
  }

 private:
  /// Whether a call has failed for want of something that dropped connections
  /// give back.
  [[nodiscard]] static bool is_lack(int error);
  /// \returns the error, if this process can open no more; else 0.
  [[nodiscard]] int accept_some();
  [[noreturn]] static void throw_lack(int error);
  /// False: there is none.
  bool drop_oldest();

  UniqueFd m_listener;
  std::size_t m_most;
  std::vector<UniqueFd> m_sockets;  // the oldest first
};

}  // namespace symm::Impl

#endif
