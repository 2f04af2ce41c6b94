// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_JOB_HPP
#define SYMM_JOB_JOB_HPP

#include <memory>
#include <optional>

#include "../bootstrap/Communicator.hpp"
#include "../bootstrap/JobStart.hpp"

namespace symm::Impl {

/// A library that begins after the job has started and before the symmetric
/// heap, and ends before the job does: Kokkos.
class LibraryHooks {
 public:
  virtual ~LibraryHooks() = default;

  /// \throws UsageError on this PE, if it cannot begin.
  virtual void check() const = 0;
  /// Begins it, unless the program has.
  /// \param number_on_node of this PE, from 0.
  virtual void begin(int number_on_node) = 0;
  /// The GPU of this PE, which also gets the heap. Called after begin().
  [[nodiscard]] virtual std::optional<int> gpu() const = 0;
  /// Ends it, if begin() has begun it and the program has not ended it.
  virtual void end() = 0;
};

/// The start of the job that chosen_start() chooses.
/// \throws UsageError on this PE.
[[nodiscard]] JobStart& job_start();

/// Collective over `communicator`: begins the library that starts the job,
/// unless the program has, the hooks and the runtime. If it throws, it has
/// ended what it has begun.
/// \param argc, argv those of main(), or null.
/// \param start lives as long as the process.
/// \throws UsageError, SystemError, OutOfMemory on every PE; on this PE, the
///         exceptions of JobStart::begin() and LibraryHooks::check().
void begin_job(int* argc, char*** argv, Communicator const& communicator,
               std::unique_ptr<LibraryHooks> hooks,
               JobStart& start = job_start());

/// For the destructor of a guard: finalize(), unless the program has called it.
/// If it fails, the job ends with a message.
/// \param name of the guard, for the message.
void end_scope(char const* name) noexcept;

}  // namespace symm::Impl

#endif
