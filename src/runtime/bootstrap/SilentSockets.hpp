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

/// A listening socket, and its connections on which the other end has not yet
/// identified itself.
///
/// Any program may open connections and send nothing. If there are more of
/// these silent connections than this PE keeps or can open, it drops the oldest
/// ones. This does not affect PEs, which identify themselves immediately.
class SilentSockets {
 public:
  /// \param listener a non-blocking socket.
  /// \param most the maximum number of silent connections to keep.
  SilentSockets(UniqueFd listener, std::size_t most)
      : m_listener(std::move(listener)), m_most(most) {}

  [[nodiscard]] UniqueFd const& listener() const { return m_listener; }
  [[nodiscard]] std::vector<UniqueFd> const& sockets() const {
    return m_sockets;
  }

  /// Accepts new connections, up to the maximum that this object keeps, then
  /// calls `settle` for each silent connection. The sockets are non-blocking.
  /// \param settle settle(socket) returns whether the connection no longer
  ///        counts as silent: settle() has moved the socket elsewhere, or the
  ///        socket does not belong to a PE.
  /// \throws SystemError on this PE.
  template <class Settle>
  void look(Settle const& settle) {
    int const lack = accept_some();
    std::erase_if(m_sockets, settle);
    if (lack != 0 && !drop_oldest()) throw_lack(lack);
    while (m_sockets.size() > m_most) drop_oldest();
  }

  /// Opens another descriptor, dropping silent connections if necessary. Must
  /// not be called from within look().
  /// \param open a system call that returns the descriptor.
  /// \returns the result of the last call to `open`, with errno as that call
  ///          left it.
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
  /// Whether a call has failed for lack of a resource that dropping connections
  /// would free.
  [[nodiscard]] static bool is_lack(int error);
  /// \returns errno if this process cannot open any more connections; otherwise
  ///          0.
  [[nodiscard]] int accept_some();
  [[noreturn]] static void throw_lack(int error);
  /// Drops the oldest silent connection. Returns false if there is none.
  bool drop_oldest();

  UniqueFd m_listener;
  std::size_t m_most;
  std::vector<UniqueFd> m_sockets;  // oldest first
};

}  // namespace symm::Impl

#endif
