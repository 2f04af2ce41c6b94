// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Registered.hpp"

#include <utility>

namespace perf {
namespace {

std::vector<Registered>& registry() {
  static std::vector<Registered> all;  // whichever source comes first
  return all;
}

}  // namespace

Registered::Registered(std::string its_name, Benchmark its_function,
                       Starts its_start)
    : name(std::move(its_name)),
      run(std::move(its_function)),
      starts(its_start) {
  registry().push_back(*this);
}

std::vector<Registered> const& all_registered() { return registry(); }

}  // namespace perf
