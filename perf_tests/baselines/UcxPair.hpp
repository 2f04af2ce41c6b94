// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_UCX_PAIR_HPP
#define SYMM_PERF_UCX_PAIR_HPP

#include <cstddef>
#include <cstdint>
#include <memory>

namespace perf {

/// UCX's own one-sided operations between two PEs: the calls of ucx_perftest's
/// ucp_put, ucp_get and ucp_fadd, one at a time, with a worker that nothing
/// else uses. The target must call serve() meanwhile.
///
/// perf_tests_ucx is linked with UcxPair.cpp, and the other programs with
/// UcxPair_Absent.cpp, so that UCX is not loaded unless it is measured.
class UcxPair {
 public:
  /// Whether this program has UCX. If not, nothing else may be called.
  [[nodiscard]] static bool available();

  /// Allocates `bytes` zeroed bytes on both PEs. Collective over
  /// MPI_COMM_WORLD; the other PEs do nothing else. \throws std::runtime_error
  UcxPair(int active, int target, std::size_t bytes);
  /// Collective.
  ~UcxPair();
  UcxPair(UcxPair const&)            = delete;
  UcxPair& operator=(UcxPair const&) = delete;

  /// This PE's memory.
  [[nodiscard]] std::uint64_t* words() const;

  // Called by the active PE; these operate on the target's memory, starting
  // with its first word.

  /// ucp_put_nbx, complete on this PE on return; after flush(), it is complete
  /// on the target.
  void put(void const* source, std::size_t bytes);
  /// Begun, and not waited for.
  void post(void const* source, std::size_t bytes);
  void flush();
  void get(void* target, std::size_t bytes);
  /// Returns the old value of the first word.
  std::uint64_t fetch_add(std::uint64_t value);
  /// Begun, and not waited for.
  void post_add(std::uint64_t value);
  /// Makes the target's serve() return.
  void end();

  /// Called by the target.
  void serve();

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace perf

#endif
