// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_Initialize.hpp>
#include "cuda/CudaCheck.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../runtime/base/Failure.hpp"
#include "../runtime/bootstrap/Bootstrap.hpp"
#include "../runtime/bootstrap/Bootstrap_Mpi.hpp"
#include "../runtime/job/Runtime.hpp"
#include "../runtime/memory/Device.hpp"

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

/// Number of this process among those of the communicator on its node.
int number_on_node(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0,
                            MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int number = 0;
  check(MPI_Comm_rank(node, &number), "MPI_Comm_rank");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  return number;
}

/// The GPU that Kokkos shall take, as its --kokkos-device-id counts: PEs of a
/// node take turns. Nothing where there are no GPUs, or the user has chosen.
std::optional<int> choose_device([[maybe_unused]] int number_on_node,
                                 [[maybe_unused]] bool has_user_chosen) {
#ifdef KOKKOS_ENABLE_CUDA
  // Both say why there is none; Kokkos would abort.
  static_cast<void>(n_devices());
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "symm::initialize",
             "cudaGetDeviceCount");
  auto const is_set = [](char const* variable) {
    return std::getenv(variable) != nullptr;
  };
  if (has_user_chosen || is_set("KOKKOS_DEVICE_ID") ||
      is_set("KOKKOS_MAP_DEVICE_ID_BY") || is_set("CTEST_KOKKOS_DEVICE_TYPE")) {
    return std::nullopt;
  }
  return number_on_node % Kokkos::num_devices();
#else
  return std::nullopt;
#endif
}

/// The GPU that Kokkos has taken, as the CUDA runtime counts.
std::optional<int> device_of_kokkos() {
#ifdef KOKKOS_ENABLE_CUDA
  return Kokkos::Cuda().cuda_device();
#else
  return std::nullopt;
#endif
}

/// \param begin_kokkos is given the device to take, if it is not chosen yet.
void begin(int* argc, char*** argv, MPI_Comm communicator, bool has_user_chosen,
           std::function<void(std::optional<int>)> const& begin_kokkos) {
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
    auto bootstrap    = std::make_unique<Bootstrap_Mpi>(communicator);
    int const number  = number_on_node(communicator);
    auto const failed = agree(*bootstrap, failure_of([&] {
      if (Kokkos::is_initialized()) return;
      begin_kokkos(choose_device(number, has_user_chosen));
      s_owned.kokkos = true;
    }));
    if (failed) {
      bootstrap->close();
      throw_failure({failed->failure.kind, "symm::initialize: PE " +
                                               std::to_string(failed->pe) +
                                               ": " + failed->failure.message});
    }
    Runtime::initialize(std::move(bootstrap), device_of_kokkos());
  } catch (...) {
    end_owned();
    throw;
  }
}

}  // namespace

void initialize(int& argc, char* argv[], MPI_Comm communicator) {
  auto const chooses = [](std::string_view argument) {
    return argument.starts_with("--kokkos-device-id") ||
           argument.starts_with("--kokkos-map-device-id-by");
  };
  bool const has_user_chosen = std::any_of(argv, argv + argc, chooses);
  begin(&argc, &argv, communicator, has_user_chosen,
        [&](std::optional<int> device) {
          std::vector<char*> arguments(argv, argv + argc);
          auto option =
              "--kokkos-device-id=" + std::to_string(device.value_or(0));
          if (device) arguments.push_back(option.data());
          int count = static_cast<int>(arguments.size());
          arguments.push_back(nullptr);
          Kokkos::initialize(count, arguments.data());
          // Without its options, of which ours is one.
          std::copy_n(arguments.begin(), count, argv);
          if (count < argc) argv[count] = nullptr;
          argc = count;
        });
}

void initialize(Kokkos::InitializationSettings const& settings,
                MPI_Comm communicator) {
  bool const has_user_chosen =
      settings.has_device_id() || settings.has_map_device_id_by();
  begin(nullptr, nullptr, communicator, has_user_chosen,
        [&](std::optional<int> device) {
          auto complete = settings;
          if (device) complete.set_device_id(*device);
          Kokkos::initialize(complete);
        });
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
