// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_REGISTERED_MEMFD_HPP
#define SYMM_PERF_REGISTERED_MEMFD_HPP

#include <cstddef>
#include <cstdint>

namespace perf {

/// Memory in a memfd of PE `owner`, mapped by the owner and by PE 0. Their
/// kernels can access it, because both have registered it with CUDA. This is
/// the alternative to SymmetricHostSpace for host memory that PEs and GPUs
/// share. Construction and destruction are collective over MPI_COMM_WORLD.
class RegisteredMemfd {
 public:
  /// \throws std::runtime_error
  RegisteredMemfd(int owner, int my_pe, std::size_t bytes);
  ~RegisteredMemfd();
  RegisteredMemfd(RegisteredMemfd const&)            = delete;
  RegisteredMemfd& operator=(RegisteredMemfd const&) = delete;

  /// The address on the owner and on PE 0, for the PE's CPU and kernels; null
  /// elsewhere.
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
