// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A View's lifetime: allocation, retirement on this PE, and release on all PEs.
#include <cstdio>

#include "../base/Check.hpp"
#include "../base/Failure.hpp"
#include "SymmetricHeap.hpp"

namespace symm::Impl {

// Allocation.

void* SymmetricHeap::allocate_view(char const* label, std::size_t bytes,
                                   std::size_t alignment, std::size_t header) {
  return run(RuntimeCall::allocate_view, [&]() -> void* {
    auto call    = Rendezvous::make_call(RuntimeCall::allocate_view,
                                         {bytes - header, alignment, header});
    call.label   = label;
    call.failure = check_alignment(alignment);
    meet(call);
    auto const id = find_room(call, {bytes, alignment, header % alignment});
    m_blocks.begin_view(id, label, header);
    return m_blocks.address_of(id);
  });
}

SymmetricHeap::Id SymmetricHeap::find_room(Rendezvous::Call const& call,
                                           HeapBlocks::Request const& request) {
  auto id = m_blocks.take(request);
  if (id == HeapBlocks::none && m_rendezvous.has_more_notices()) {
    meet_until_all_retired();
    id = m_blocks.take(request);
  }
  if (id == HeapBlocks::none) {
    auto const failure = m_chunks.grow(m_blocks, request);
    if (failure) throw_named(call, *failure);
    id = m_blocks.take(request);
  }
  bool const is_view = call.operation == RuntimeCall::allocate_view;
  check::allocated(m_blocks.address_of(id), request.bytes, call.label,
                   is_view ? call.arguments[2] : 0);
  if constexpr (check::has_detector) {
    // Wait until all PEs have cleared this memory's access history. Otherwise,
    // a PE could access the memory before another PE clears the history.
    static_cast<void>(m_rendezvous.agree(std::nullopt));
  }
  return id;
}

void* SymmetricHeap::register_view(char const* label, void const* data,
                                   std::size_t bytes,
                                   std::optional<Failure> const& before) {
  return run(RuntimeCall::register_view, [&]() -> void* {
    Rendezvous::Call call{.operation = RuntimeCall::register_view,
                          .label     = label};
    RegisteredMemory::Wanted wanted{
        {static_cast<char*>(const_cast<void*>(data)), bytes,
         Vmm::Sharing::by_descriptor}};
    auto const failure = failure_of([&] {
      collect_retired_views();
      if (before) throw_failure(*before);
      m_registered.enclose(label, wanted);
      call.failure = m_registered.refusal("View \"" + std::string(label) + "\"",
                                          wanted.memory, 0);
    });
    if (failure) call.failure = failure;
    call.arguments = {bytes, wanted.memory.bytes, wanted.start};
    RegisteredMemory::Entry entry{wanted.memory.start, 0, wanted.memory.bytes};
    entry.view.begin(label, 0);
    return add_registered(call, entry) + wanted.start;
  });
}

void SymmetricHeap::finish_view(char const* label,
                                std::optional<Failure> const& failure) {
  run(RuntimeCall::finish_view, [&] {
    auto call    = Rendezvous::make_call(RuntimeCall::finish_view, {});
    call.memory  = memory();
    call.label   = label;
    call.failure = failure;
    m_rendezvous.meet(call);
  });
}

// Retirement and release.

void SymmetricHeap::free_view(void* address) { free_block(address, true); }

void SymmetricHeap::retire(void* address) noexcept {
  m_retired.retire(address);
}

void SymmetricHeap::meet(Rendezvous::Call& call) {
  // Before the PEs meet, acquire all private memory that this call needs. After
  // they have met, nothing may fail on one PE alone.
  call.memory          = memory();
  auto* const listener = m_rendezvous.listener();
  auto const failure   = failure_of([&] {
    m_provider.synchronize();
    m_blocks.prepare();
    m_chunks.prepare();
    m_retired.prepare(m_blocks.n_views() + m_registered.n_views() + 1);
    collect_retired_views();
    if (listener != nullptr) listener->prepare();
  });
  if (failure && !call.failure) call.failure = failure;
  call.notices          = m_retired.notices();
  call.has_more_notices = m_retired.has_more_notices();
  // If this call throws, it throws on every PE, and no PE has read the notices.
  // The next call then sends them again.
  m_rendezvous.meet(call);
  if (!call.notices.empty()) {
    m_retired.told(call.notices.size(), m_rendezvous.last_told());
  }
  if (listener != nullptr) listener->all_ended();
  bool has_registered = false;
  // Every PE reads the same notices in the same order, so the same blocks
  // become free in the same order.
  m_rendezvous.for_each_notice([&](Id id, int n_pes) {
    if (!m_retired.count(view(id), n_pes, map().n_pes)) return;
    if (RegisteredMemory::is_registered(id)) {
      has_registered = true;
    } else {
      m_blocks.give_back(id);
    }
  });
  // This call must be last, because it synchronizes with the other PEs again,
  // which replaces the notices.
  if (has_registered) remove_registered_views();
}

void SymmetricHeap::meet_until_all_retired() {
  while (m_rendezvous.has_more_notices()) {
    Rendezvous::Call call{.operation = RuntimeCall::agree};
    meet(call);
  }
}

void SymmetricHeap::collect_retired_views() {
  m_retired.collect([&](void* address) {
    auto const offset = map().offset_of(address);
    auto id           = m_blocks.find(offset);
    if (id == HeapBlocks::none) id = m_registered.find(offset);
    if (id == HeapBlocks::none || !view(id).is_alive_here()) {
      std::fprintf(stderr,
                   "symm: PE %d: %p is not the memory of a live View in the "
                   "symmetric heap; not freed\n",
                   map().my_pe, address);
      return RetiredViews::none;
    }
    view(id).is_retired_here = true;
    return id;
  });
}

void SymmetricHeap::remove_registered_views() {
  while (true) {
    auto const id = m_registered.find_ended();
    if (id == RegisteredMemory::none) return;
    auto const failed = m_chunks.remove(m_registered.remove(id).offset);
    // Print the failure instead of throwing it, because the Views have already
    // been destroyed.
    if (!failed || failed->pe != map().my_pe) continue;
    std::fprintf(stderr,
                 "symm: PE %d: removing a View from the heap failed: %s; its "
                 "addresses are lost\n",
                 failed->pe, failed->failure.message.c_str());
  }
}

}  // namespace symm::Impl
