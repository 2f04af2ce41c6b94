// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "LocalBuffers.hpp"

#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "../base/Failure.hpp"

namespace symm::Impl {

namespace {

std::size_t value_of(void const* address) {
  return reinterpret_cast<std::size_t>(address);
}

}  // namespace

LocalBuffers::~LocalBuffers() {
  // The process or its driver is shutting down, so a failure cannot be
  // reported.
  static_cast<void>(failure_of([&] { clear(); }));
}

void LocalBuffers::add(void* address, std::size_t bytes) {
  auto const start = value_of(address);
  auto const text =
      "address " + address_text(address) + ", " + bytes_text(bytes);
  if (address == nullptr || bytes == 0) {
    throw UsageError(
        text + ": the address must not be null, and the size must not be 0");
  }
  if (bytes > std::numeric_limits<std::size_t>::max() - start) {
    throw UsageError(text +
                     ": the range extends beyond the end of the address space");
  }
  std::lock_guard const lock(m_mutex);
  auto const next = m_buffers.lower_bound(start);
  auto const previous =
      next == m_buffers.begin() ? m_buffers.end() : std::prev(next);
  auto const refuse = [&](Buffers::const_iterator other) {
    throw UsageError(
        text + ": overlaps the buffer of " + bytes_text(other->second.bytes) +
        " registered at " +
        address_text(reinterpret_cast<void*>(other->first)) +
        "; unregister that buffer first, and before freeing its memory");
  };
  if (next != m_buffers.end() && next->first - start < bytes) refuse(next);
  if (previous != m_buffers.end() &&
      start - previous->first < previous->second.bytes) {
    refuse(previous);
  }
  auto const buffer = m_buffers.emplace_hint(next, start, Buffer{bytes, false});
  try {
    buffer->second.is_pinned = m_memory.pin(address, bytes);
  } catch (...) {
    m_buffers.erase(buffer);
    throw;
  }
}

void LocalBuffers::erase(Buffers::iterator buffer) {
  auto* const address  = reinterpret_cast<void*>(buffer->first);
  bool const is_pinned = buffer->second.is_pinned;
  m_buffers.erase(buffer);
  if (!is_pinned) return;
  // The buffer is registered, so a failure is not the caller's error.
  if (auto const failure = failure_of([&] { m_memory.unpin(address); })) {
    throw SystemError(failure->message);
  }
}

void LocalBuffers::remove(void* address) {
  std::lock_guard const lock(m_mutex);
  auto const buffer = m_buffers.find(value_of(address));
  if (buffer == m_buffers.end()) {
    throw UsageError("address " + address_text(address) +
                     " is not the start of a registered buffer");
  }
  erase(buffer);
}

void LocalBuffers::clear() {
  std::lock_guard const lock(m_mutex);
  std::optional<Failure> first;
  while (!m_buffers.empty()) {
    auto const failure = failure_of([&] { erase(m_buffers.begin()); });
    if (!first) first = failure;
  }
  if (first) throw_failure(*first);
}

}  // namespace symm::Impl
