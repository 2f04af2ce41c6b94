// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "bandwidth/Bandwidth.hpp"

namespace perf::put_bandwidth_benchmark {
namespace {

Registered const registered{"put_bandwidth", [](Session& session) {
                              measure_bandwidth(session, Direction::put);
                            }};

}  // namespace
}  // namespace perf::put_bandwidth_benchmark
