// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_Initialize.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "../runtime/Bootstrap_Mpi.hpp"
#include "../runtime/Error.hpp"
#include "../runtime/Runtime.hpp"

namespace symm {

namespace {

/// What initialize() has begun, so that finalize() ends that and no more.
struct Owned {
  bool mpi    = false;
  bool kokkos = false;
};

Owned s_owned;

void check(int result, char const* call) {
  if (result != MPI_SUCCESS) {
    throw SystemError(std::string(call) + " failed");
  }
}

bool mpi_flag(int (*query)(int*), char const* call) {
  int flag = 0;
  check(query(&flag), call);
  return flag != 0;
}

void begin_mpi(int* argc, char*** argv) {
  if (mpi_flag(MPI_Finalized, "MPI_Finalized")) {
    throw UsageError(
        "symm::initialize: MPI is finalised, and cannot start again; call "
        "initialize() before MPI_Finalize()");
  }
  if (mpi_flag(MPI_Initialized, "MPI_Initialized")) return;
  int provided = 0;
  check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided),
        "MPI_Init_thread");
  s_owned.mpi = true;
}

void end_owned() {
  auto const owned = std::exchange(s_owned, {});
  // Unless the program has ended them itself.
  if (owned.kokkos && Kokkos::is_initialized()) Kokkos::finalize();
  if (owned.mpi && !mpi_flag(MPI_Finalized, "MPI_Finalized")) {
    check(MPI_Finalize(), "MPI_Finalize");
  }
}

void begin(int* argc, char*** argv, MPI_Comm communicator,
           std::function<void()> const& begin_kokkos) {
  if (is_initialized()) {
    throw UsageError("symm::initialize: initialised already");
  }
  if (communicator == MPI_COMM_NULL) {  // which MPI would end the job for
    throw UsageError(
        "symm::initialize: the communicator is MPI_COMM_NULL; call "
        "initialize() only in the processes of the communicator");
  }
  begin_mpi(argc, argv);
  try {
    if (Kokkos::is_finalized()) {
      throw UsageError(
          "symm::initialize: Kokkos is finalised, and cannot start again; call "
          "initialize() before Kokkos::finalize()");
    }
    if (!Kokkos::is_initialized()) {
      begin_kokkos();
      s_owned.kokkos = true;
    }
    Runtime::initialize(std::make_unique<Bootstrap_Mpi>(communicator));
  } catch (...) {
    end_owned();
    throw;
  }
}

}  // namespace

void initialize(int& argc, char* argv[], MPI_Comm communicator) {
  begin(&argc, &argv, communicator, [&] { Kokkos::initialize(argc, argv); });
}

void initialize(Kokkos::InitializationSettings const& settings,
                MPI_Comm communicator) {
  begin(nullptr, nullptr, communicator, [&] { Kokkos::initialize(settings); });
}

void finalize() {
  Runtime::finalize();
  end_owned();
}

bool is_initialized() noexcept { return Runtime::is_initialized(); }

ScopeGuard::~ScopeGuard() {
  if (!is_initialized()) return;  // the program has called finalize()
  auto const failure = failure_of([] { finalize(); });
  if (!failure) return;
  std::fprintf(stderr, "symm: the end of a ScopeGuard: %s; ending the job\n",
               failure->message.c_str());
  // The others would wait for this PE in their next collective call.
  static_cast<void>(MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE));
  std::abort();
}

}  // namespace symm
