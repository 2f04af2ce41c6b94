// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_UCX_DESCRIPTORS_HPP
#define SYMM_ENGINES_UCX_DESCRIPTORS_HPP

#include <atomic>

#include "Ucp.hpp"

namespace symm::Impl {

/// Sets close-on-exec for the file descriptors of UCX, which it opens without.
/// Else a program that a PE has started would keep the PE's connections open,
/// and other PEs would not notice its death.
///
/// UCX's descriptors are those that its epoll sets watch, as /proc tells: the
/// worker's set, that of UCX's thread, and sets in them. Without /proc, none
/// are known.
class UcxDescriptors {
 public:
  UcxDescriptors()                                 = default;
  UcxDescriptors(UcxDescriptors const&)            = delete;
  UcxDescriptors& operator=(UcxDescriptors const&) = delete;
  ~UcxDescriptors() { forget(); }

  /// From now on exec() closes UCX's descriptors, and a forked child its
  /// sockets.
  /// \param worker_set the result of ucp_worker_get_efd().
  /// \throws SystemError.
  void start(Ucp const& ucp, int worker_set);
  /// To be called before the worker is destroyed.
  void forget() noexcept;

  /// Sets close-on-exec for what UCX has opened since. Any thread.
  void look() noexcept;
  /// The same, after each new connection. With many descriptors this would take
  /// long, and the next look() does it.
  void look_if_few() noexcept {
    if (m_n_found < few) look();
  }

 private:
  static constexpr int few = 64;

  std::atomic<int> m_n_found{0};  // by the last look
};

}  // namespace symm::Impl

#endif
