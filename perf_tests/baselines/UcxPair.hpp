// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_UCX_PAIR_HPP
#define SYMM_PERF_UCX_PAIR_HPP

#include <cstddef>
#include <cstdint>
#include <memory>

namespace perf {

/// What UCX itself has for one-sided operations, between two PEs: the calls of
/// ucx_perftest's ucp_put, ucp_get and ucp_fadd, one at a time, with a worker
/// that nobody else uses. The target has to serve() meanwhile.
///
/// perf_tests_ucx is linked with UcxPair.cpp, the others with
/// UcxPair_Absent.cpp, so that UCX is not loaded where it is not measured.
class UcxPair {
 public:
  /// Whether this program has UCX. If not, nothing else is called.
  [[nodiscard]] static bool available();

  /// Memory of `bytes` on both PEs, zeros. Collective over MPI_COMM_WORLD; the
  /// other PEs take no part but that. \throws std::runtime_error
  UcxPair(int active, int target, std::size_t bytes);
  /// Collective.
  ~UcxPair();
  UcxPair(UcxPair const&)            = delete;
  UcxPair& operator=(UcxPair const&) = delete;

  /// The memory of this PE.
  [[nodiscard]] std::uint64_t* words() const;

  // Of the active PE, on the target's memory from its first word on.

  /// ucp_put_nbx until it has ended here; flush() until it has there.
  void put(void const* source, std::size_t bytes);
  /// Begun, and not waited for.
  void post(void const* source, std::size_t bytes);
  void flush();
  void get(void* target, std::size_t bytes);
  /// What was in the first word.
  std::uint64_t fetch_add(std::uint64_t value);
  /// Begun, and not waited for.
  void post_add(std::uint64_t value);
  /// The target's serve() returns.
  void end();

  /// The target's part.
  void serve();

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace perf

#endif
