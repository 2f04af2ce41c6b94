// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Gpus.hpp"

namespace perf {

Gpus gpus_of_job() { return {}; }

std::size_t free_gpu_bytes() { return 0; }

std::size_t gpu_share_bytes(Gpus const& /*gpus*/) { return 0; }

}  // namespace perf
