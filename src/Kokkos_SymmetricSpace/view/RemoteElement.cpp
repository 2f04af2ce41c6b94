// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "RemoteElement.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "../../runtime/access/Access.hpp"
#include "../../runtime/access/PeOperations.hpp"
#include "../../runtime/base/Check.hpp"
#include "../../runtime/base/Hints.hpp"
#include "../../runtime/base/KernelText.hpp"
#include "../../runtime/base/PeNumbers.hpp"
#include "../../runtime/base/Text.hpp"
#include "../../runtime/heap/SymmetricHeap.hpp"
#include "../../runtime/job/Runtime.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/transport/Message.hpp"

namespace symm::Impl {

namespace {

constexpr char const* call_of_elements = "symm::remote_view";

/// In a build with checks, reports once that element-wise gets are slow.
void count_get(HeapMap const& map, Pe pe) {
  if constexpr (!has_checks_in_kernels && !check::has_detector) return;
  static std::atomic<std::uint64_t> n_gets{0};
  if (map.is_near(pe)) return;
  if (n_gets.fetch_add(1, std::memory_order_relaxed) + 1 != many_elements) {
    return;
  }
  check::gets_elements();
  std::fprintf(stderr, "symm: slow: PE %d%s (reported once)\n", map.my_pe,
               got_one_by_one);
}

}  // namespace

FarElement find_far_element(void const* address, Pe pe) {
  auto& runtime = Runtime::instance(call_of_elements);
  int n_pes     = 0;
  for (auto const kind : {MemoryKind::host, MemoryKind::device}) {
    auto const* const heap = runtime.find_heap(kind);
    if (heap == nullptr) continue;
    auto const& map   = heap->map();
    auto const offset = reinterpret_cast<std::uintptr_t>(address) -
                        reinterpret_cast<std::uintptr_t>(map.part(pe));
    n_pes = map.n_pes;
    if (pe < 0 || pe >= n_pes) break;
    if (offset < map.stride) return {*heap, map.part(map.my_pe) + offset};
  }
  throw_no_pe(pe, n_pes, call_of_elements, " for this View");
}

void put_far_element(SymmetricHeap const& heap, void* dest, void const* value,
                     std::size_t bytes, Pe pe) {
  // A value that fits into a batch is copied immediately. A larger value must
  // not be read after this call, so the call waits for local completion.
  bool const is_copied = bytes <= BatchEntry::max_bytes;
  put_without_stores(memory_of({nullptr, &heap}, dest, pe), value, bytes,
                     is_copied ? Completion::none : Completion::local,
                     call_of_elements);
}

void get_far_element(void* value, SymmetricHeap const& heap, void const* source,
                     std::size_t bytes, Pe pe) {
  count_get(heap.map(), pe);
  quiet_far();
  get_otherwise(value, memory_of({nullptr, &heap}, source, pe), bytes,
                Completion::local, call_of_elements);
}

void begin_get_of_far_element(void* into, SymmetricHeap const& heap,
                              void const* source, std::size_t bytes, Pe pe) {
  get_otherwise(into, memory_of({nullptr, &heap}, source, pe), bytes,
                Completion::none, call_of_elements);
}

}  // namespace symm::Impl
