// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CudaProvider.hpp"

#include <dlfcn.h>
#include <support/FakeCuda.hpp>
#include <support/ProcessResources.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <runtime/gpu/Vmm_Gpu.hpp>

namespace symm_test {

using symm::MemoryKind;
namespace gpu = symm::Impl::gpu;
using gpu::Driver;

CudaProvider const cuda_device_memory(MemoryKind::device);
CudaProvider const cuda_host_memory(MemoryKind::host);

namespace {

void check(gpu::Result result, char const* call) {
  Driver::instance().check(result, call, [] { return "test"; });
}

// Not among the functions and values that the library needs.
#ifdef SYMM_TEST_HIP
using GetAccess                  = decltype(&::hipMemGetAccess);
constexpr auto* name_of_function = "hipMemGetAccess";
auto const on_host               = std::bit_cast<hipMemLocationType>(2);
#else
using GetAccess                  = decltype(&::cuMemGetAccess);
constexpr auto* name_of_function = "cuMemGetAccess";
constexpr auto on_host           = CU_MEM_LOCATION_TYPE_HOST;
#endif

GetAccess find_get_access() {
  static_cast<void>(Driver::instance());  // which has loaded it
  void* const library = ::dlopen(gpu::text::library, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) throw std::runtime_error(gpu::text::library);
  void* const symbol = ::dlsym(library, name_of_function);
  if (symbol == nullptr) throw std::runtime_error(name_of_function);
  return reinterpret_cast<GetAccess>(symbol);
}

void copy(void* to, void const* from, std::size_t bytes) {
  CurrentContext const current;
  auto const& driver = Driver::instance();
#ifdef SYMM_TEST_HIP
  check(driver.copy(to, from, bytes, hipMemcpyDefault), "hipMemcpy");
#else
  check(driver.copy(gpu::device_pointer(to), gpu::device_pointer(from), bytes),
                  "cuMemcpy");
#endif
  check(driver.synchronize(), "cuCtxSynchronize");
}

template <class Type>
gpu::Location place(Type type, int id) {
  gpu::Location result{};
  result.type = type;
  result.id   = id;
  return result;
}

}  // namespace

#ifdef SYMM_TEST_HIP
CurrentContext::CurrentContext() {
  check(Driver::instance().set_device(0), "hipSetDevice");
}

CurrentContext::~CurrentContext() = default;
#else
CurrentContext::CurrentContext() {
  auto const& driver = Driver::instance();
  // Retained once, for the rest of the process: one that comes and goes would
  // change what is in use.
  static CUcontext const context = [&] {
    CUcontext result = nullptr;
    check(driver.device_primary_ctx_retain(&result, 0),
          "cuDevicePrimaryCtxRetain");
    return result;
  }();
  check(driver.ctx_push_current(context), "cuCtxPushCurrent");
}

CurrentContext::~CurrentContext() {
  CUcontext ours = nullptr;
  EXPECT_EQ(Driver::instance().ctx_pop_current(&ours), CUDA_SUCCESS);
}
#endif

std::string CudaProvider::name() const {
  return m_kind == MemoryKind::device ? "CudaDevice" : "CudaHost";
}

std::unique_ptr<symm::Impl::MemoryProvider> CudaProvider::make() const {
  return std::make_unique<symm::Impl::Vmm_Gpu>(Driver::instance(), m_kind, 0);
}

void CudaProvider::write(char* to, std::vector<char> const& from) const {
  copy(to, from.data(), from.size());
}

std::vector<char> CudaProvider::read(char const* from,
                                     std::size_t bytes) const {
  std::vector<char> result(bytes);
  copy(result.data(), from, bytes);
  return result;
}

unsigned long long CudaProvider::rights(char const* address) const {
  static auto const get_access = find_get_access();
  // The most that any of these names of one place has; a driver need not know
  // all of them.
  auto const of = [&](std::vector<gpu::Location> const& locations) {
    unsigned long long most = gpu::no_access;
    for (auto const& location : locations) {
      unsigned long long flags = 0;
      auto const result =
          get_access(&flags, &location, gpu::device_pointer(address));
      if (result == gpu::success) most = std::max(most, flags);
    }
    return most;
  };
  auto const of_gpu = of({place(gpu::on_device, 0)});
  if (m_kind == MemoryKind::device) return of_gpu;
  int const node = Driver::instance().attribute(0, gpu::numa_node, "test");
  return std::min(of_gpu, of({place(gpu::on_numa_node, std::max(node, 0)),
                              place(on_host, 0)}));
}

bool CudaProvider::can_read(char const* address) const {
  bool const result = rights(address) != gpu::no_access;
  if (FakeCuda::is_selected()) {
    // It is memory of this process: the hardware agrees.
    EXPECT_EQ(symm_test::can_read(address), result);
  }
  return result;
}

bool CudaProvider::can_write(char* address) const {
  bool const result = rights(address) == gpu::read_write;
  if (FakeCuda::is_selected()) {
    EXPECT_EQ(symm_test::can_write(address), result);
  }
  return result;
}

std::optional<std::size_t> CudaProvider::in_use() const {
  if (m_kind == MemoryKind::host) {
    if (!FakeCuda::is_selected()) return std::nullopt;
    return FakeCuda::instance().bytes_in_use("numa0");
  }
  CurrentContext const current;
  std::size_t free  = 0;
  std::size_t total = 0;
  check(Driver::instance().mem_get_info(&free, &total), "cuMemGetInfo");
  return total - free;
}

std::optional<std::size_t> CudaProvider::n_mappings() const {
  if (!FakeCuda::is_selected()) return std::nullopt;
  return FakeCuda::instance().counts().mappings;
}

bool CudaProvider::may_refuse_read_only() const {
  return !FakeCuda::is_selected();
}

}  // namespace symm_test
