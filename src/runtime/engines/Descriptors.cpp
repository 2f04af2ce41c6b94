// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Descriptors.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

namespace symm::Impl {

namespace {

bool is_inheritable(int fd) {
  int const flags = ::fcntl(fd, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

}  // namespace

void close_on_exec(int fd) noexcept {
  // There are no other descriptor flags to preserve. If `fd` is closed
  // meanwhile, the call fails, which is harmless.
  static_cast<void>(::fcntl(fd, F_SETFD, FD_CLOEXEC));
}

void for_each_descriptor(std::function<void(int fd)> const& body) {
  std::unique_ptr<DIR, int (*)(DIR*)> const folder(::opendir("/proc/self/fd"),
                                                   ::closedir);
  if (!folder) return;
  while (auto const* const entry = ::readdir(folder.get())) {
    std::string_view const name = entry->d_name;
    int fd                      = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd >= 0 && fd != ::dirfd(folder.get())) body(fd);
  }
}

std::set<int> inheritable_descriptors() {
  std::set<int> found;
  for_each_descriptor([&](int fd) {
    if (is_inheritable(fd)) found.insert(fd);
  });
  return found;
}

void close_sockets_on_exec(
    std::function<bool(sockaddr_storage const&)> const& is_library) {
  for_each_descriptor([&](int fd) {
    if (!is_inheritable(fd)) return;
    for (auto* const ask : {::getsockname, ::getpeername}) {
      sockaddr_storage address{};
      socklen_t bytes = sizeof address;
      if (ask(fd, reinterpret_cast<sockaddr*>(&address), &bytes) == 0 &&
          is_library(address)) {
        close_on_exec(fd);
      }
    }
  });
}

bool is_same_address(sockaddr_storage const& a, sockaddr_storage const& b) {
  if (a.ss_family != b.ss_family) return false;
  if (a.ss_family == AF_INET) {
    auto const& x = reinterpret_cast<sockaddr_in const&>(a);
    auto const& y = reinterpret_cast<sockaddr_in const&>(b);
    return x.sin_port == y.sin_port && x.sin_addr.s_addr == y.sin_addr.s_addr;
  }
  if (a.ss_family != AF_INET6) return false;
  auto const& x = reinterpret_cast<sockaddr_in6 const&>(a);
  auto const& y = reinterpret_cast<sockaddr_in6 const&>(b);
  return x.sin6_port == y.sin6_port &&
         std::memcmp(&x.sin6_addr, &y.sin6_addr, sizeof x.sin6_addr) == 0;
}

}  // namespace symm::Impl
