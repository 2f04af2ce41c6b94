// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <heap/mapped.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include <heap/heap_test.hpp>
#include <support/gpu.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda.h>
#include <dlfcn.h>
#endif

namespace symm_test {

namespace {

constexpr std::size_t window = 256 * mib;

#ifdef SYMM_TEST_GPU

constexpr std::size_t step = 64 * kib;  // no allocation's unit is smaller

#ifdef KOKKOS_ENABLE_CUDA
/// Of the driver, which programs find when they run.
auto* find_pointer_attribute() {
  void* const library  = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto* const function = reinterpret_cast<decltype(&::cuPointerGetAttribute)>(
      ::dlsym(library, "cuPointerGetAttribute"));
  EXPECT_NE(function, nullptr);
  return function;
}

/// What is reserved has a type and a device, too, whether mapped or not.
bool is_mapped(char const* address) {
  static auto* const pointer_attribute = find_pointer_attribute();
  int mapped                           = 0;
  return pointer_attribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED,
                           reinterpret_cast<CUdeviceptr>(address)) ==
             CUDA_SUCCESS &&
         mapped != 0;
}
#else
bool is_mapped(char const* address) {
  int mapped = 0;
  return hipPointerGetAttribute(&mapped, HIP_POINTER_ATTRIBUTE_MAPPED,
                                const_cast<char*>(address)) == hipSuccess &&
         mapped != 0;
}
#endif

std::size_t mapped_bytes_in(char const* begin) {
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < window; at += step) {
    if (is_mapped(begin + at)) bytes += step;
  }
  return bytes;
}

#else

std::size_t mapped_bytes_in(char const* begin) {
  auto const first  = reinterpret_cast<std::uintptr_t>(begin);
  std::size_t bytes = 0;
  std::ifstream in("/proc/self/maps");
  for (std::string line; std::getline(in, line);) {
    if (line.find("memfd:symm") == std::string::npos) continue;
    std::uintptr_t from = 0;
    std::uintptr_t to   = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2) {
      continue;
    }
    from = std::max(from, first);
    to   = std::min(to, first + window);
    if (from < to) bytes += to - from;
  }
  return bytes;
}

#endif

}  // namespace

std::size_t mapped_bytes_of_node() {
  auto const& map   = heap().map();
  std::size_t bytes = 0;
  for (symm::Pe pe = map.first_near; map.is_near(pe); ++pe) {
    bytes += mapped_bytes_in(map.part(pe));
  }
  return bytes;
}

}  // namespace symm_test
