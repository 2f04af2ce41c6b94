// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "StreamPool.hpp"

#include <algorithm>
#include <string_view>

#include "../base/Types.hpp"
#include "../heap/Poison.hpp"

namespace symm::Impl {

namespace {

std::uint64_t bit(StreamOrder::Number stream) {
  return std::uint64_t{1} << stream;
}

}  // namespace

HeapBlocks& StreamPool::arena_of(PerStream& state) {
  if (state.arena == nullptr) {
    state.arena = std::make_unique<HeapBlocks>(m_map);
  }
  return *state.arena;
}

// The memory that a stream may use.

bool StreamPool::may_reuse(Number from, Position at, Number to,
                           bool follows) const {
  auto const ended = is_local() ? m_order.ended_here() : m_order.ended();
  if (at <= ended) return true;
  if (from == to || follows) {
    if (is_local() ? m_order.precedes(from, at, to)
                   : m_order.precedes_on_all(from, at, to)) {
      return true;
    }
  }
  return m_policy.allow_opportunistic && m_order.was_idle_behind(from, at);
}

void StreamPool::move_freed(Number from, Number to, bool follows) {
  auto const& queue = m_streams[from].freed;
  auto& n           = m_streams[from].n_reused;
  if (n == queue.size() || !may_reuse(from, queue[n].at, to, follows)) return;
  auto& state  = m_streams[to];
  auto& arena  = arena_of(state);
  state.latest = m_order.advance();
  do {
    auto const& freed = queue[n];
    arena.prepare();
    if (freed.arena == &arena) {
      arena.give_back(freed.id);
    } else {
      freed.arena->prepare();
      freed.arena->give_back_to(arena, freed.id);
    }
    ++n;
  } while (n < queue.size() && may_reuse(from, queue[n].at, to, follows));
  m_streams[from].forget_reused();
}

bool StreamPool::may_take_over(Number from, Number to, bool follows) const {
  auto const& state = m_streams[from];
  if (state.arena == nullptr || state.arena->free_bytes() == 0) return false;
  // On all PEs, the last uses of this memory complete before any work enqueued
  // on `from` after position `latest` starts.
  return (follows && m_order.precedes(from, state.latest, to)) ||
         (m_policy.allow_opportunistic &&
          m_order.was_idle_behind(from, state.latest));
}

void StreamPool::move_arena(Number from, Number to,
                            HeapBlocks::Request const& request, bool follows) {
  if (!may_take_over(from, to, follows)) return;
  auto& source = *m_streams[from].arena;
  auto& state  = m_streams[to];
  auto& target = arena_of(state);
  state.latest = m_order.advance();
  source.prepare();
  auto const id = source.take(request);
  if (id == HeapBlocks::none) {
    source.move_free_to(target);
  } else {
    target.prepare();
    source.give_back_to(target, id);
    source.move_free_to(target,
                        source.free_bytes() / 2 / alignment * alignment);
  }
}

StreamPool::Taken StreamPool::take_waiting(Number stream,
                                           HeapBlocks::Request const& request) {
  auto& state = m_streams[stream];
  if (!state.has_freed()) return {};
  auto const serves = [&](Freed const& freed) {
    return freed.arena->fits_exactly(freed.id, request) &&
           may_reuse(stream, freed.at, stream,
                     m_policy.follow_event_dependencies);
  };
  Freed found = state.freed.back();
  if (serves(found)) {
    state.freed.pop_back();
  } else {
    found = state.freed[state.n_reused];
    if (!serves(found)) return {};
    ++state.n_reused;
  }
  if (state.n_reused > 0) state.forget_reused();
  set_poisoned(m_map, m_map.offset_of(found.arena->address_of(found.id)),
               request.bytes, false);
  return {found.arena, found.id};
}

StreamPool::Taken StreamPool::take_of_others(
    Number stream, HeapBlocks::Request const& request) {
  auto& state = per_stream(stream);
  auto arena  = &arena_of(state);
  auto id     = HeapBlocks::none;
  for (Number other = 0; other < m_streams.size() && id == HeapBlocks::none;
       ++other) {
    if (other == stream) continue;
    auto const before = state.latest;
    move_freed(other, stream, m_policy.follow_event_dependencies);
    move_arena(other, stream, request, m_policy.follow_event_dependencies);
    if (state.latest == before) continue;  // no memory was moved
    arena->prepare();
    id = arena->take(request);
  }
  if (id == HeapBlocks::none) {
    m_common.prepare();
    id = m_common.take(request);
    if (id != HeapBlocks::none) return {&m_common, id};
  }
  if (id == HeapBlocks::none) id = take_joined(*arena, request);
  if (id == HeapBlocks::none) id = take_when_idle(stream, request);
  if (id == HeapBlocks::none) id = take_with_dependency(stream, request);
  return {arena, id};
}

char* StreamPool::take(Number stream, std::size_t bytes, std::size_t phase,
                       char const* label) {
  auto const request = request_of(bytes, phase);
  // Allocate private memory first, because nothing may fail once the block is
  // taken.
  m_live.prepare();
  if (m_unused.empty()) {
    m_blocks.emplace_back();
    m_unused.reserve(m_blocks.capacity());
    m_unused.push_back(static_cast<std::uint32_t>(m_blocks.size() - 1));
  }
  auto* state = &per_stream(stream);
  // In the common cases, use memory that this stream has used before.
  auto [arena, id] = take_waiting(stream, request);
  if (id == HeapBlocks::none) {
    move_freed(stream, stream, m_policy.follow_event_dependencies);
    arena = state->arena.get();
    if (arena != nullptr) {
      arena->prepare();
      id = arena->take(request);
    }
  }
  if (id == HeapBlocks::none) {
    auto const taken = take_of_others(stream, request);
    arena            = taken.arena;
    id               = taken.id;
  }
  if (id == HeapBlocks::none) return nullptr;

  auto const slot = m_unused.back();
  m_unused.pop_back();
  auto& block  = m_blocks[slot];
  block.arena  = arena;
  block.id     = id;
  block.stream = stream;
  std::string_view const text(label);
  block.label[text.copy(block.label.data(), block.label.size() - 1)] = '\0';
  char* const address = arena->address_of(id);
  m_live.insert(m_map.offset_of(address), slot);
  ++state->n_live;
  m_used.set(m_used.current + arena->bytes_of(id));
  return address;
}

bool StreamPool::could_serve(PerStream const& state,
                             HeapBlocks::Request const& request) const {
  if (has_room_of_its_own(state, request)) return true;
  return std::any_of(
      state.freed.begin() + static_cast<std::ptrdiff_t>(state.n_reused),
      state.freed.end(), [&](Freed const& freed) {
        return freed.arena->bytes_of(freed.id) >= request.bytes;
      });
}

HeapBlocks::Id StreamPool::take_joined(HeapBlocks& arena,
                                       HeapBlocks::Request const& request) {
  arena.prepare();
  auto const id = arena.take(request);
  if (id != HeapBlocks::none || !arena.join(m_common, request)) return id;
  return arena.take(request);
}

HeapBlocks::Id StreamPool::take_when_idle(Number stream,
                                          HeapBlocks::Request const& request) {
  // In a symmetric pool, the PEs could disagree on whether a stream is idle.
  // Therefore, barrier_all() queries the streams instead.
  if (!is_local() || !m_policy.allow_opportunistic) return HeapBlocks::none;
  for (Number other = 0; other < m_streams.size(); ++other) {
    if (other == stream || !could_serve(m_streams[other], request)) continue;
    if (!m_order.stream(other).is_idle()) continue;
    m_order.were_idle(bit(other));
    bool const follows = m_policy.follow_event_dependencies;
    move_freed(other, stream, follows);
    move_arena(other, stream, request, follows);
    auto const id = take_joined(*m_streams[stream].arena, request);
    if (id != HeapBlocks::none) return id;
  }
  return HeapBlocks::none;
}

HeapBlocks::Id StreamPool::take_with_dependency(
    Number stream, HeapBlocks::Request const& request) {
  if (!m_policy.allow_internal_dependencies) return HeapBlocks::none;
  if (!has_much_to_reuse(stream) && !is_at_its_limit(request.bytes)) {
    return HeapBlocks::none;
  }
  // The pool itself adds this dependency, so it can always rely on it.
  auto const move_all = [&](Number other) {
    move_freed(other, stream, true);
    if (other != stream) move_arena(other, stream, request, true);
  };
  auto& arena = *m_streams[stream].arena;
  for (Number other = 0; other < m_streams.size(); ++other) {
    auto const& state = m_streams[other];
    // Other PEs no longer use the memory in a stream's arena.
    if (other == stream ||
        !(is_alone() ? could_serve(state, request)
                     : has_room_of_its_own(state, request))) {
      continue;
    }
    m_order.make_wait(stream, other);
    move_all(other);
    auto const id = take_joined(arena, request);
    if (id != HeapBlocks::none) return id;
  }
  if (is_alone() || !m_order.stream(stream).has_barrier()) {
    return HeapBlocks::none;
  }
  // A single barrier makes all freed blocks usable.
  if (std::none_of(m_streams.begin(), m_streams.end(), [&](auto const& state) {
        return could_serve(state, request);
      })) {
    return HeapBlocks::none;
  }
  for (Number other = 0; other < m_streams.size(); ++other) {
    auto const& state   = m_streams[other];
    bool const has_some = state.has_freed() || (state.arena != nullptr &&
                                                state.arena->free_bytes() > 0);
    if (other != stream && has_some) m_order.make_wait(stream, other);
  }
  m_order.make_barrier(stream);
  for (Number other = 0; other < m_streams.size(); ++other) move_all(other);
  return take_joined(arena, request);
}

void StreamPool::free(Number stream, void* address, bool is_over) {
  auto& state       = per_stream(stream);
  auto const offset = m_map.offset_of(address);
  auto const slot   = m_live.find(offset);
  auto& block       = m_blocks[slot];
  auto const bytes  = bytes_of(block);
  state.freed.push_back({block.arena, block.id, m_order.advance()});
  --m_streams[block.stream].n_live;
  m_live.erase(offset);
  // Cannot throw, because the slot was originally taken from this vector.
  m_unused.push_back(slot);
  block.arena = nullptr;
  m_used.current -= bytes;
  if (is_over) set_poisoned(m_map, offset, bytes, true);
}

HeapBlocks::Request StreamPool::request_of(std::size_t bytes,
                                           std::size_t phase) const {
  // Limit the size to a value above any pool's size so that rounding up cannot
  // overflow.
  auto const too_much = m_map.stride + alignment;
  return {round_up(std::min(bytes, too_much), alignment), alignment,
          phase % alignment};
}

bool StreamPool::has_much_to_reuse(Number stream) const {
  std::size_t waiting = 0;
  for (Number other = 0; other < m_streams.size(); ++other) {
    auto const& state = m_streams[other];
    for (auto i = state.n_reused; i < state.freed.size(); ++i) {
      waiting += state.freed[i].arena->bytes_of(state.freed[i].id);
    }
    if (other != stream && state.arena) waiting += state.arena->free_bytes();
  }
  return waiting > 0 && 2 * waiting >= m_reserved.current;
}

std::uint64_t StreamPool::streams_in_use() const {
  std::uint64_t result = 0;
  for (Number stream = 0; stream < m_streams.size(); ++stream) {
    auto const& state = m_streams[stream];
    if (state.n_live > 0 || state.has_freed()) result |= bit(stream);
  }
  return result;
}

std::uint64_t StreamPool::streams_to_watch() const {
  if (!m_policy.allow_opportunistic) return 0;
  std::uint64_t result = 0;
  for (Number stream = 0; stream < m_streams.size(); ++stream) {
    auto const& state = m_streams[stream];
    // If the stream has been found idle after `at`, do not query it again.
    auto const is_new = [&](Position at) {
      return !m_order.was_idle_behind(stream, at);
    };
    if ((state.has_freed() && is_new(state.freed.back().at)) ||
        (state.arena != nullptr && state.arena->free_bytes() > 0 &&
         is_new(state.latest))) {
      result |= bit(stream);
    }
  }
  return result;
}

void StreamPool::list_blocks(std::vector<std::string>& list) const {
  for (auto const& block : m_blocks) {
    if (block.arena == nullptr) continue;
    std::string const label = block.label.data();
    list.push_back("\"" + (label.empty() ? "malloc_async" : label) + "\" (" +
                   std::to_string(bytes_of(block)) + " bytes of a pool)");
  }
}

}  // namespace symm::Impl
