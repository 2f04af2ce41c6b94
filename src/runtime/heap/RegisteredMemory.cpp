// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "RegisteredMemory.hpp"

#include <algorithm>
#include <utility>

#include "../base/Check.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

void RegisteredMemory::enclose(char const* label, Wanted& wanted) {
  auto const [data, bytes, sharing] = wanted.memory;
  auto const found = bytes == 0 ? std::nullopt : m_provider.find_mapping(data);
  if (found) {
    wanted.start    = static_cast<std::size_t>(data - found->start);
    auto const left = found->bytes - wanted.start;
    if (bytes <= left) {
      wanted.memory = *found;
    } else if (!m_map.overlaps(data, 1)) {
      throw UsageError("View \"" + std::string(label) + "\" extends " +
                       bytes_text(bytes - left) + " beyond its allocation of " +
                       bytes_text(found->bytes) +
                       "; a call registers one allocation");
    }
  } else if (bytes > 0) {
    // Set a valid size so that refusal() gives the kind of memory as the
    // reason.
    wanted.memory.bytes = m_provider.granularity(Vmm::Granularity::recommended);
  }
}

std::optional<Failure> RegisteredMemory::refusal(
    std::string const& what, ForeignMemory::Mapping const& wanted, int flags) {
  auto const refused = [&](std::string const& reason) {
    return Failure{ErrorKind::usage, what + " " + reason};
  };
  auto const unit = m_provider.granularity(Vmm::Granularity::recommended);
  char* const at  = wanted.start;
  if (m_is_static) {
    return refused(
        "cannot be registered in a static heap (SYMM_STATIC_HEAP), which "
        "does not grow");
  }
  if (flags != 0) {
    return refused("was passed with flags " + std::to_string(flags) +
                   ", which are reserved; pass 0");
  }
  if (at == nullptr) return refused("must not be null");
  if (wanted.bytes == 0) return refused("has 0 bytes; the size must not be 0");
  if (!is_multiple(wanted.bytes, unit)) {
    return refused("has " + bytes_text(wanted.bytes) +
                   ", which is not a multiple of the granularity of " +
                   m_provider.place() + ", " + std::to_string(unit));
  }
  if (m_map.overlaps(at, 1)) {
    return refused("is already in the symmetric heap");
  }
  auto const found = m_provider.find_mapping(at);
  if (!found) {
    return refused("is in " + m_provider.describe(at) +
                   ", which cannot be mapped into the symmetric heap of " +
                   m_provider.place() +
                   "; allocate it with symm::make_registrable_view, or "
                   "share it in place with symm::share_view");
  }
  if (found->start != at) {
    return refused("is " +
                   bytes_text(static_cast<std::size_t>(at - found->start)) +
                   " after the start of its allocation; pass the start");
  }
  if (found->bytes != wanted.bytes) {
    return refused("is the start of an allocation of " +
                   bytes_text(found->bytes) + ", not " +
                   std::to_string(wanted.bytes) +
                   "; a call registers one whole allocation");
  }
  if (found->sharing == Vmm::Sharing::none) {
    return refused(
        "was created without a handle type; request POSIX file descriptors "
        "when creating it");
  }
  for (auto const& entry : m_entries) {
    // The program may have mapped other memory at this address since then.
    if (entry.memory == at && !entry.view.is_retired_here &&
        m_provider.is_same_memory(m_map.part(m_map.my_pe) + entry.offset, at)) {
      return refused("is already registered; unregister it first");
    }
  }
  return std::nullopt;
}

void RegisteredMemory::add(Entry const& entry) {
  check::registered(m_map.part(m_map.my_pe) + entry.offset, entry.memory,
                    entry.bytes);
  if (entry.view.is_view) ++m_n_views;
  auto const unused =
      std::find_if(m_entries.begin(), m_entries.end(),
                   [](auto const& other) { return other.memory == nullptr; });
  if (unused == m_entries.end()) {
    m_entries.push_back(entry);
  } else {
    *unused = entry;
  }
}

RegisteredMemory::Entry RegisteredMemory::remove(Id id) {
  auto const removed = std::exchange(m_entries[id & ~bit], {});
  check::unregistered(removed.memory);
  if (removed.view.is_view) --m_n_views;
  return removed;
}

RegisteredMemory::Id RegisteredMemory::find(std::size_t offset) const {
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    auto const& entry = m_entries[i];
    if (entry.memory != nullptr && entry.offset <= offset &&
        offset - entry.offset < entry.bytes) {
      return static_cast<Id>(i) | bit;
    }
  }
  return none;
}

RegisteredMemory::Id RegisteredMemory::find_ended() const {
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    auto const& entry = m_entries[i];
    if (entry.memory != nullptr && entry.view.n_retired == m_map.n_pes) {
      return static_cast<Id>(i) | bit;
    }
  }
  return none;
}

std::optional<Text> RegisteredMemory::complaint_about(void const* address,
                                                      std::size_t bytes,
                                                      Id& id) const {
  auto const offset = m_map.offset_of(address);
  id                = find(offset);
  if (id == none)
    return Text("is not a symmetric address of registered memory");
  auto const& found = entry(id);
  if (found.view.is_view) {
    return Text("belongs to View \"", found.view.label.data(),
                "\", whose last copy unregisters it");
  }
  if (found.offset != offset) {
    return Text("is ", offset - found.offset,
                " bytes after the start; pass the start");
  }
  if (found.bytes != bytes) {
    return Text("was registered with ", found.bytes, " bytes, not ", bytes);
  }
  return std::nullopt;
}

void RegisteredMemory::list_views(std::vector<std::string>& list) const {
  for (auto const& entry : m_entries) {
    if (!entry.view.is_alive_here()) continue;
    list.push_back("\"" + std::string(entry.view.label.data()) +
                   "\" (registered, " + bytes_text(entry.bytes) + ")");
  }
}

}  // namespace symm::Impl
