// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_HPP
#define SYMM_JOB_HPP

#include <optional>

#include "bootstrap/Communicator.hpp"

/// The start and the end of the symmetric heap. Programs with Kokkos start it
/// by symm::initialize() of Kokkos_SymmetricSpace_Initialize.hpp.
namespace symm {

/// For programs without Kokkos. Collective over `communicator`, whose processes
/// become the PEs in the order of its ranks. Initialises MPI (with
/// MPI_THREAD_FUNNELED), unless the program has; finalize() ends what this has
/// begun and nothing else.
///
/// \param gpu of this PE, an ordinal among those that the process sees, on
///        every PE or on none; several PEs may share one. Without: the heap is
///        in host memory only.
/// \throws UsageError, SystemError, OutOfMemory on every PE; UsageError on this
///         PE, if its communicator is MPI_COMM_NULL.
void initialize_runtime(Communicator const& communicator = {},
                        std::optional<int> gpu           = std::nullopt);

/// Collective. Views of symmetric spaces must be gone: those that live are
/// reported with label and size, and their memory stays until the process ends.
/// \throws UsageError on every PE, if a PE is in another collective call or
///         nothing is initialised.
void finalize();

/// Whether initialize() has returned and finalize() has not. Local.
[[nodiscard]] bool is_initialized() noexcept;

/// initialize_runtime() and finalize() as the lifetime of an object in main().
class RuntimeGuard {
 public:
  explicit RuntimeGuard(Communicator const& communicator = {},
                        std::optional<int> gpu           = std::nullopt) {
    initialize_runtime(communicator, gpu);
  }
  /// Collective. If a PE leaves early (by an exception, say) while others wait
  /// for it, in another collective call or on the host in an operation of a PE
  /// team, the job ends with a message instead of hanging; so it does if one
  /// waits for a variable that nobody is left to change (symm_signals.hpp says
  /// when).
  ~RuntimeGuard();

  RuntimeGuard(RuntimeGuard const&)            = delete;
  RuntimeGuard& operator=(RuntimeGuard const&) = delete;
};

}  // namespace symm

#endif
