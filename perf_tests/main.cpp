// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Session.hpp"

int main(int argc, char** argv) { return perf::run_benchmark(argc, argv); }
