// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_NCCL_HPP
#define SYMM_PERF_NCCL_HPP

#include <cstddef>
#include <string>

struct CUstream_st;

/// NCCL in the same process as this project's heap, so that samples of both can
/// be taken in turn.
///
/// Programs are linked with Nccl.cpp where CMake has found NCCL, else with
/// Nccl_Absent.cpp. It does nothing before a Communicator is made.
namespace perf::nccl {

/// A CUDA stream. Functions that take one return before the work is done.
using Stream = CUstream_st*;

/// Whether this program has NCCL, and the variable SYMM_PERF_NCCL is not OFF or
/// 0. If not, nothing else here is used.
[[nodiscard]] bool available();

/// Such as "2.28.9".
[[nodiscard]] std::string version();

/// All processes of MPI_COMM_WORLD, each on its current GPU, which has to be
/// another one for each. MPI must outlive it. NVLS (multicast) stays off: that
/// is checked.
class Communicator {
 public:
  /// Collective. If NCCL cannot be used on a PE, problem() says so on all.
  /// \throws std::runtime_error if NCCL_NVLS_ENABLE is given and not 0, or MPI
  ///         fails.
  Communicator();
  ~Communicator();
  Communicator(Communicator const&)            = delete;
  Communicator& operator=(Communicator const&) = delete;

  /// Empty: it can be used.
  [[nodiscard]] std::string const& problem() const { return m_problem; }

  // Floats in GPU memory of any kind; `count` of a block. They throw
  // std::runtime_error with NCCL's text.

  /// ncclBroadcast.
  void broadcast(float* dest, float const* source, std::size_t count, int root,
                 Stream stream) const;
  /// ncclAllGather.
  void all_gather(float* dest, float const* source, std::size_t count,
                  Stream stream) const;
  /// A group of ncclSend and ncclRecv, one for every PE.
  void all_to_all(float* dest, float const* source, std::size_t count,
                  Stream stream) const;
  /// ncclAllReduce with ncclSum.
  void all_reduce(float* dest, float const* source, std::size_t count,
                  Stream stream) const;

 private:
  void* m_communicator = nullptr;  // ncclComm_t
  int m_n_pes          = 0;
  std::string m_problem;
};

}  // namespace perf::nccl

#endif
