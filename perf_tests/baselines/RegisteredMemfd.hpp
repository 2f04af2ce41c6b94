// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_REGISTERED_MEMFD_HPP
#define SYMM_PERF_REGISTERED_MEMFD_HPP

#include <cstddef>
#include <cstdint>

namespace perf {

/// Memory of a memfd of PE `owner`, mapped by it and by PE 0, whose kernels
/// reach it since both have registered it with CUDA. The other way than
/// SymmetricHostSpace's to host memory that PEs and GPUs share.
/// Construction and destruction are collective over MPI_COMM_WORLD.
class RegisteredMemfd {
 public:
  /// \throws std::runtime_error
  RegisteredMemfd(int owner, int my_pe, std::size_t bytes);
  ~RegisteredMemfd();
  RegisteredMemfd(RegisteredMemfd const&)            = delete;
  RegisteredMemfd& operator=(RegisteredMemfd const&) = delete;

  /// On the owner and on PE 0, for its CPU and its kernels; null elsewhere.
  [[nodiscard]] std::uint64_t* data() const {
    return static_cast<std::uint64_t*>(m_address);
  }

 private:
  void map(int descriptor);

  std::size_t m_bytes;
  void* m_address   = nullptr;
  bool m_registered = false;
};

}  // namespace perf

#endif
