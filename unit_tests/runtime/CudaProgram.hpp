// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CUDA_PROGRAM_HPP
#define SYMM_TEST_CUDA_PROGRAM_HPP

#include <cuda.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/gpu/Driver.hpp>

namespace symm_test {

/// Memory that a program makes by itself with the driver's cuMem* functions and
/// maps `n_times` side by side; the runtime knows nothing of it.
class CudaProgram {
 public:
  CudaProgram(symm::MemoryKind kind, std::size_t bytes, int handle_types,
              int n_times = 1, int device = 0, bool has_access = true,
              std::size_t gap_bytes = 0)
      : m_bytes(bytes), m_step(bytes + gap_bytes), m_n_times(n_times) {
    CUmemLocation gpu{};
    gpu.type                           = CU_MEM_LOCATION_TYPE_DEVICE;
    gpu.id                             = device;
    std::vector<CUmemAccessDesc> users = {
        {gpu, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
    CUmemAllocationProp wanted{};
    wanted.type     = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location = gpu;
    wanted.requestedHandleTypes =
        static_cast<CUmemAllocationHandleType>(handle_types);
    if (kind == symm::MemoryKind::host) {
      int node = 0;
      EXPECT_EQ(m_driver.device_get_attribute(
                    &node, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, device),
                CUDA_SUCCESS);
      wanted.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
      wanted.location.id   = std::max(node, 0);
      users.push_back({wanted.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
    }
    EXPECT_EQ(m_driver.mem_create(&m_handle, bytes, &wanted, 0), CUDA_SUCCESS);
    // With addresses on both sides that nothing is mapped to.
    EXPECT_EQ(
        m_driver.mem_address_reserve(&m_reserved, reserved_bytes(), 0, 0, 0),
        CUDA_SUCCESS);
    for (int i = 0; i < n_times; ++i) {
      EXPECT_EQ(m_driver.mem_map(start(i), bytes, 0, m_handle, 0),
                CUDA_SUCCESS);
      if (!has_access) continue;
      EXPECT_EQ(
          m_driver.mem_set_access(start(i), bytes, users.data(), users.size()),
          CUDA_SUCCESS);
    }
  }
  ~CudaProgram() {
    unmap();
    EXPECT_EQ(m_driver.mem_address_free(m_reserved, reserved_bytes()),
              CUDA_SUCCESS);
  }
  CudaProgram(CudaProgram const&)            = delete;
  CudaProgram& operator=(CudaProgram const&) = delete;

  [[nodiscard]] char* address(int which = 0) const {
    return reinterpret_cast<char*>(start(which));
  }
  [[nodiscard]] std::size_t bytes() const { return m_bytes; }

  /// All of it, and gives its handle back. At most once, and at the end.
  void unmap() {
    for (int i = 0; i < m_n_times; ++i) {
      EXPECT_EQ(m_driver.mem_unmap(start(i), m_bytes), CUDA_SUCCESS);
    }
    if (m_n_times > 0) {
      EXPECT_EQ(m_driver.mem_release(m_handle), CUDA_SUCCESS);
    }
    m_n_times = 0;
  }

 private:
  [[nodiscard]] std::size_t reserved_bytes() const {
    return static_cast<std::size_t>(m_n_reserved) * m_step;
  }
  [[nodiscard]] CUdeviceptr start(int which) const {
    return m_reserved + static_cast<std::size_t>(which + 1) * m_step;
  }

  symm::Impl::gpu::Driver const& m_driver = symm::Impl::gpu::Driver::instance();
  std::size_t m_bytes;
  std::size_t m_step;  // from one mapping to the next
  int m_n_times;
  int m_n_reserved                      = m_n_times + 2;
  CUmemGenericAllocationHandle m_handle = 0;
  CUdeviceptr m_reserved                = 0;
};

}  // namespace symm_test

#endif
