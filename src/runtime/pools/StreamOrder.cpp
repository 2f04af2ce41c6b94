// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "StreamOrder.hpp"

#include <algorithm>

#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

bool has(std::uint64_t bits, StreamOrder::Number number) {
  return (bits >> number & 1U) != 0;
}

}  // namespace

bool StreamOrder::knows(StreamName const& name) const {
  return std::any_of(m_streams.begin(), m_streams.end(),
                     [&](Known const& known) { return known.key == name.key; });
}

StreamOrder::Number StreamOrder::find_or_add(StreamName const& name) {
  auto const find = [&](void const* key) {
    return std::find_if(m_streams.begin(), m_streams.end(),
                        [&](Known const& known) { return known.key == key; });
  };
  auto known = find(name.key);
  if (known == m_streams.end()) {
    known = find(nullptr);
    if (known == m_streams.end()) {
      if (m_streams.size() == max_streams) {
        throw UsageError(Text(
            "more than ", max_streams,
            " streams have blocks of pools; call a collective function of the "
            "symmetric heap, such as symm::heap_trim(), to make the pools "
            "forget streams on which all blocks are freed"));
      }
      m_streams.emplace_back();
      known = m_streams.end() - 1;
    }
    known->stream = name.make(name.what);
    known->key    = name.key;
  }
  m_latest = static_cast<Number>(known - m_streams.begin());
  return m_latest;
}

void StreamOrder::make_barrier(Number number) {
  if (m_latest_barrier != max_streams) make_wait(number, m_latest_barrier);
  stream(number).barrier();
  barrier(number);
  m_latest_barrier = number;
}

void StreamOrder::order_after(Number later, Number earlier) {
  if (later == earlier) return;
  auto& behind       = m_streams[later];
  auto const& before = m_streams[earlier];
  for (Number i = 0; i < n_streams(); ++i) {
    behind.here[i]   = std::max(behind.here[i], before.here[i]);
    behind.on_all[i] = std::max(behind.on_all[i], before.on_all[i]);
  }
  behind.here[earlier] = advance();
}

void StreamOrder::barrier(Number number) {
  auto& known        = m_streams[number];
  known.here[number] = advance();
  for (Number i = 0; i < n_streams(); ++i) {
    known.on_all[i] = std::max(known.on_all[i], known.here[i]);
  }
}

void StreamOrder::all_ended_here() { m_ended_here = advance(); }

void StreamOrder::all_ended() {
  m_ended = m_ended_here = advance();
  m_latest_barrier       = max_streams;
}

void StreamOrder::were_idle(std::uint64_t numbers) {
  for (Number i = 0; i < n_streams(); ++i) {
    if (has(numbers, i)) m_streams[i].was_idle = advance();
  }
}

std::uint64_t StreamOrder::idle(std::uint64_t numbers) {
  std::uint64_t result = 0;
  for (Number i = 0; i < n_streams(); ++i) {
    if (has(numbers, i) && m_streams[i].stream->is_idle()) {
      result |= std::uint64_t{1} << i;
    }
  }
  return result;
}

bool StreamOrder::are_idle() {
  return std::all_of(m_streams.begin(), m_streams.end(), [](Known& known) {
    return known.key == nullptr || known.stream->is_idle();
  });
}

void StreamOrder::forget_all_but(std::uint64_t in_use) {
  for (Number i = 0; i < n_streams(); ++i) {
    if (!has(in_use, i)) m_streams[i] = {};
  }
}

}  // namespace symm::Impl
