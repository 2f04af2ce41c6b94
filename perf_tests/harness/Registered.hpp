// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_REGISTERED_HPP
#define SYMM_PERF_REGISTERED_HPP

#include <functional>
#include <string>
#include <vector>

namespace perf {

class Session;

using Benchmark = std::function<void(Session&)>;

/// What has been started when a benchmark begins, besides MPI.
enum class Starts {
  all,       ///< Kokkos and the symmetric heap; OpenSHMEM and NVSHMEM where the
             ///< program was built with them
  kokkos,    ///< Kokkos alone: the benchmark starts the others itself
  openshmem  ///< OpenSHMEM alone
};

/// A benchmark of the program. Each source file defines one, at namespace
/// scope.
struct Registered {
  Registered(std::string its_name, Benchmark its_function,
             Starts its_start = Starts::all);

  std::string name;
  Benchmark run;
  Starts starts;
};

/// All benchmarks of the program, in no particular order.
[[nodiscard]] std::vector<Registered> const& all_registered();

}  // namespace perf

#endif
