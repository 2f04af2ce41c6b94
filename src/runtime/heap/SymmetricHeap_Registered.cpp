// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Registering the program's memory as part of the heap.
#include "../base/Check.hpp"
#include "../base/Failure.hpp"
#include "SymmetricHeap.hpp"

namespace symm::Impl {

void* SymmetricHeap::register_memory(void* memory, std::size_t bytes,
                                     int flags) {
  ForeignMemory::Mapping const wanted{static_cast<char*>(memory), bytes,
                                      Vmm::Sharing::by_descriptor};
  return run(RuntimeCall::register_symmetric, [&]() -> void* {
    Rendezvous::Call call{
        .operation = RuntimeCall::register_symmetric,
        .arguments = {bytes, static_cast<std::uint64_t>(flags)}};
    auto const failure = failure_of([&] {
      collect_retired_views();
      call.failure = m_registered.refusal("address " + address_text(memory),
                                          wanted, flags);
    });
    if (failure) call.failure = failure;
    return add_registered(call, {memory, 0, bytes});
  });
}

char* SymmetricHeap::add_registered(Rendezvous::Call& call,
                                    RegisteredMemory::Entry entry) {
  // Prepare before the PEs meet so that add() cannot fail on one PE alone.
  auto const failure = failure_of([&] { m_registered.prepare(); });
  if (failure && !call.failure) call.failure = failure;
  meet(call);
  auto place = m_chunks.place_for_registered(entry.bytes);
  if (!place && m_rendezvous.has_more_notices()) {
    meet_until_all_retired();
    place = m_chunks.place_for_registered(entry.bytes);
  }
  if (!place) {
    throw_named(call, {ErrorKind::out_of_memory,
                       Text("no room on any PE for ", entry.bytes,
                            " bytes of addresses; the heap is limited to ",
                            m_chunks.options().limit_bytes,
                            " bytes per PE; raise SYMM_HEAP_LIMIT")});
  }
  entry.offset = *place;
  check::allocated(map().part(map().my_pe) + entry.offset, entry.bytes,
                   call.label, call.arguments[2]);
  auto const step =
      m_chunks.add_registered(entry.offset, entry.bytes, entry.memory);
  if (step) throw_named(call, *step);
  m_registered.add(entry);
  return map().part(map().my_pe) + entry.offset;
}

void SymmetricHeap::unregister_memory(void* address, std::size_t bytes) {
  run(RuntimeCall::unregister_symmetric, [&] {
    auto id = RegisteredMemory::none;
    Rendezvous::Call call{.operation = RuntimeCall::unregister_symmetric,
                          .arguments = {bytes, map().offset_of(address)}};
    auto const complaint = m_registered.complaint_about(address, bytes, id);
    if (complaint) call.failure = wrong_address(address, *complaint);
    meet(call);
    auto const failed = m_chunks.remove(m_registered.remove(id).offset);
    if (failed) throw_lost(call, *failed);
  });
}

}  // namespace symm::Impl
