// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_UCX_DESCRIPTORS_HPP
#define SYMM_TRANSPORT_UCX_DESCRIPTORS_HPP

#include <atomic>

#include "Ucp.hpp"

namespace symm::Impl {

/// The file descriptors of UCX, which it opens without O_CLOEXEC. A program
/// that a PE has started would keep its connections open, and other PEs would
/// not notice its death.
///
/// They are those that UCX's epoll sets watch, as /proc tells: the worker's
/// set, that of UCX's thread, and those in them. Where there is no /proc, none
/// are known.
class UcxDescriptors {
 public:
  UcxDescriptors()                                 = default;
  UcxDescriptors(UcxDescriptors const&)            = delete;
  UcxDescriptors& operator=(UcxDescriptors const&) = delete;
  ~UcxDescriptors() { forget(); }

  /// Closes those on exec() from now on, and the sockets among them in
  /// processes that fork. \param worker_set ucp_worker_get_efd() has told it.
  /// \throws SystemError.
  void start(Ucp const& ucp, int worker_set);
  /// Before the worker is destroyed.
  void forget() noexcept;

  /// Closes on exec() what UCX has opened since. Any thread.
  void look() noexcept;
  /// The same after each new connection; where there are many, which takes its
  /// time, the next look() will do.
  void look_if_few() noexcept {
    if (m_n_found < few) look();
  }

 private:
  static constexpr int few = 64;

  std::atomic<int> m_n_found{0};  // by the last look
};

}  // namespace symm::Impl

#endif
