// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CUDA_PROGRAM_HPP
#define SYMM_TEST_CUDA_PROGRAM_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/gpu/Driver.hpp>

namespace symm_test {

namespace gpu = symm::Impl::gpu;

/// With HIP, a device as the current one of this thread, while it lives: memory
/// is created and mapped for that one.
class CurrentDevice {
 public:
  explicit CurrentDevice([[maybe_unused]] int device) {
#ifdef SYMM_TEST_HIP
    EXPECT_EQ(m_driver.get_device(&m_before), gpu::success);
    EXPECT_EQ(m_driver.set_device(device), gpu::success);
#endif
  }
  ~CurrentDevice() {
#ifdef SYMM_TEST_HIP
    EXPECT_EQ(m_driver.set_device(m_before), gpu::success);
#endif
  }
  CurrentDevice(CurrentDevice const&)            = delete;
  CurrentDevice& operator=(CurrentDevice const&) = delete;

#ifdef SYMM_TEST_HIP
 private:
  gpu::Driver const& m_driver = gpu::Driver::instance();
  int m_before                = 0;
#endif
};

/// Memory that a program makes by itself with the driver's functions for
/// virtual memory and maps `n_times` side by side; the runtime knows nothing of
/// it.
class CudaProgram {
 public:
  CudaProgram(symm::MemoryKind kind, std::size_t bytes, int handle_types,
              int n_times = 1, int device = 0, bool has_access = true,
              std::size_t gap_bytes = 0)
      : m_bytes(bytes), m_step(bytes + gap_bytes), m_n_times(n_times) {
    gpu::Location place{};
    place.type                           = gpu::on_device;
    place.id                             = device;
    std::vector<gpu::AccessRights> users = {{place, gpu::read_write}};
    gpu::MemoryProperties wanted{};
    wanted.type               = gpu::pinned;
    wanted.location           = place;
    gpu::handle_types(wanted) = static_cast<gpu::HandleType>(handle_types);
    if (kind == symm::MemoryKind::host) {
      wanted.location.type = gpu::on_numa_node;
      wanted.location.id =
          std::max(m_driver.attribute(device, gpu::numa_node, "test"), 0);
      users.push_back({wanted.location, gpu::read_write});
    }
    CurrentDevice const current(device);
    EXPECT_EQ(m_driver.mem_create(&m_handle, bytes, &wanted, 0), gpu::success);
    // With addresses on both sides that nothing is mapped to.
    EXPECT_EQ(
        m_driver.mem_address_reserve(&m_reserved, reserved_bytes(), 0, {}, 0),
        gpu::success);
    for (int i = 0; i < n_times; ++i) {
      EXPECT_EQ(m_driver.mem_map(start(i), bytes, 0, m_handle, 0),
                gpu::success);
      if (!has_access) continue;
      EXPECT_EQ(
          m_driver.mem_set_access(start(i), bytes, users.data(), users.size()),
          gpu::success);
    }
  }
  ~CudaProgram() {
    unmap();
    EXPECT_EQ(m_driver.mem_address_free(m_reserved, reserved_bytes()),
              gpu::success);
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
      EXPECT_EQ(m_driver.mem_unmap(start(i), m_bytes), gpu::success);
    }
    if (m_n_times > 0) {
      EXPECT_EQ(m_driver.mem_release(m_handle), gpu::success);
    }
    m_n_times = 0;
  }

 private:
  [[nodiscard]] std::size_t reserved_bytes() const {
    return static_cast<std::size_t>(m_n_reserved) * m_step;
  }
  [[nodiscard]] gpu::Pointer start(int which) const {
    return gpu::device_pointer(reinterpret_cast<char*>(m_reserved) +
                               static_cast<std::size_t>(which + 1) * m_step);
  }

  gpu::Driver const& m_driver = gpu::Driver::instance();
  std::size_t m_bytes;
  std::size_t m_step;  // from one mapping to the next
  int m_n_times;
  int m_n_reserved           = m_n_times + 2;
  gpu::MemoryHandle m_handle = {};
  gpu::Pointer m_reserved    = {};
};

}  // namespace symm_test

#endif
