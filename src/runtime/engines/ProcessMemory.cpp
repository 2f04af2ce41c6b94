// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ProcessMemory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "../base/Interrupted.hpp"
#include "../base/RandomNumber.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

// The words of a key.
constexpr std::size_t process        = 0;
constexpr std::size_t secret         = 1;
constexpr std::size_t secret_address = 2;

pid_t process_of(OneSided::Key const& key) {
  return static_cast<pid_t>(key[process]);
}
/// Like a call of the system, with ESRCH: the PE's process is gone, and another
/// one may have its number.
ssize_t fail_of_other_process() {
  errno = ESRCH;
  return -1;
}
void* pointer_of(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

/// Calls one(done): copies what follows the first `done` bytes, and returns how
/// many it has copied, or -1.
template <class CopyOne>
void copy_all(char const* name, OneSided::Place const& there, std::size_t bytes,
              CopyOne const& one) {
  std::size_t done = 0;
  while (done < bytes) {
    auto const n = uninterrupted([&] { return one(done); });
    if (n <= 0) {
      throw SystemError(Text("copying ", bytes - done, " of ", bytes,
                             " bytes to or from PE ", there.pe),
                        name, n == 0 ? EFAULT : errno);
    }
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

ProcessMemory::ProcessMemory() : m_secret(draw_number()) {}

std::size_t ProcessMemory::least_bytes() const noexcept {
  // Measured: a put and quiet() of 520 bytes takes a tenth of a message's time.
  // Blocks of up to 512 bytes may share messages, and take less then.
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
  std::uint64_t found = ~key[secret];
  iovec const local{&found, sizeof found};
  iovec const remote{pointer_of(key[secret_address]), sizeof found};
  auto const n = uninterrupted([&] {
    return ::process_vm_readv(process_of(key), &local, 1, &remote, 1, 0);
  });
  return n == static_cast<ssize_t>(sizeof found) && found == key[secret];
}

void ProcessMemory::put(Place const& to, void const* from, std::size_t bytes,
                        std::size_t /*token*/) {
  // The kernel only reads it.
  auto* const source = static_cast<std::byte*>(const_cast<void*>(from));
  copy_all("process_vm_writev", to, bytes, [&](std::size_t done) -> ssize_t {
    if (!reaches(to.pe, to.key)) return fail_of_other_process();
    iovec const local{source + done, bytes - done};
    iovec const remote{pointer_of(to.address + done), bytes - done};
    return ::process_vm_writev(process_of(to.key), &local, 1, &remote, 1, 0);
  });
}

void ProcessMemory::get(void* to, Place const& from, std::size_t bytes,
                        std::size_t /*token*/) {
  copy_all("process_vm_readv", from, bytes, [&](std::size_t done) -> ssize_t {
    // One call has both from one process.
    std::uint64_t found = ~from.key[secret];
    std::array const local{
        iovec{&found, sizeof found},
        iovec{static_cast<std::byte*>(to) + done, bytes - done}};
    std::array const remote{
        iovec{pointer_of(from.key[secret_address]), sizeof found},
        iovec{pointer_of(from.address + done), bytes - done}};
    auto const n =
        ::process_vm_readv(process_of(from.key), local.data(), local.size(),
                           remote.data(), remote.size(), 0);
    if (n < 0) return n;
    if (found != from.key[secret]) return fail_of_other_process();
    return n - static_cast<ssize_t>(sizeof found);
  });
}

}  // namespace symm::Impl
