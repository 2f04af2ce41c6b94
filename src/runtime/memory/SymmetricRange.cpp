// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SymmetricRange.hpp"

#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../base/Failure.hpp"

namespace symm::Impl {

namespace {

/// Sent with the descriptor of a PE's memory.
struct MemoryNote {
  Vmm::FabricHandle fabric{};  // all zeros: none
  std::array<char, 64> place{};
};
static_assert(sizeof(MemoryNote) == sizeof(FdExchange::Attachment));

}  // namespace

SymmetricRange::SymmetricRange(Vmm& vmm, FdExchange& exchange, Pe my_pe,
                               int n_pes, std::size_t part_bytes,
                               std::size_t alignment)
    : m_vmm(vmm), m_exchange(exchange) {
  // Only the PEs on this node have parts here.
  auto const& nodes = exchange.nodes();
  std::size_t total = 0;
  if (__builtin_mul_overflow(
          part_bytes, static_cast<std::size_t>(nodes.n_near()), &total)) {
    throw OutOfMemory(std::to_string(nodes.n_near()) + " PEs with up to " +
                      std::to_string(part_bytes) +
                      " bytes each exceed the address space; lower "
                      "SYMM_HEAP_LIMIT");
  }
  m_reservation = m_vmm.reserve(total, alignment);
  // Computed as an integer, because PE 0's part need not exist in this process.
  auto const first = static_cast<std::size_t>(nodes.first_near());
  m_map            = {
                 reinterpret_cast<char*>(reinterpret_cast<std::size_t>(m_reservation) -
                              first * part_bytes),
                 part_bytes,
                 my_pe,
                 n_pes,
                 nodes.first_near(),
                 nodes.n_near()};
}

SymmetricRange::~SymmetricRange() {
  if (is_abandoned()) return;
  // A range can be freed only when nothing is mapped in it. If a call fails,
  // the provider's destructor releases what remains.
  for (auto& [offset, chunk] : m_chunks) static_cast<void>(unmap(chunk));
  static_cast<void>(failure_of([&] {
    m_vmm.address_free(m_reservation,
                       m_map.stride * static_cast<std::size_t>(m_map.n_near));
  }));
}

void SymmetricRange::map_handle(Chunk& chunk, Pe pe, Vmm::Handle handle) {
  char* const address = m_map.part(pe) + chunk.offset;
  m_vmm.map(address, chunk.bytes, 0, handle);
  chunk.is_mapped[index(pe)] = true;
  m_vmm.set_access(address, chunk.bytes, Vmm::Access::read_write);
}

std::optional<Failure> SymmetricRange::unmap(Chunk& chunk) {
  std::optional<Failure> first;
  for (Pe const pe : m_map.near_pes()) {
    auto const i = index(pe);
    if (!chunk.is_mapped[i]) continue;
    auto const failure = failure_of(
        [&] { m_vmm.unmap(m_map.part(pe) + chunk.offset, chunk.bytes); });
    chunk.is_mapped[i] = failure.has_value();
    if (!first) first = failure;
  }
  return first;
}

template <class Work>
void SymmetricRange::with_handle(Vmm::Handle handle, Work const& work) {
  auto const failure = failure_of(work);
  // The mapping and the descriptor keep the memory alive.
  auto const released = failure_of([&] { m_vmm.release(handle); });
  if (failure) throw_failure(*failure);
  if (released) throw_failure(*released);
}

SymmetricRange::Offer SymmetricRange::map_own(Chunk& chunk,
                                              Vmm::Handle handle) {
  Offer offer;
  with_handle(handle, [&] {
    if (m_map.n_near > 1) {  // imported memory may not be exportable
      MemoryNote note;
      auto const place = m_vmm.place();
      place.copy(note.place.data(), note.place.size() - 1);
      note.fabric      = m_vmm.export_fabric(handle).value_or(note.fabric);
      offer.note       = std::bit_cast<FdExchange::Attachment>(note);
      offer.descriptor = m_vmm.export_handle(handle);
    }
    map_handle(chunk, m_map.my_pe, handle);
  });
  return offer;
}

void SymmetricRange::map_peer(Chunk& chunk, Pe pe, FdExchange::Parcel parcel) {
  auto const note    = std::bit_cast<MemoryNote>(parcel.note);
  auto const failure = failure_of([&] {
    std::optional<Vmm::Handle> handle;
    if (note.fabric != Vmm::FabricHandle{}) {
      handle = m_vmm.import_fabric(note.fabric, chunk.bytes);
    }
    if (!handle) {
      handle = m_vmm.import_handle(std::move(parcel.descriptor), chunk.bytes);
    }
    with_handle(*handle, [&] { map_handle(chunk, pe, *handle); });
  });
  if (failure) {
    throw_failure(
        {failure->kind, Text("PE ", m_map.my_pe, " (", m_vmm.place(),
                             ") cannot map the memory of PE ", pe, " (",
                             note.place.data(), "): ", failure->message)});
  }
}

void SymmetricRange::map_peers(Chunk& chunk, Offer own) {
  auto parcels = m_exchange.exchange(own.descriptor.get(), own.note);
  for (Pe const pe : m_map.near_pes()) {
    auto& parcel = parcels[index(pe)];
    // A PE that sent no descriptor has failed and reports the reason itself.
    if (parcel.descriptor) map_peer(chunk, pe, std::move(parcel));
  }
}

SymmetricRange::Addition SymmetricRange::try_to_add_chunk(
    std::size_t offset, std::size_t bytes, Agree const& agree,
    std::function<Vmm::Handle()> const& own_memory) {
  Text const what(own_memory ? "mapping " : "growing by ", bytes,
                  " bytes per PE");
  Offer own;
  auto const failure = failure_of([&] {
    all_or_none(agree, what, [&] {
      auto& chunk =
          m_chunks
              .emplace(offset, Chunk{offset, bytes,
                                     std::vector<bool>(static_cast<std::size_t>(
                                         m_map.n_near))})
              .first->second;
      own = map_own(
          chunk, own_memory ? own_memory()
                            : m_vmm.create(bytes, Vmm::Sharing::by_descriptor));
    });
    all_or_none(agree, what,
                [&] { map_peers(m_chunks.at(offset), std::move(own)); });
  });
  if (!failure) return {};
  auto const left = agree(failure_of([&] { remove_chunk(offset); }));
  return {failure, left.has_value()};
}

void SymmetricRange::add_chunk(std::size_t offset, std::size_t bytes,
                               Agree const& agree) {
  auto const added = try_to_add_chunk(offset, bytes, agree);
  if (added.failure) throw_failure(*added.failure);
}

void SymmetricRange::remove_chunk(std::size_t offset) {
  auto const chunk = m_chunks.find(offset);
  if (chunk == m_chunks.end()) return;  // the chunk was never recorded
  if (auto const failure = unmap(chunk->second)) throw_failure(*failure);
  m_chunks.erase(chunk);
}

}  // namespace symm::Impl
