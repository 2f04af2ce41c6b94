// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ImportedPool.hpp"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

void ImportedPool::map(char const* call, SharedPointer const& pointer,
                       MemoryProvider& provider) {
  auto const bytes = static_cast<std::size_t>(pointer.pool_bytes);
  auto const unit  = provider.granularity(Vmm::Granularity::recommended);
  // Import a duplicate so that if mapping fails, the descriptor is still
  // available for the next attempt.
  UniqueFd descriptor(::fcntl(m_descriptor.get(), F_DUPFD_CLOEXEC, 0));
  if (!descriptor) {
    throw SystemError(Text(call, ": duplicating the pool's descriptor"),
                      "fcntl(F_DUPFD_CLOEXEC)", errno);
  }
  auto const alone = [this](std::optional<Failure> const& mine) {
    return mine ? std::optional(PeFailure{m_my_pe, *mine}) : std::nullopt;
  };
  auto failure = failure_of([&] {
    if (!is_multiple(bytes, unit)) {
      throw UsageError(
          Text(bytes, " bytes are not a multiple of ", unit, " bytes"));
    }
    m_range.emplace(provider, m_exchange, 0, 1, bytes, unit);
    auto const added = m_range->try_to_add_chunk(0, bytes, alone, [&] {
      return provider.import_handle(std::move(descriptor), bytes);
    });
    if (added.failure) throw_failure(*added.failure);
  });
  if (failure) {
    m_range.reset();
    throw_failure({failure->kind, Text(call, ": the pool cannot be mapped: ",
                                       failure->message)});
  }
  m_descriptor.reset();  // the mapping keeps the memory alive
  m_provider          = &provider;
  m_properties.memory = static_cast<MemoryKind>(pointer.memory);
  m_reserved.set(bytes);
}

void* ImportedPool::import(char const* call, SharedPointer const& pointer,
                           MemoryProvider& provider) {
  auto const& own_name = *m_shared_name;
  if (own_name.is_complete() ? own_name != pointer.pool
                             : !own_name.is_same_file(pointer.pool)) {
    throw UsageError(
        Text(call, ": the pointer was exported from another pool"));
  }
  auto const place = m_blocks.try_emplace(pointer.offset).first;
  auto& block      = place->second;
  if (block.count == 0) {
    block.bytes        = pointer.bytes;
    auto const failure = failure_of([&] {
      if (!m_range) map(call, pointer, provider);
    });
    if (failure) {
      m_blocks.erase(place);
      throw_failure(*failure);
    }
    m_used.set(m_used.current + block.bytes);
  }
  ++block.count;
  m_shared_name = pointer.pool;
  return m_range->map().part(0) + pointer.offset;
}

void ImportedPool::free(void const* address, StreamOrder::Position at) {
  auto const place = m_blocks.find(m_range->map().offset_of(address));
  m_latest_free    = at;
  if (--place->second.count > 0) return;
  m_used.current -= place->second.bytes;
  m_blocks.erase(place);
}

void ImportedPool::list_blocks(std::vector<std::string>& list) const {
  for (auto const& [offset, block] : m_blocks) {
    list.push_back("\"\" (" + std::to_string(block.bytes) +
                   " bytes of an imported pool)");
  }
}

}  // namespace symm::Impl
