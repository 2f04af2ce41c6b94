// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_SHARED_HPP
#define SYMM_TEST_SHARED_HPP

#include <sys/mman.h>

#include <cerrno>
#include <new>

#include <runtime/symm_errors.hpp>

namespace symm_test {

/// One T that this process shares with the processes that it forks later. Each
/// process destroys its own Shared; the T itself is never destroyed.
template <class T>
class Shared {
 public:
  Shared() {
    void* const memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw symm::SystemError("Shared", "mmap", errno);
    m_value = new (memory) T{};
  }
  Shared(Shared const&)            = delete;
  Shared& operator=(Shared const&) = delete;
  ~Shared() { static_cast<void>(::munmap(m_value, sizeof(T))); }

  T& operator*() const { return *m_value; }
  T* operator->() const { return m_value; }

 private:
  T* m_value = nullptr;
};

}  // namespace symm_test

#endif
