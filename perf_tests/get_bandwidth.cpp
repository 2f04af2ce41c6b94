// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "bandwidth/Bandwidth.hpp"

int main(int argc, char** argv) {
  return perf::run_benchmark(
      argc, argv, "get_bandwidth", [](perf::Session& session) {
        perf::measure_bandwidth(session, perf::Direction::get);
      });
}
