// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_CHECK_HPP
#define SYMM_GPU_KERNEL_CHECK_HPP

#include "../../base/Check.hpp"
#include "../../base/Function.hpp"

#ifdef SYMM_COMPILES_KERNELS
#ifdef SYMM_CHECK

#include <cstddef>
#include <cstdint>

#include <symm_gpu/KernelRuntime.hpp>

#include "../../check/Shadow.hpp"

// The functions with which kernels report to the race detector
// (base/Check.hpp).

namespace symm::Impl::check::OnGpu {

/// The shadow for the kernels in this source file; null without race detection.
/// Like the module's ring, it is set through ProxyOfModule.hpp.
static __constant__ Shadow* shadow_of_module = nullptr;

static inline void set_shadow_of_module(Shadow* shadow) {
  set_constant("symm::initialize", shadow_of_module, shadow);
}

/// The `caller` of Shadow's functions for a kernel that performs an operation
/// of kind `deed`.
struct KernelCaller {
  Shadow& shadow;
  KernelDeed deed;

  [[nodiscard]] __device__ Access make(bool is_write, Part part,
                                       bool is_atomic = false) const {
    return {is_write, part, shadow.clocks.use(part), is_atomic,
            shadow.kernel_site(deed)};
  }
  /// Records an access to memory of this PE if it is in the symmetric heap.
  __device__ void here(void const* address, std::size_t bytes,
                       Access const& access) const {
    if (shadow.is_in_heap(address)) {
      shadow.note(shadow.where(address), bytes, access);
    }
  }
  __device__ void there(Where where, std::size_t bytes,
                        Access const& access) const {
    shadow.note(where, bytes, access);
  }
};

template <int>
__noinline__ __device__ void access(void const* address, std::size_t bytes,
                                    bool is_write, bool is_atomic) {
  if (shadow_of_module == nullptr || shadow_of_module->hides_kernel()) return;
  KernelCaller const caller{*shadow_of_module, KernelDeed::access};
  caller.here(
      address, bytes,
      caller.make(is_write, is_write ? Part::stores : Part::loads, is_atomic));
}

template <int>
__noinline__ __device__ void copy(void const* dest, void const* source,
                                  std::size_t bytes, Pe pe, bool is_put,
                                  bool is_later) {
  if (shadow_of_module == nullptr) return;
  shadow_of_module->copy(
      KernelCaller{*shadow_of_module,
                   is_put ? KernelDeed::put : KernelDeed::get},
      dest, source, bytes, pe, is_put, is_later);
}

template <int>
__noinline__ __device__ void atomic(void const* address, std::size_t bytes,
                                    Pe pe, AtomicKind kind, void const*) {
  if (shadow_of_module == nullptr) return;
  shadow_of_module->atomic(KernelCaller{*shadow_of_module, KernelDeed::atomic},
                           address, bytes, pe, kind);
}

template <int>
__noinline__ __device__ void put_signal(void const* dest, void const* source,
                                        std::size_t bytes, void const* signal,
                                        Pe pe, bool adds, bool is_later) {
  if (shadow_of_module == nullptr) return;
  shadow_of_module->put_signal(
      KernelCaller{*shadow_of_module, KernelDeed::put_signal}, dest, source,
      bytes, signal, pe, adds, is_later, true);
}

inline __device__ void fence() {
  if (shadow_of_module != nullptr) shadow_of_module->clocks.fence();
}

inline __device__ void quiet() {
  if (shadow_of_module != nullptr) shadow_of_module->clocks.quiet();
}

template <int>
__noinline__ __device__ void seen(void const* variable) {
  if (shadow_of_module != nullptr) shadow_of_module->seen(variable);
}

template <int>
__noinline__ __device__ void use_blocks(void const* dest,
                                        std::size_t dest_bytes,
                                        void const* source,
                                        std::size_t source_bytes) {
  if (shadow_of_module == nullptr) return;
  KernelCaller const caller{*shadow_of_module, KernelDeed::access};
  caller.here(source, source_bytes, caller.make(false, Part::loads));
  caller.here(dest, dest_bytes, caller.make(true, Part::stores));
}

template <int>
__noinline__ __device__ int begin_meeting(std::uint64_t key) {
  return shadow_of_module == nullptr ? -1
                                     : shadow_of_module->begin_meeting(key);
}

template <int>
__noinline__ __device__ void end_meeting(int place) {
  if (shadow_of_module != nullptr) shadow_of_module->end_meeting(place);
}

}  // namespace symm::Impl::check::OnGpu

#else

namespace symm::Impl::check {
class Shadow;

namespace OnGpu {
inline void set_shadow_of_module(Shadow*) {}
}  // namespace OnGpu
}  // namespace symm::Impl::check

#endif
#endif
#endif
