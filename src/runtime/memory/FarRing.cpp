// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "FarRing.hpp"

#include <cstdio>
#include <exception>
#include <mutex>

namespace symm::Impl {

namespace {

/// Never destroyed: modules are added before main() and removed after it.
std::mutex& modules_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

KernelModule* s_modules = nullptr;
FarRing* s_ring         = nullptr;

}  // namespace

void add_kernel_module(KernelModule& module) noexcept {
  std::lock_guard const lock(modules_mutex());
  module.next = s_modules;
  s_modules   = &module;
  if (s_ring == nullptr) return;
  try {
    module.set_ring(s_ring);
  } catch (std::exception const& failure) {
    // Kernels of the module report the missing ring if they need it.
    std::fprintf(stderr, "symm: a library that was loaded: %s\n",
                 failure.what());
  }
}

void remove_kernel_module(KernelModule& module) noexcept {
  std::lock_guard const lock(modules_mutex());
  for (KernelModule** its = &s_modules; *its != nullptr; its = &(*its)->next) {
    if (*its != &module) continue;
    *its = module.next;
    return;
  }
}

void set_ring_of_kernels(FarRing* ring) {
  std::lock_guard const lock(modules_mutex());
  s_ring = ring;
  for (auto* module = s_modules; module != nullptr; module = module->next) {
    module->set_ring(ring);
  }
}

}  // namespace symm::Impl
