// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SilentSockets.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// Whether accept4() has failed because of only one connection. Linux also
/// returns network errors that are already pending on the new socket.
bool is_of_connection(int error) {
  return error == ECONNABORTED || error == EPROTO || error == ENOPROTOOPT ||
         error == ENETDOWN || error == ENETUNREACH || error == EHOSTDOWN ||
         error == EHOSTUNREACH || error == ENONET;
}

}  // namespace

bool SilentSockets::is_lack(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

bool SilentSockets::drop_oldest() {
  if (m_sockets.empty()) return false;
  m_sockets.erase(m_sockets.begin());
  return true;
}

int SilentSockets::accept_some() {
  for (std::size_t i = 0; i < m_most; ++i) {
    UniqueFd socket(uninterrupted([&] {
      return ::accept4(m_listener.get(), nullptr, nullptr,
                       SOCK_CLOEXEC | SOCK_NONBLOCK);
    }));
    if (socket) {
      m_sockets.push_back(std::move(socket));
    } else if (errno == EAGAIN) {
      return 0;
    } else if (is_lack(errno)) {
      return errno;
    } else if (!is_of_connection(errno)) {
      throw SystemError("connecting PEs", "accept4", errno);
    }
  }
  return 0;
}

void SilentSockets::throw_lack(int error) {
  throw SystemError("connecting PEs", "accept4", error);
}

}  // namespace symm::Impl
