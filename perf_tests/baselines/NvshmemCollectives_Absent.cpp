// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/NvshmemCollectives.hpp"

#include <stdexcept>

namespace perf::nvshmem {
namespace {

[[noreturn]] void absent() {
  throw std::logic_error("this program was built without NVSHMEM");
}

}  // namespace

void barrier_on_stream(Stream /*stream*/) { absent(); }
void barriers_in_kernel(Threads /*threads*/, std::int64_t /*iterations*/,
                        Stream /*stream*/) {
  absent();
}
void broadcast(float* /*dest*/, float const* /*source*/, std::size_t /*count*/,
               int /*root*/, Stream /*stream*/) {
  absent();
}
void fcollect(float* /*dest*/, float const* /*source*/, std::size_t /*count*/,
              Stream /*stream*/) {
  absent();
}
void alltoall(float* /*dest*/, float const* /*source*/, std::size_t /*count*/,
              Stream /*stream*/) {
  absent();
}
void sum(float* /*dest*/, float const* /*source*/, std::size_t /*count*/,
         Stream /*stream*/) {
  absent();
}

}  // namespace perf::nvshmem
