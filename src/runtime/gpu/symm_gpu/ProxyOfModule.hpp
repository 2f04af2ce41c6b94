// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_PROXY_OF_MODULE_HPP
#define SYMM_GPU_PROXY_OF_MODULE_HPP

#include "../../base/Function.hpp"

#ifdef SYMM_COMPILES_KERNELS

#include <symm_gpu/KernelRuntime.hpp>

#include "../../memory/ProxyQueue.hpp"
#include "KernelCheck.hpp"

// The pointer to the ring, for the kernels in this source file; null in jobs on
// one node. Without relocatable device code, each source file has its own
// variable; set_ring_of_kernels() sets all of them. Because the pointer is in
// constant memory, it occupies no register.

namespace symm::Impl::InKernel {

static __constant__ ProxyQueue* ring_of_module = nullptr;

}  // namespace symm::Impl::InKernel

namespace symm::Impl {

static inline void set_ring_of_module(ProxyQueue* ring) {
  set_constant("symm::initialize", InKernel::ring_of_module, ring);
}

static inline void set_shadow_of_module(check::Shadow* shadow) {
  check::OnGpu::set_shadow_of_module(shadow);
}

/// Registers the kernels in this source file. Each source file has its own
/// object of this class.
class ThisKernelModule {
 public:
  explicit ThisKernelModule(KernelModule const& module) : m_module(module) {
    add_kernel_module(m_module);
  }
  ~ThisKernelModule() { remove_kernel_module(m_module); }
  ThisKernelModule(ThisKernelModule const&)            = delete;
  ThisKernelModule& operator=(ThisKernelModule const&) = delete;

 private:
  KernelModule m_module;
};

static ThisKernelModule s_this_kernel_module({set_ring_of_module,
                                              set_shadow_of_module});

}  // namespace symm::Impl

#endif
#endif
