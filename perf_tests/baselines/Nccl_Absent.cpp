// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/Nccl.hpp"

#include <stdexcept>

namespace perf::nccl {
namespace {

[[noreturn]] void absent() {
  throw std::logic_error("this program was built without NCCL");
}

}  // namespace

bool available() { return false; }
std::string version() { absent(); }

Communicator::Communicator() { absent(); }
Communicator::~Communicator() = default;

void Communicator::broadcast(float* /*dest*/, float const* /*source*/,
                             std::size_t /*count*/, int /*root*/,
                             Stream /*stream*/) const {
  absent();
}
void Communicator::all_gather(float* /*dest*/, float const* /*source*/,
                              std::size_t /*count*/, Stream /*stream*/) const {
  absent();
}
void Communicator::all_to_all(float* /*dest*/, float const* /*source*/,
                              std::size_t /*count*/, Stream /*stream*/) const {
  absent();
}
void Communicator::all_reduce(float* /*dest*/, float const* /*source*/,
                              std::size_t /*count*/, Stream /*stream*/) const {
  absent();
}

}  // namespace perf::nccl
