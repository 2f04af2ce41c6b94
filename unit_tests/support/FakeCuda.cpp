// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "FakeCuda.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace symm_test {

namespace {

template <class Function>
Function find(void* library, char const* name) {
  auto* const symbol = ::dlsym(library, name);
  if (symbol == nullptr) {
    throw std::runtime_error(std::string("libcuda.so.1 has no ") + name +
                             ": it is not the fake driver; does "
                             "LD_LIBRARY_PATH name its folder?");
  }
  return reinterpret_cast<Function>(symbol);
}

void* load() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(::dlerror());
  return library;
}

}  // namespace

FakeCuda::FakeCuda() {
  void* const library = load();  // the same that the runtime gets
#define SYMM_FIND(name) find<decltype(&(name))>(library, #name)
  m_counts         = SYMM_FIND(fake_cuda_counts);
  m_n_current      = SYMM_FIND(fake_cuda_n_current_contexts);
  m_bytes_in_use   = SYMM_FIND(fake_cuda_bytes_in_use);
  m_n_calls        = SYMM_FIND(fake_cuda_n_calls);
  m_make_stream    = SYMM_FIND(fake_cuda_make_stream);
  m_destroy_stream = SYMM_FIND(fake_cuda_destroy_stream);
  m_capture        = SYMM_FIND(fake_cuda_capture);
  m_fail           = SYMM_FIND(fake_cuda_fail);
  m_allocate       = SYMM_FIND(fake_cuda_allocate);
  m_free           = SYMM_FIND(fake_cuda_free);
  m_launch         = SYMM_FIND(fake_cuda_launch);
  m_occupy         = SYMM_FIND(fake_cuda_occupy);
  m_run_at_launch  = SYMM_FIND(fake_cuda_run_at_launch);
  m_lose_context   = SYMM_FIND(fake_cuda_lose_context);
#undef SYMM_FIND
}

bool FakeCuda::is_selected() {
  return std::getenv("SYMM_TEST_FAKE_CUDA") != nullptr;
}

FakeCuda const& FakeCuda::instance() {
  static FakeCuda const fake;
  return fake;
}

void FakeCuda::set(char const* variable, std::string const& value) {
  if (::setenv(variable, value.c_str(), 1) != 0) {
    throw std::runtime_error(std::string("setenv ") + variable);
  }
}

void FakeCuda::set_machine(int n_devices) {
  for (char const* variable :
       {"FAKE_CUDA_MEMORY", "FAKE_CUDA_NAME", "FAKE_CUDA_NO_VMM",
        "FAKE_CUDA_NO_DESCRIPTORS", "FAKE_CUDA_NO_HOST_NUMA", "FAKE_CUDA_SMALL",
        "FAKE_CUDA_NO_PEER", "FAKE_CUDA_FABRIC", "FAKE_CUDA_READ_ONLY",
        "CUDA_VISIBLE_DEVICES"}) {
    ::unsetenv(variable);
  }
  set("FAKE_CUDA_DEVICES", std::to_string(n_devices));
  // CTest runs tests side by side.
  set("FAKE_CUDA_MACHINE", std::to_string(::getpid()));
}

void FakeCuda::launch(int device, int milliseconds, std::function<void()> work,
                      CUstream stream) const {
  auto owned      = std::make_unique<std::function<void()>>(std::move(work));
  auto const call = [](void* argument) {
    std::unique_ptr<std::function<void()>> const mine(
        static_cast<std::function<void()>*>(argument));
    (*mine)();
  };
  m_launch(device, stream, milliseconds, call, owned.release());
}

}  // namespace symm_test

bool operator==(FakeCudaCounts const& a, FakeCudaCounts const& b) {
  return a.handles == b.handles && a.mappings == b.mappings &&
         a.reservations == b.reservations && a.contexts == b.contexts &&
         a.registered == b.registered && a.opened == b.opened &&
         a.events == b.events;
}

std::ostream& operator<<(std::ostream& out, FakeCudaCounts const& counts) {
  return out << counts.handles << " handles, " << counts.mappings
             << " mappings, " << counts.reservations << " reservations, "
             << counts.contexts << " contexts, " << counts.registered
             << " registered, " << counts.opened << " opened, " << counts.events
             << " events";
}
