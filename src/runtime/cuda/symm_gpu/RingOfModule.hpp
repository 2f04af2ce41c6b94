// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_RING_OF_MODULE_HPP
#define SYMM_GPU_RING_OF_MODULE_HPP

#ifdef __CUDACC__

#include "../../memory/FarRing.hpp"
#include "../CudaCheck.hpp"

// The pointer to the ring for the kernels of this source; null in jobs of one
// node. Without relocatable device code each source has its own variable;
// set_ring_of_kernels() sets them all. A constant takes no register.

namespace symm::Impl::InKernel {

static __constant__ FarRing* ring_of_module = nullptr;

}  // namespace symm::Impl::InKernel

namespace symm::Impl {

static inline void set_ring_of_module(FarRing* ring) {
  check_cuda(cudaMemcpyToSymbol(InKernel::ring_of_module, &ring, sizeof ring),
             "symm::initialize", "cudaMemcpyToSymbol");
}

/// Registers the kernels of this source; each source has its own object.
class ThisKernelModule {
 public:
  explicit ThisKernelModule(void (*set_ring)(FarRing*)) : m_module{set_ring} {
    add_kernel_module(m_module);
  }
  ~ThisKernelModule() { remove_kernel_module(m_module); }
  ThisKernelModule(ThisKernelModule const&)            = delete;
  ThisKernelModule& operator=(ThisKernelModule const&) = delete;

 private:
  KernelModule m_module;
};

static ThisKernelModule s_this_kernel_module(set_ring_of_module);

}  // namespace symm::Impl

#endif
#endif
