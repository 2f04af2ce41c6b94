// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_UNIQUE_FD_HPP
#define SYMM_UNIQUE_FD_HPP

#include <unistd.h>

#include <utility>

#include "Types.hpp"

namespace symm::Impl {

/// Owns one file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : m_fd(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    UniqueFd(std::move(other)).swap(*this);
    return *this;
  }
  UniqueFd(UniqueFd const&)            = delete;
  UniqueFd& operator=(UniqueFd const&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }

  /// Gives up ownership: the caller must close the returned descriptor.
  [[nodiscard]] int release() noexcept { return std::exchange(m_fd, -1); }
  void swap(UniqueFd& other) noexcept { std::swap(m_fd, other.m_fd); }
  void reset() noexcept {
    // The owner cannot act on a failure of close(). Even then, Linux frees the
    // descriptor, and these files have no unwritten data to lose.
    if (m_fd >= 0) ::close(std::exchange(m_fd, -1));
  }

 private:
  int m_fd = -1;
};

}  // namespace symm::Impl

#endif
