// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CopyOfPeer.hpp"

#include "../../runtime/base/Types.hpp"
#include "../../runtime/heap/SymmetricHeap.hpp"
#include "../../runtime/job/Runtime.hpp"

namespace symm::Impl {

namespace {

/// The PE whose part of a heap holds an address, and the address of this PE's
/// copy of that object. `own` is null if no other PE's part holds the address.
struct PeerMemory {
  Pe pe           = -1;
  void const* own = nullptr;
};

PeerMemory find_peer(void const* address) {
  if (!Runtime::is_initialized()) return {};
  auto& runtime = Runtime::instance("symm::copy");
  for (auto const kind : {MemoryKind::host, MemoryKind::device}) {
    auto const* const heap = runtime.find_heap(kind);
    if (heap == nullptr || !heap->map().overlaps(address, 1)) continue;
    auto const& map     = heap->map();
    auto const distance = static_cast<char const*>(address) - map.base;
    auto const pe =
        static_cast<Pe>(static_cast<std::size_t>(distance) / map.stride);
    if (pe == map.my_pe) return {};
    return {pe, static_cast<char const*>(address) - map.distance(pe)};
  }
  return {};
}

}  // namespace

Operation operation_of_copy(char const* call, void const* to, void const* from,
                            std::size_t bytes) {
  if (auto const peer = find_peer(to); peer.own != nullptr) {
    return {OperationKind::put, call, peer.pe, bytes, peer.own, from};
  }
  if (auto const peer = find_peer(from); peer.own != nullptr) {
    return {OperationKind::get, call, peer.pe, bytes, peer.own, to};
  }
  return {OperationKind::put, call, -1, bytes, nullptr, from};
}

}  // namespace symm::Impl
