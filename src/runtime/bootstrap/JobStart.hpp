// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_START_HPP
#define SYMM_JOB_START_HPP

#include <memory>

#include "Bootstrap.hpp"
#include "Communicator.hpp"

namespace symm::Impl {

/// A job's connected PEs and this PE's location.
struct JobPes {
  std::unique_ptr<Bootstrap> bootstrap;
  /// This PE's number among the PEs on its node, counted from 0.
  int number_on_node = 0;
  /// Whether all PEs share one node.
  bool is_one_node = true;
};

/// A library, such as MPI, that connects a job's processes. Higher layers use
/// the library only through this interface and Bootstrap.
class JobStart {
 public:
  /// The name that symm_info prints, such as "MPI".
  [[nodiscard]] virtual char const* name() const = 0;

  /// Initializes the library, unless the program has already done so.
  /// \param argc, argv pointers to main()'s arguments, or null.
  /// \returns whether this call has initialized the library. If it has, end()
  ///          must be called later.
  /// \throws UsageError on this PE if the library is already finalized or this
  ///         process is not in `communicator`. In that case, nothing is
  ///         initialized.
  /// \throws SystemError on this PE.
  [[nodiscard]] virtual bool begin(int* argc, char*** argv,
                                   Communicator const& communicator) = 0;

  /// Collective over `communicator`: its processes become the PEs, in rank
  /// order. Bootstrap::close() releases the resources that this call acquires.
  /// Precondition: the library is initialized.
  /// \throws SystemError on this PE.
  [[nodiscard]] virtual JobPes make_pes(Communicator const& communicator) = 0;

  /// Finalizes the library, unless the program has already done so.
  /// \throws SystemError on this PE.
  virtual void end() = 0;

  /// Ends the whole job.
  /// \param status the exit status that the launcher should return.
  [[noreturn]] virtual void abort(int status) noexcept = 0;

 protected:
  ~JobStart() = default;  // a JobStart lives as long as the process
};

}  // namespace symm::Impl

#endif
