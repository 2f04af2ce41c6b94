// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/UcxPair.hpp"

namespace perf {

struct UcxPair::Impl {};

bool UcxPair::available() { return false; }
UcxPair::UcxPair(int, int, std::size_t) {}
UcxPair::~UcxPair() = default;
std::uint64_t* UcxPair::words() const { return nullptr; }
void UcxPair::put(void const*, std::size_t) {}
void UcxPair::post(void const*, std::size_t) {}
void UcxPair::flush() {}
void UcxPair::get(void*, std::size_t) {}
std::uint64_t UcxPair::fetch_add(std::uint64_t) { return 0; }
void UcxPair::post_add(std::uint64_t) {}
void UcxPair::end() {}
void UcxPair::serve() {}

}  // namespace perf
