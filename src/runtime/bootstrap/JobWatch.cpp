// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "JobWatch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "../base/Interrupted.hpp"
#include "../base/LibraryThread.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// This process's JobWatch, if any.
std::atomic<JobWatch*> s_watch = nullptr;

}  // namespace

JobWatch::JobWatch(std::vector<UniqueFd> lives, Pe my_pe)
    : m_lives(std::move(lives)),
      m_my_pe(my_pe),
      m_wake(::eventfd(0, EFD_CLOEXEC)) {
  if (!m_wake) throw SystemError("watching PEs", "eventfd", errno);
  m_thread =
      make_library_thread("watching PEs", "symm_job", [this] { watch(); });
  s_watch = this;
}

JobWatch::~JobWatch() {
  s_watch = nullptr;
  expect_ends();
  std::uint64_t const one = 1;
  // The write cannot fail, because the counter is 0.
  static_cast<void>(!::write(m_wake.get(), &one, sizeof one));
  m_thread.join();
}

void JobWatch::end_job_of_process(int status) noexcept {
  if (auto* const watch = s_watch.load()) watch->end_job(status);
  ::_exit(status);
}

void JobWatch::end_job(int status) const noexcept {
  for (auto const& life : m_lives) {
    if (!life) continue;
    // The send may fail, because the other process may have ended, too.
    static_cast<void>(uninterrupted([&] {
      return ::send(life.get(), &status, sizeof status,
                    MSG_NOSIGNAL | MSG_DONTWAIT);
    }));
  }
  ::_exit(status);
}

void JobWatch::watch() noexcept {
  std::vector<pollfd> entries{{m_wake.get(), POLLIN, 0}};
  for (auto const& life : m_lives)
    entries.push_back({life.get(), POLLIN, 0});  // poll() skips empty
                                                 // descriptors
  while (!m_is_over) {
    int const n = uninterrupted(
        [&] { return ::poll(entries.data(), entries.size(), -1); });
    if (n < 0) {  // temporarily out of memory
      std::this_thread::sleep_for(time_to_report);
      continue;
    }
    for (std::size_t i = 1; i < entries.size() && !m_is_over; ++i) {
      if (entries[i].revents != 0) see_end(i - 1);
    }
  }
}

void JobWatch::see_end(std::size_t which) const noexcept {
  int status       = EXIT_FAILURE;
  auto const bytes = uninterrupted([&] {
    return ::recv(m_lives[which].get(), &status, sizeof status, MSG_DONTWAIT);
  });
  if (bytes < 0 && errno == EAGAIN) return;  // the process has not ended
  bool const is_told = bytes == static_cast<ssize_t>(sizeof status);
  if (!is_told) {
    std::this_thread::sleep_for(time_to_report);
    if (m_is_over) return;
    std::fprintf(stderr,
                 "symm: PE %zu has ended without symm::finalize(); ending the "
                 "job\n",
                 m_my_pe == 0 ? which : 0);
    status = EXIT_FAILURE;
  }
  end_job(status);
}

}  // namespace symm::Impl
