// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ProcessMemory.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <new>
#include <utility>

#include "../base/Deadline.hpp"
#include "../base/Interrupted.hpp"
#include "../base/RandomNumber.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

// Indices of the words in a key.
constexpr std::size_t process        = 0;
constexpr std::size_t secret         = 1;
constexpr std::size_t secret_address = 2;

pid_t process_of(OneSided::Key const& key) {
  return static_cast<pid_t>(key[process]);
}
void* pointer_of(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

/// Returns an empty descriptor if the system has no pidfd_open() or if there is
/// no such process.
UniqueFd open_process(pid_t number) {
#ifdef SYS_pidfd_open
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, number, 0)));
#else
  return {};
#endif
}

bool has_secret(OneSided::Key const& key) {
  std::uint64_t found = ~key[secret];
  iovec const local{&found, sizeof found};
  iovec const remote{pointer_of(key[secret_address]), sizeof found};
  auto const n = uninterrupted([&] {
    return ::process_vm_readv(process_of(key), &local, 1, &remote, 1, 0);
  });
  return n == static_cast<ssize_t>(sizeof found) && found == key[secret];
}

}  // namespace

ProcessMemory::ProcessMemory() : m_secret(draw_number()) {}

std::size_t ProcessMemory::least_bytes() const noexcept {
  // In measurements, a 520-byte put followed by quiet() takes a tenth of the
  // time that a message takes. Blocks of up to 512 bytes may share messages,
  // which is even faster.
  return 513;
}

OneSided::Key ProcessMemory::my_key() const noexcept {
  Key key{};
  key[process]        = static_cast<std::uint64_t>(::getpid());
  key[secret]         = m_secret;
  key[secret_address] = reinterpret_cast<std::uint64_t>(&m_secret);
  return key;
}

bool ProcessMemory::reaches(Pe /*pe*/, Key const& key) noexcept {
  // Open the process before reading the secret. Otherwise, the PID could
  // already belong to a different process by the time the process is opened.
  auto its_process = open_process(process_of(key));
  if (!has_secret(key)) return false;
  try {
    std::lock_guard const lock(m_mutex);
    if (its_process) {
      m_processes.try_emplace(key[secret], std::move(its_process));
    }
  } catch (std::bad_alloc const&) {
    // is_alive() reads the secret instead.
  }
  return true;
}

bool ProcessMemory::is_alive(Key const& key) const noexcept {
  {
    std::shared_lock const lock(m_mutex);
    auto const entry = m_processes.find(key[secret]);
    if (entry != m_processes.end()) {
      std::array end{pollfd{entry->second.get(), POLLIN, 0}};
      return poll_now(end) == 0;
    }
  }
  return has_secret(key);
}

/// \param copy Either process_vm_readv or process_vm_writev.
template <class Copy>
void ProcessMemory::copy_all(Copy copy, char const* name, Place const& there,
                             void* here, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    iovec const local{static_cast<std::byte*>(here) + done, bytes - done};
    iovec const remote{pointer_of(there.address + done), bytes - done};
    auto const fail = [&](int error) {
      throw SystemError(Text("copying ", bytes - done, " of ", bytes,
                             " bytes to or from PE ", there.pe),
                        name, error);
    };
    if (!is_alive(there.key)) fail(ESRCH);
    auto const n = uninterrupted(
        [&] { return copy(process_of(there.key), &local, 1, &remote, 1, 0); });
    if (n <= 0) fail(n == 0 ? EFAULT : errno);
    done += static_cast<std::size_t>(n);
  }
}

void ProcessMemory::put(Place const& to, void const* from, std::size_t bytes,
                        std::size_t /*token*/) {
  // The operating system only reads `from`.
  copy_all(::process_vm_writev, "process_vm_writev", to,
           const_cast<void*>(from), bytes);
}

void ProcessMemory::get(void* to, Place const& from, std::size_t bytes,
                        std::size_t /*token*/) {
  copy_all(::process_vm_readv, "process_vm_readv", from, to, bytes);
}

}  // namespace symm::Impl
