// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "bandwidth/Bandwidth.hpp"

namespace perf::get_bandwidth_benchmark {
namespace {

Registered const registered{"get_bandwidth", [](Session& session) {
                              measure_bandwidth(session, Direction::get);
                            }};

}  // namespace
}  // namespace perf::get_bandwidth_benchmark
