// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_INSTANCES_HIDDEN_HPP
#define SYMM_TEST_INSTANCES_HIDDEN_HPP

#include <runtime/base/Observer.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/transport/Transport.hpp>

namespace symm_test {

/// What the inline functions of headers find where they are compiled.
struct Instances {
  symm::Impl::Transport* transport = nullptr;
  bool has_drained                 = false;
  bool is_observed                 = false;

  /// \param drained is set by drain() of the KernelRequests.
  static Instances here(bool const& drained) {
    auto* const transport = symm::Impl::Runtime::find_transport();
    transport->drain_kernels();
    return {transport, drained, symm::Impl::is_observed()};
  }

  friend bool operator==(Instances const&, Instances const&) = default;
};

/// In a shared library whose symbols are hidden, but for this function.
[[gnu::visibility("default")]] Instances instances_of_hidden_library(
    bool const& drained);

}  // namespace symm_test

#endif
