// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_WORDS_HPP
#define SYMM_GPU_KERNEL_WORDS_HPP

namespace symm::Impl::InKernel {

// A build without GPU support has no kernels, but tests of packets on the host.
inline constexpr bool has_two_words = true;

}  // namespace symm::Impl::InKernel

#endif
