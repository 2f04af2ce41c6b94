// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PeerView.hpp"
#include "../../runtime/base/PeNumbers.hpp"

#include "../../runtime/job/Runtime.hpp"

namespace symm::Impl {

HeapMap const* find_heap_map(MemoryKind kind, void const* address,
                             char const* call) {
  auto const& heap = Runtime::instance(call).heap(kind, call);
  if (address != nullptr && !heap.contains(address)) return nullptr;
  return &heap.map();
}

void throw_not_in_heap(std::string const& label, char const* call) {
  throw UsageError(std::string(call) + ": View \"" + label +
                   "\" is not in this PE's part of the symmetric heap; pass "
                   "this PE's own View, not a peer's or one in a local pool");
}

void throw_no_peer_view(std::string const& label, Pe pe, int n_pes) {
  std::string const what = "symm::peer_view of \"" + label + "\": ";
  if (0 <= pe && pe < n_pes) {
    throw UsageError(
        what + "PE " + std::to_string(pe) +
        " is on another node, whose memory loads and stores cannot reach; use "
        "symm::remote_view(view).peer(pe), or symm::put and symm::get with "
        "addresses of this PE's View");
  }
  throw UsageError(what + std::string(text_of_no_pe(pe, n_pes)));
}

}  // namespace symm::Impl
