// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "UcxDescriptors.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "../base/Interrupted.hpp"
#include "../base/UniqueFd.hpp"
#include "../symm_errors.hpp"
#include "Descriptors.hpp"

namespace symm::Impl {

namespace {

constexpr char const* what_finds = "finding UCX's file descriptors";

// Functions that run in a forked child call only async-signal-safe functions.

/// UCX's epoll sets in this process; -1: none.
std::array<std::atomic<int>, 2> s_sets{-1, -1};

/// Reads the number after `name` in a line such as "tfd: 19 events: 19
/// ino:a0d".
template <class Number>
bool read_field(std::string_view line, std::string_view name, int base,
                Number& number) noexcept {
  auto const at = line.find(name);
  if (at == std::string_view::npos) return false;
  line.remove_prefix(at + name.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  auto const* const end = line.data() + line.size();
  return std::from_chars(line.data(), end, number, base).ec == std::errc();
}

/// Calls body(descriptor, its file status) for each descriptor that an epoll
/// set watches.
template <class Body>
void for_each_watched(int set, Body const& body) noexcept {
  constexpr std::string_view folder = "/proc/self/fdinfo/";
  std::array<char, 64> path{};
  folder.copy(path.data(), path.size());
  std::to_chars(path.data() + folder.size(), path.data() + path.size() - 1,
                set);
  UniqueFd const file(
      uninterrupted([&] { return ::open(path.data(), O_RDONLY | O_CLOEXEC); }));
  if (!file) return;
  std::array<char, 4096> text;
  std::size_t bytes = 0;
  while (true) {
    auto const got = uninterrupted([&] {
      return ::read(file.get(), text.data() + bytes, text.size() - bytes);
    });
    if (got <= 0) return;
    std::string_view rest(text.data(), bytes + static_cast<std::size_t>(got));
    for (auto end = rest.find('\n'); end != std::string_view::npos;
         end      = rest.find('\n')) {
      auto const line = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      int fd = -1;
      struct stat status {};
      if (!read_field(line, "tfd:", 10, fd) || ::fstat(fd, &status) != 0) {
        continue;
      }
      // The descriptor may meanwhile refer to another file, which has a
      // different inode. Old systems do not report the inode.
      ino_t inode        = 0;
      bool const is_told = read_field(line, "ino:", 16, inode);
      if (!is_told || inode == status.st_ino) body(fd, status);
    }
    bytes = rest.size();
    std::memmove(text.data(), rest.data(), bytes);
  }
}

/// Calls `body` for all descriptors that UCX's epoll sets watch.
template <class Body>
void for_each_of_ucx(Body const& body) noexcept {
  for (auto const& set : s_sets) {
    if (set < 0) continue;
    for_each_watched(set, [&](int fd, struct stat const& status) {
      // The descriptor may itself be an epoll set, which watches one
      // transport's connections.
      if (!S_ISSOCK(status.st_mode)) for_each_watched(fd, body);
      body(fd, status);
    });
  }
}

/// Called in a forked child. The parent's connections stay open.
void close_sockets_in_child() noexcept {
  for_each_of_ucx([](int fd, struct stat const& status) {
    if (S_ISSOCK(status.st_mode)) static_cast<void>(::close(fd));
  });
  for (auto& set : s_sets) set = -1;
}

/// Returns the UCX thread's epoll set, or -1 if there is none. UCX adds new
/// events to this set.
int find_set_of_thread(Ucp const& ucp) {
  UniqueFd const event(::eventfd(0, EFD_CLOEXEC));
  if (!event) throw SystemError(what_finds, "eventfd", errno);
  auto const never = [](int, ucs_event_set_types_t, void*) {};
  ucp.check(ucp.ucs_async_set_event_handler(UCS_ASYNC_MODE_THREAD_SPINLOCK,
                                            event.get(), UCS_EVENT_SET_EVREAD,
                                            never, nullptr, nullptr),
            what_finds, "ucs_async_set_event_handler");
  int found = -1;
  for_each_descriptor([&](int set) {
    for_each_watched(set, [&](int fd, struct stat const&) {
      if (fd == event.get()) found = set;
    });
  });
  ucp.check(ucp.ucs_async_remove_handler(event.get(), 1), what_finds,
            "ucs_async_remove_handler");
  return found;
}

}  // namespace

void UcxDescriptors::start(Ucp const& ucp, int worker_set) {
  static bool is_registered = false;
  if (!is_registered) {
    if (int const error =
            ::pthread_atfork(nullptr, nullptr, close_sockets_in_child)) {
      throw SystemError(what_finds, "pthread_atfork", error);
    }
    is_registered = true;
  }
  s_sets[0] = worker_set;
  s_sets[1] = find_set_of_thread(ucp);
  for (auto const& set : s_sets) {
    if (set >= 0) close_on_exec(set);
  }
  look();
  // Also set close-on-exec on the write ends of UCX's pipes, which no epoll set
  // watches.
  for_each_of_ucx([](int, struct stat const& status) {
    if (!S_ISFIFO(status.st_mode)) return;
    for_each_descriptor([&](int fd) {
      struct stat other {};
      if (::fstat(fd, &other) == 0 && S_ISFIFO(other.st_mode) &&
          other.st_ino == status.st_ino && other.st_dev == status.st_dev) {
        close_on_exec(fd);
      }
    });
  });
}

void UcxDescriptors::forget() noexcept {
  for (auto& set : s_sets) set = -1;
}

void UcxDescriptors::look() noexcept {
  int n_found = 0;
  for_each_of_ucx([&](int fd, struct stat const&) {
    close_on_exec(fd);
    ++n_found;
  });
  m_n_found = n_found;
}

}  // namespace symm::Impl
