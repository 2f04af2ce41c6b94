// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory of the program as a part of the heap.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "SymmetricHeap.hpp"

namespace symm::Impl {

namespace {

Failure usage(void const* address, Text const& reason) {
  return {ErrorKind::usage, Text("address ", address, " ", reason)};
}

}  // namespace

void SymmetricHeap::set_label(BlockInfo& info, char const* label) {
  std::string_view const text(label);
  info.label[text.copy(info.label.data(), info.label.size() - 1)] = '\0';
}

SymmetricHeap::BlockId SymmetricHeap::find_registered(
    std::size_t offset) const {
  for (std::size_t i = 0; i < m_registered.size(); ++i) {
    auto const& entry = m_registered[i];
    if (entry.memory != nullptr && entry.offset <= offset &&
        offset - entry.offset < entry.bytes) {
      return static_cast<BlockId>(i) | registered_bit;
    }
  }
  return OffsetAllocator::none;
}

std::optional<Failure> SymmetricHeap::check_registrable(
    std::string const& what, ForeignMemory::Mapping const& wanted, int flags) {
  auto const refused = [&](std::string const& reason) {
    return Failure{ErrorKind::usage, what + " " + reason};
  };
  auto const unit = m_vmm.granularity(Vmm::Granularity::recommended);
  char* const at  = wanted.start;
  if (m_options.is_static) {
    return refused(
        "cannot become part of a static heap (SYMM_STATIC_HEAP), only of one "
        "that grows");
  }
  if (flags != 0) {
    return refused("comes with flags " + std::to_string(flags) +
                   ", which are reserved; pass 0");
  }
  if (at == nullptr) return refused("is no memory");
  if (wanted.bytes == 0)
    return refused("has 0 bytes: there is nothing to share");
  if (!is_multiple(wanted.bytes, unit)) {
    return refused("has " + bytes_text(wanted.bytes) +
                   ", not a multiple of the granularity of " + m_vmm.place() +
                   ", " + std::to_string(unit));
  }
  if (map().overlaps(at, 1)) {
    return refused("is in the symmetric heap already");
  }
  auto const found = m_vmm.find_mapping(at);
  if (!found) {
    return refused("is in " + m_vmm.describe(at) +
                   ", which cannot be mapped into the symmetric heap of " +
                   m_vmm.place() +
                   ": allocate it with symm::make_registrable_view, or let "
                   "peers reach it where it is with symm::share_view");
  }
  if (found->start != at) {
    return refused("is " +
                   bytes_text(static_cast<std::size_t>(at - found->start)) +
                   " after the start of its memory; pass the start");
  }
  if (found->bytes != wanted.bytes) {
    return refused("is the start of a memory of " + bytes_text(found->bytes) +
                   ", not " + std::to_string(wanted.bytes) +
                   ": a call maps one memory, all of it");
  }
  if (found->sharing == Vmm::Sharing::none) {
    return refused(
        "was created without a handle type; ask for POSIX file descriptors "
        "when creating it");
  }
  for (auto const& entry : m_registered) {
    // At the same address may be other memory by now: the heap keeps its own.
    if (entry.memory == at && !entry.info.is_retired_here &&
        m_vmm.is_same_memory(map().part(map().my_pe) + entry.offset, at)) {
      return refused("is registered already; unregister it first");
    }
  }
  return std::nullopt;
}

void* SymmetricHeap::add_registered(Rendezvous::Call& call, Registered entry) {
  auto const bytes   = entry.bytes;
  auto const failure = failure_of([&] {
    // So that noting it cannot fail on one PE alone.
    m_registered.reserve(m_registered.size() + 1);
  });
  if (failure && !call.failure) call.failure = failure;
  meet(call);
  auto place = m_chunks->place_for_registered(bytes);
  if (!place && m_rendezvous.has_more_notices()) {
    meet_until_all_retired();
    place = m_chunks->place_for_registered(bytes);
  }
  auto const name =
      to_string(call.operation, call.arguments, call.label, call.memory);
  if (!place) {
    throw OutOfMemory(Text(name, ": no room on any PE for ", bytes,
                           " bytes of addresses; the heap is limited to ",
                           m_options.limit_bytes,
                           " bytes per PE; raise SYMM_HEAP_LIMIT"));
  }
  auto const step = add_chunk({*place, bytes, ChunkMap::Kind::registered},
                              [&] { return m_vmm.retain(entry.memory); });
  if (step) throw_failure({step->kind, Text(name, ": ", step->message)});
  entry.offset = *place;
  if (entry.info.is_view) ++m_n_views;
  auto const unused =
      std::find_if(m_registered.begin(), m_registered.end(),
                   [](auto const& other) { return other.memory == nullptr; });
  if (unused == m_registered.end()) {
    m_registered.push_back(entry);
  } else {
    *unused = entry;
  }
  return map().part(map().my_pe) + *place;
}

void* SymmetricHeap::register_memory(void* memory, std::size_t bytes,
                                     int flags) {
  ForeignMemory::Mapping const wanted{static_cast<char*>(memory), bytes,
                                      Vmm::Sharing::by_descriptor};
  return m_rendezvous.run(Operation::register_symmetric, [&]() -> void* {
    Rendezvous::Call call{
        .operation = Operation::register_symmetric,
        .arguments = {bytes, static_cast<std::uint64_t>(flags)}};
    auto const failure = failure_of([&] {
      drain_retired();
      call.failure =
          check_registrable("address " + address_text(memory), wanted, flags);
    });
    if (failure) call.failure = failure;
    return add_registered(call, {memory, 0, bytes, {}});
  });
}

void* SymmetricHeap::register_view(char const* label, void const* data,
                                   std::size_t bytes,
                                   std::optional<Failure> const& before) {
  return m_rendezvous.run(Operation::register_view, [&]() -> void* {
    Rendezvous::Call call{.operation = Operation::register_view,
                          .label     = label};
    ForeignMemory::Mapping whole{static_cast<char*>(const_cast<void*>(data)),
                                 bytes, Vmm::Sharing::by_descriptor};
    std::size_t start  = 0;
    auto const failure = failure_of([&] {
      drain_retired();
      if (before) throw_failure(*before);
      auto const found = bytes == 0 ? std::nullopt : m_vmm.find_mapping(data);
      if (found) {
        start           = static_cast<std::size_t>(whole.start - found->start);
        auto const left = found->bytes - start;
        if (bytes <= left) {
          whole = *found;
        } else if (!map().overlaps(data, 1)) {
          throw UsageError("View \"" + std::string(label) + "\" reaches " +
                           bytes_text(bytes - left) + " beyond its memory of " +
                           bytes_text(found->bytes) +
                           ": a call maps one memory");
        }
      } else if (bytes > 0) {
        // Why not is said below, and not that the size is odd.
        whole.bytes = m_vmm.granularity(Vmm::Granularity::recommended);
      }
      call.failure =
          check_registrable("View \"" + std::string(label) + "\"", whole, 0);
    });
    if (failure) call.failure = failure;
    call.arguments = {bytes, whole.bytes, start};
    Registered entry{whole.start, 0, whole.bytes, {}};
    entry.info.is_view = true;
    set_label(entry.info, label);
    return static_cast<char*>(add_registered(call, entry)) + start;
  });
}

std::optional<PeFailure> SymmetricHeap::remove_registered(BlockId id) {
  auto const entry = std::exchange(registered(id), {});
  if (entry.info.is_view) --m_n_views;
  return remove_chunk(entry.offset);
}

void SymmetricHeap::remove_retired() {
  for (std::size_t i = 0; i < m_registered.size(); ++i) {
    auto const& entry = m_registered[i];
    if (entry.memory == nullptr || entry.info.n_retired < map().n_pes) continue;
    --m_n_waiting;
    auto const failed =
        remove_registered(static_cast<BlockId>(i) | registered_bit);
    // Nobody is left to throw to: the Views have ended.
    if (!failed || failed->pe != map().my_pe) continue;
    std::fprintf(stderr,
                 "symm: PE %d: taking a View out of the heap: %s; its "
                 "addresses are lost\n",
                 failed->pe, failed->failure.message.c_str());
  }
}

void SymmetricHeap::unregister_memory(void* address, std::size_t bytes) {
  m_rendezvous.run(Operation::unregister_symmetric, [&] {
    auto const offset = map().offset_of(address);
    Rendezvous::Call call{.operation = Operation::unregister_symmetric,
                          .arguments = {bytes, offset}};
    auto const id = find_registered(offset);
    if (id == OffsetAllocator::none) {
      call.failure =
          usage(address, "is no symmetric address of registered memory");
    } else if (auto const& entry = registered(id); entry.info.is_view) {
      call.failure =
          usage(address, Text("belongs to View \"", entry.info.label.data(),
                              "\", whose last copy unregisters it"));
    } else if (entry.offset != offset) {
      call.failure =
          usage(address, Text("is ", offset - entry.offset,
                              " bytes after the start; pass the start"));
    } else if (entry.bytes != bytes) {
      call.failure = usage(address, Text("was registered with ", entry.bytes,
                                         " bytes, not ", bytes));
    }
    meet(call);
    if (auto const failed = remove_registered(id)) throw_lost(call, *failed);
  });
}

}  // namespace symm::Impl
