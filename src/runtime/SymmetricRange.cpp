// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/SymmetricRange.hpp"

#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../runtime/Error.hpp"

namespace symm {

namespace {

/// What travels beside the descriptor of a PE's memory.
struct MemoryNote {
  Vmm::FabricHandle fabric{};  // all zero: none
  std::array<char, 64> place{};
};
static_assert(sizeof(MemoryNote) == sizeof(FdExchange::Note));

}  // namespace

SymmetricRange::SymmetricRange(Vmm& vmm, FdExchange& exchange, Pe my_pe,
                               int n_pes, std::size_t part_bytes,
                               std::size_t alignment)
    : m_vmm(vmm), m_exchange(exchange) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(part_bytes, static_cast<std::size_t>(n_pes),
                             &total)) {
    throw OutOfMemory(std::to_string(n_pes) + " PEs with up to " +
                      std::to_string(part_bytes) +
                      " bytes each exceed the address space; lower "
                      "SYMM_HEAP_LIMIT");
  }
  m_map = {m_vmm.reserve(total, alignment), part_bytes, my_pe, n_pes};
}

SymmetricRange::~SymmetricRange() {
  if (m_map.base == nullptr) return;  // abandoned
  // Only a range with nothing mapped can be freed; what fails here is left to
  // the provider, which gives everything back at its own end.
  static_cast<void>(failure_of([&] {
    for (auto const& [offset, bytes] : std::exchange(m_chunks, {})) {
      for (Pe pe = 0; pe < m_map.n_pes; ++pe) unmap(pe, offset, bytes);
    }
    m_vmm.address_free(m_map.base,
                       m_map.stride * static_cast<std::size_t>(m_map.n_pes));
  }));
}

void SymmetricRange::map_handle(Vmm::Handle handle, Pe pe, std::size_t offset,
                                std::size_t bytes) {
  char* const address = m_map.part(pe) + offset;
  m_vmm.map(address, bytes, 0, handle);
  try {
    m_vmm.set_access(address, bytes, Vmm::Access::read_write);
  } catch (...) {
    m_vmm.unmap(address, bytes);
    throw;
  }
}

void SymmetricRange::unmap(Pe pe, std::size_t offset, std::size_t bytes) {
  m_vmm.unmap(m_map.part(pe) + offset, bytes);
}

void SymmetricRange::with_handle(Vmm::Handle handle, Pe pe, std::size_t offset,
                                 std::size_t bytes,
                                 std::function<void()> const& work) {
  auto const failure = failure_of(work);
  // The mapping, and the descriptor, keep the memory.
  auto const released = failure_of([&] { m_vmm.release(handle); });
  if (failure) throw_failure(*failure);
  if (!released) return;
  static_cast<void>(failure_of([&] { unmap(pe, offset, bytes); }));
  throw_failure(*released);
}

SymmetricRange::Offer SymmetricRange::map_own(std::size_t offset,
                                              std::size_t bytes,
                                              Vmm::Handle handle) {
  Offer offer;
  with_handle(handle, m_map.my_pe, offset, bytes, [&] {
    MemoryNote note;
    auto const place = m_vmm.place();
    place.copy(note.place.data(), note.place.size() - 1);
    note.fabric      = m_vmm.export_fabric(handle).value_or(note.fabric);
    offer.note       = std::bit_cast<FdExchange::Note>(note);
    offer.descriptor = m_vmm.export_handle(handle);
    map_handle(handle, m_map.my_pe, offset, bytes);
  });
  return offer;
}

void SymmetricRange::map_peer(Pe pe, FdExchange::Parcel parcel,
                              std::size_t offset, std::size_t bytes) {
  auto const note    = std::bit_cast<MemoryNote>(parcel.note);
  auto const failure = failure_of([&] {
    std::optional<Vmm::Handle> handle;
    if (note.fabric != Vmm::FabricHandle{}) {
      handle = m_vmm.import_fabric(note.fabric, bytes);
    }
    if (!handle) {
      handle = m_vmm.import_handle(std::move(parcel.descriptor), bytes);
    }
    with_handle(*handle, pe, offset, bytes,
                [&] { map_handle(*handle, pe, offset, bytes); });
  });
  if (failure) {
    throw_failure({failure->kind,
                   "PE " + std::to_string(m_map.my_pe) + " (" + m_vmm.place() +
                       ") cannot map the memory of PE " + std::to_string(pe) +
                       " (" + note.place.data() + "): " + failure->message});
  }
}

std::vector<Pe> SymmetricRange::map_peers(std::size_t offset, std::size_t bytes,
                                          Offer own) {
  auto parcels = m_exchange.exchange(own.descriptor.get(), own.note);
  std::vector<Pe> mapped;
  auto const failure = failure_of([&] {
    mapped.reserve(parcels.size());
    for (Pe pe = 0; pe < m_map.n_pes; ++pe) {
      auto& parcel = parcels[static_cast<std::size_t>(pe)];
      // A PE that could not pass one has failed, and says why itself.
      if (!parcel.descriptor) continue;
      map_peer(pe, std::move(parcel), offset, bytes);
      mapped.push_back(pe);
    }
  });
  if (failure) {
    for (Pe const pe : mapped) unmap(pe, offset, bytes);
    throw_failure(*failure);
  }
  return mapped;
}

void SymmetricRange::add_chunk(std::size_t offset, std::size_t bytes,
                               Agree const& agree,
                               std::function<Vmm::Handle()> const& own_memory) {
  std::string const what = (own_memory ? "mapping " : "growing by ") +
                           std::to_string(bytes) + " bytes per PE";
  Offer own;
  auto const remove_own = [&] {
    unmap(m_map.my_pe, offset, bytes);
    m_chunks.erase(offset);
  };
  all_or_none(
      agree, what,
      [&] {
        m_chunks.emplace(offset, bytes);
        try {
          own = map_own(offset, bytes,
                        own_memory
                            ? own_memory()
                            : m_vmm.create(bytes, Vmm::Sharing::by_descriptor));
        } catch (...) {
          m_chunks.erase(offset);
          throw;
        }
      },
      remove_own);
  std::vector<Pe> mapped;
  all_or_none(
      agree, what,
      [&] {
        try {
          mapped = map_peers(offset, bytes, std::move(own));
        } catch (...) {
          remove_own();
          throw;
        }
      },
      [&] {
        for (Pe const pe : mapped) unmap(pe, offset, bytes);
        remove_own();
      });
}

void SymmetricRange::remove_chunk(std::size_t offset, std::size_t bytes) {
  m_chunks.erase(offset);
  std::optional<Failure> first;
  for (Pe pe = 0; pe < m_map.n_pes; ++pe) {
    auto const failure = failure_of([&] { unmap(pe, offset, bytes); });
    if (!first) first = failure;
  }
  if (first) throw_failure(*first);
}

}  // namespace symm
