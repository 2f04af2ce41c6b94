// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PinnedMemory.hpp"

#include <cstring>

#include "../symm_errors.hpp"

namespace symm::Impl {

PinnedMemory::PinnedMemory(MemoryProvider& provider, std::size_t bytes)
    : m_provider(provider), m_bytes(bytes) {
  auto* const memory =
      ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
  if (memory == nullptr) {
    throw OutOfMemory("no private memory for copies to and from a GPU");
  }
  m_memory.reset(static_cast<std::byte*>(memory));
  std::memset(memory, 0, bytes);
  m_is_pinned = provider.pin(memory, bytes);
}

PinnedMemory::~PinnedMemory() {
  if (!m_is_pinned) return;
  try {
    m_provider.unpin(m_memory.get());
  } catch (Error const&) {
    // The GPU context is lost. Leak the memory, because it may still be
    // page-locked.
    static_cast<void>(m_memory.release());
  }
}

}  // namespace symm::Impl
