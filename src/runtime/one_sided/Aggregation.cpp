// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Aggregation.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "../access/Access.hpp"
#include "../base/Text.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../job/Runtime.hpp"
#include "../symm_errors.hpp"
#include "../transport/Channel.hpp"
#include "../transport/TargetMemory.hpp"
#include "NodeBins.hpp"

namespace symm::Impl {

Aggregation::Aggregation(std::uint64_t life) : m_life(life) {}

Aggregation::~Aggregation() {
  if (!Runtime::is_initialized()) return;
  if (Runtime::instance("symm::Context").number() != m_life) return;
  try {
    deliver("symm::Context");
  } catch (std::exception const&) {
    // There is no memory for a batch, so the remaining updates are lost.
  }
}

void Aggregation::set_channel(Channel* channel,
                              std::unique_ptr<NodeBins> bins) {
  m_channel = channel;
  m_bins    = std::move(bins);
}

void Aggregation::check_life(char const* call) {
  if (Runtime::is_initialized() && Runtime::instance(call).number() == m_life) {
    return;
  }
  m_n_near = 0;
  m_n_far  = 0;
  throw UsageError(Text(call,
                        ": symm::finalize() has ended the context, and its "
                        "pending updates are lost; call Context::quiet() "
                        "before symm::finalize()"));
}

bool Aggregation::find(void const* address, std::size_t bytes, Pe pe,
                       char const* call) {
  check_life(call);
  auto const& heap = heap_to_access(address, bytes, pe, call);
  auto const& map  = heap.map();
  auto const at    = map.offset_of(address);
  if (heap.memory() != MemoryKind::host || is_observed() || at % bytes != 0)
    return false;
  auto const around = heap.mapped_around(at, bytes);
  m_map             = map;
  m_begin = reinterpret_cast<std::size_t>(map.part(map.my_pe)) + around.offset;
  m_bytes = around.bytes;
  return true;
}

void Aggregation::deliver_near(char const* call) {
  check_life(call);
  m_bytes      = 0;
  auto const n = std::exchange(m_n_near, 0);
  for (std::size_t i = 0; i < n;) {
    auto const first = i;
    auto const kind  = m_kinds[first];
    while (i < n && m_kinds[i] == kind) ++i;
    change_words({m_near.data() + first, i - first}, kind.op, kind.type);
  }
}

void Aggregation::deliver_far(char const* call) {
  check_life(call);
  m_bytes = 0;
  std::span<FarAtomic const> left(m_far.data(), m_n_far);
  try {
    if (m_bins) {
      for (; !left.empty(); left = left.subspan(1))
        m_bins->add(left.front(), *m_channel, {call, m_channel});
    } else {
      m_channel->post_atomics(left, {call, m_channel});
    }
  } catch (...) {
    std::copy(left.begin(), left.end(), m_far.begin());
    m_n_far = left.size();
    throw;
  }
  m_n_far = 0;
}

void Aggregation::deliver_full_far(char const* call) {
  try {
    deliver_far(call);
  } catch (...) {
    if (m_n_far != 0) --m_n_far;  // in order, so the last one has not begun
    throw;
  }
}

void Aggregation::deliver_bins(char const* call) {
  check_life(call);
  m_bins->deliver(*m_channel, {call, m_channel});
}

}  // namespace symm::Impl
