// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_JOB_HPP
#define SYMM_JOB_JOB_HPP

#include <memory>
#include <optional>

#include "../bootstrap/Communicator.hpp"
#include "../bootstrap/JobStart.hpp"

namespace symm::Impl {

/// Initializes and finalizes a library such as Kokkos. The library is
/// initialized after the job has started but before the symmetric heap is
/// created, and it is finalized before the job ends.
class LibraryHooks {
 public:
  virtual ~LibraryHooks() = default;

  /// Checks that the library can be initialized.
  /// \throws UsageError on this PE if it cannot.
  virtual void check() const = 0;
  /// Initializes the library, unless the program has done so.
  /// \param number_on_node This PE's number on its node, counted from 0.
  virtual void begin(int number_on_node) = 0;
  /// Returns the ordinal of this PE's GPU, whose memory also contains a heap;
  /// empty if there is no GPU. Called after begin().
  [[nodiscard]] virtual std::optional<int> gpu() const = 0;
  /// Finalizes the library if begin() initialized it and the program has not
  /// finalized it.
  virtual void end() = 0;
};

/// Returns the JobStart selected by chosen_start().
/// \throws UsageError on this PE.
[[nodiscard]] JobStart& job_start();

/// Initializes the library of `start`, such as MPI (unless the program has done
/// so), then the library of `hooks`, then the runtime. Collective over
/// `communicator`. If this function throws, it has already finalized everything
/// that it had initialized.
/// \param argc, argv The arguments of main(), or null.
/// \param start Must live as long as the process.
/// \throws UsageError, SystemError, OutOfMemory on every PE. On this PE only,
///         throws the exceptions of JobStart::begin() and
///         LibraryHooks::check().
void begin_job(int* argc, char*** argv, Communicator const& communicator,
               std::unique_ptr<LibraryHooks> hooks,
               JobStart& start = job_start());

/// Called by the destructor of a guard. Calls finalize(), unless the program
/// has already done so. If finalize() fails, prints an error message and ends
/// the job.
/// \param name The guard's name, for the error message.
void end_scope(char const* name) noexcept;

}  // namespace symm::Impl

#endif
