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
/// Programs are linked with Nccl.cpp if CMake has found NCCL, and otherwise
/// with Nccl_Absent.cpp. NCCL does nothing until a Communicator is created.
namespace perf::nccl {

/// A CUDA stream. Functions that take one return before the work is done.
using Stream = CUstream_st*;

/// Whether this program has NCCL and the environment variable SYMM_PERF_NCCL is
/// neither OFF nor 0. If not, nothing else in this header may be used.
[[nodiscard]] bool available();

/// Such as "2.28.9".
[[nodiscard]] std::string version();

/// A communicator of all processes in MPI_COMM_WORLD, each on its current GPU,
/// which must be different for each. MPI must outlive this object. NVLS
/// (multicast) stays off; this is checked.
class Communicator {
 public:
  /// Collective. If NCCL cannot be used on any PE, problem() says so on all
  /// PEs.
  /// \throws std::runtime_error if NCCL_NVLS_ENABLE is set and not 0, or if MPI
  ///         fails.
  Communicator();
  ~Communicator();
  Communicator(Communicator const&)            = delete;
  Communicator& operator=(Communicator const&) = delete;

  /// Why this communicator cannot be used; empty if it can.
  [[nodiscard]] std::string const& problem() const { return m_problem; }

  // Operations on floats in GPU memory of any kind; a block has `count` floats.
  // They throw std::runtime_error with NCCL's text.

  /// ncclBroadcast.
  void broadcast(float* dest, float const* source, std::size_t count, int root,
                 Stream stream) const;
  /// ncclAllGather.
  void all_gather(float* dest, float const* source, std::size_t count,
                  Stream stream) const;
  /// A group with one ncclSend and one ncclRecv for each PE.
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
