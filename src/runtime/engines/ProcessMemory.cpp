// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ProcessMemory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "../base/RandomNumber.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

// The words of a key.
constexpr std::size_t process        = 0;
constexpr std::size_t secret         = 1;
constexpr std::size_t secret_address = 2;

void* pointer_of(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

/// \param copy process_vm_readv or process_vm_writev.
template <class Copy>
void copy_all(Copy copy, char const* name, OneSided::Place const& there,
              void* here, std::size_t bytes) {
  auto const its_process = static_cast<pid_t>(there.key[process]);
  std::size_t done       = 0;
  while (done < bytes) {
    iovec const local{static_cast<std::byte*>(here) + done, bytes - done};
    iovec const remote{pointer_of(there.address + done), bytes - done};
    auto const n = copy(its_process, &local, 1, &remote, 1, 0);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      throw SystemError(Text("copying ", bytes - done, " of ", bytes,
                             " bytes to or from PE ", there.pe),
                        name, n == 0 ? EFAULT : errno);
    }
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
  auto const n = ::process_vm_readv(static_cast<pid_t>(key[process]), &local, 1,
                                    &remote, 1, 0);
  return n == static_cast<ssize_t>(sizeof found) && found == key[secret];
}

void ProcessMemory::put(Place const& to, void const* from, std::size_t bytes,
                        std::size_t /*token*/) {
  // The kernel only reads it.
  copy_all(::process_vm_writev, "process_vm_writev", to,
           const_cast<void*>(from), bytes);
}

void ProcessMemory::get(void* to, Place const& from, std::size_t bytes,
                        std::size_t /*token*/) {
  copy_all(::process_vm_readv, "process_vm_readv", from, to, bytes);
}

}  // namespace symm::Impl
