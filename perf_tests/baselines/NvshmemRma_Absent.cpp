// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <stdexcept>

#include "baselines/NvshmemRma.hpp"

namespace perf::nvshmem {
namespace {

[[noreturn]] void absent() {
  throw std::logic_error("this program was built without NVSHMEM");
}

}  // namespace

void puts_in_kernel(rma::Scope /*scope*/, std::uint64_t* /*target*/,
                    std::uint64_t const* /*source*/,
                    rma::Slots const& /*slots*/, int /*pe*/,
                    std::int64_t /*iterations*/, Stream /*stream*/) {
  absent();
}
void gets_in_kernel(rma::Scope /*scope*/, std::uint64_t* /*target*/,
                    std::uint64_t const* /*source*/,
                    rma::Slots const& /*slots*/, int /*pe*/,
                    std::int64_t /*iterations*/, Stream /*stream*/) {
  absent();
}

}  // namespace perf::nvshmem
