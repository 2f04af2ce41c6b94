// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/OpenShmemCollectives.hpp"

#include <stdexcept>

namespace perf::openshmem {
namespace {

[[noreturn]] void absent() {
  throw std::logic_error("this program was built without OpenSHMEM");
}

}  // namespace

Collectives::Collectives(std::size_t /*max_count*/) { absent(); }
Collectives::~Collectives() = default;
void Collectives::broadcast(double* /*dest*/, double const* /*source*/,
                            std::size_t /*count*/, int /*root*/) {
  absent();
}
void Collectives::fcollect(double* /*dest*/, double const* /*source*/,
                           std::size_t /*count*/) {
  absent();
}
void Collectives::alltoall(double* /*dest*/, double const* /*source*/,
                           std::size_t /*count*/) {
  absent();
}
void Collectives::sum(double* /*dest*/, double const* /*source*/,
                      std::size_t /*count*/) {
  absent();
}

}  // namespace perf::openshmem
