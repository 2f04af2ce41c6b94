// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_UCX_DESCRIPTORS_HPP
#define SYMM_ENGINES_UCX_DESCRIPTORS_HPP

#include <atomic>

#include "Ucp.hpp"

namespace symm::Impl {

/// Sets close-on-exec on UCX's file descriptors, because UCX does not.
/// Otherwise, a program started by a PE would keep the PE's connections open,
/// and other PEs would not notice the PE's death.
///
/// /proc shows which descriptors UCX's epoll sets watch: the worker's set, the
/// UCX thread's set, and the sets nested in these. Without /proc, UCX's
/// descriptors cannot be found.
class UcxDescriptors {
 public:
  UcxDescriptors()                                 = default;
  UcxDescriptors(UcxDescriptors const&)            = delete;
  UcxDescriptors& operator=(UcxDescriptors const&) = delete;
  ~UcxDescriptors() { forget(); }

  /// After this call, exec() closes UCX's descriptors, and a forked child
  /// closes UCX's sockets.
  /// \param worker_set The result of ucp_worker_get_efd().
  /// \throws SystemError.
  void start(Ucp const& ucp, int worker_set);
  /// Must be called before the worker is destroyed.
  void forget() noexcept;

  /// Sets close-on-exec on the descriptors that UCX has opened since the last
  /// look(). Callable from any thread.
  void look() noexcept;
  /// Must be called after each new connection. Calls look() unless there are
  /// many descriptors. In that case, look() would take too long here, and the
  /// next regular call to look() finds the new descriptors.
  void look_if_few() noexcept {
    if (m_n_found < few) look();
  }

 private:
  static constexpr int few = 64;

  std::atomic<int> m_n_found{0};  // number found by the last look()
};

}  // namespace symm::Impl

#endif
