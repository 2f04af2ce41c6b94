// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ProxyQueue.hpp"

#include <cstdio>
#include <exception>
#include <mutex>

namespace symm::Impl {

namespace {

/// Never destroyed, because modules may be added before main() and removed
/// after it.
std::mutex& modules_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

KernelModule* s_modules = nullptr;
ProxyQueue* s_ring      = nullptr;
check::Shadow* s_shadow = nullptr;

}  // namespace

void add_kernel_module(KernelModule& module) noexcept {
  std::lock_guard const lock(modules_mutex());
  module.next = s_modules;
  s_modules   = &module;
  try {
    if (s_ring != nullptr) module.set_ring(s_ring);
    if (s_shadow != nullptr) module.set_shadow(s_shadow);
  } catch (std::exception const& failure) {
    // If a kernel in the module needs the missing ring, the kernel reports it.
    std::fprintf(stderr,
                 "symm: preparing the kernels of a loaded library failed: %s\n",
                 failure.what());
  }
}

void remove_kernel_module(KernelModule& module) noexcept {
  std::lock_guard const lock(modules_mutex());
  for (KernelModule** link = &s_modules; *link != nullptr;
       link                = &(*link)->next) {
    if (*link != &module) continue;
    *link = module.next;
    return;
  }
}

void set_ring_of_kernels(ProxyQueue* ring) {
  std::lock_guard const lock(modules_mutex());
  s_ring = ring;
  for (auto* module = s_modules; module != nullptr; module = module->next) {
    module->set_ring(ring);
  }
}

void set_shadow_of_kernels(check::Shadow* shadow) {
  std::lock_guard const lock(modules_mutex());
  s_shadow = shadow;
  for (auto* module = s_modules; module != nullptr; module = module->next) {
    module->set_shadow(shadow);
  }
}

}  // namespace symm::Impl
