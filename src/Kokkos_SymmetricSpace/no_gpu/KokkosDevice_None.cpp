// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../space/KokkosDevice.hpp"

namespace symm::Impl {

std::optional<int> choose_device(int, bool) { return std::nullopt; }

std::optional<int> device_of_kokkos() { return std::nullopt; }

void use_queue_of_kokkos() {}

}  // namespace symm::Impl
