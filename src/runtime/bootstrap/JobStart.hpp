// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_START_HPP
#define SYMM_JOB_START_HPP

#include <memory>

#include "Bootstrap.hpp"
#include "Communicator.hpp"

namespace symm::Impl {

/// The PEs of a job, and where this one is.
struct JobPes {
  std::unique_ptr<Bootstrap> bootstrap;
  /// The number of this PE among those of its node, from 0.
  int number_on_node = 0;
  /// Whether all PEs share one node.
  bool is_one_node = true;
};

/// A library that connects the processes of a job: MPI. The folders above know
/// it by this interface and by Bootstrap only.
class JobStart {
 public:
  /// For symm_info: "MPI".
  [[nodiscard]] virtual char const* name() const = 0;

  /// Begins the library, unless the program has.
  /// \param argc, argv those of main(), or null.
  /// \returns whether it has begun the library, so that end() must follow.
  /// \throws UsageError on this PE, if the library has ended or this process is
  ///         not in `communicator`; nothing has begun. SystemError.
  [[nodiscard]] virtual bool begin(int* argc, char*** argv,
                                   Communicator const& communicator) = 0;

  /// Collective over `communicator`: its processes become the PEs, in the order
  /// of its ranks. Bootstrap::close() releases what this takes.
  /// Precondition: the library runs.
  /// \throws SystemError on this PE.
  [[nodiscard]] virtual JobPes make_pes(Communicator const& communicator) = 0;

  /// Ends the library, unless the program has. \throws SystemError on this PE.
  virtual void end() = 0;

  /// Ends the whole job. \param status that the launcher is to return.
  [[noreturn]] virtual void abort(int status) noexcept = 0;

 protected:
  ~JobStart() = default;  // it lives as long as the process
};

}  // namespace symm::Impl

#endif
