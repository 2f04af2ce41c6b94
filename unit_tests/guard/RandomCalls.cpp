// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "RandomCalls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include <runtime/base/Failure.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>

namespace symm_test {

using symm::Pe;

namespace {

constexpr std::size_t mib         = std::size_t{1} << 20U;
constexpr std::size_t granularity = 2 * mib;  // of registered memory
/// Above it no more is asked for: 64 MiB is the limit.
constexpr std::size_t enough_blocks = 600;

/// Differs for every block, PE and byte.
char content(std::uint64_t seed, Pe pe, std::size_t i) {
  auto x = (seed + static_cast<std::uint64_t>(pe) * 0x9e3779b97f4a7c15U) ^
           (i * 0xbf58476d1ce4e5b9U);
  x = (x ^ (x >> 29U)) * 0x94d049bb133111ebU;
  return static_cast<char>(x >> 40U);
}

/// Both ends of [0, bytes), and what is looked at in between.
template <class F>
void for_some(std::size_t bytes, F&& f) {
  constexpr std::size_t edge = 64;
  constexpr std::size_t step = 4093;
  for (std::size_t i = 0; i < std::min(bytes, edge); ++i) f(i);
  for (std::size_t i = edge; i < bytes; i += step) f(i);
  for (std::size_t i = std::max(bytes, edge) - edge; i < bytes; ++i) f(i);
}

/// Null if the request was refused for lack of memory.
template <class F>
void* unless_full(F&& f) {
  try {
    return f();
  } catch (symm::OutOfMemory const&) {
    return nullptr;
  }
}

symm::Impl::PrivateMemory& private_memory() {
  return symm::Impl::Runtime::instance("guard").private_memory(
      symm::MemoryKind::host, "guard");
}

}  // namespace

RandomCalls::RandomCalls(symm::Impl::Bootstrap& bootstrap, std::uint64_t seed)
    : m_bootstrap(bootstrap),
      m_heap(symm::Impl::Runtime::instance("guard").heap()),
      m_me(bootstrap.my_pe()),
      m_random(seed) {}

void RandomCalls::call() {
  ++m_time;
  end_views();
  auto const kind     = below(100);
  bool const has_room = m_blocks.size() < enough_blocks;
  if (kind < 25 && has_room) {
    allocate();
  } else if (kind < 32 && has_room) {
    allocate_zeros();
  } else if (kind < 40) {
    reallocate();
  } else if (kind < 58) {
    free();
  } else if (kind < 76 && has_room) {
    allocate_view();
  } else if (kind < 78) {
    free_view();
  } else if (kind < 82) {
    register_memory();
  } else if (kind < 85) {
    unregister_memory();
  } else if (kind < 93) {
    look_at_peer();
  } else if (kind < 94) {
    trim();
  } else if (kind < 97) {
    differ();
  } else {
    symm::barrier_all();
  }
  if (m_time % 500 == 0) expect_equal_heaps();
}

void RandomCalls::allocate() {
  auto const bytes     = random_bytes();
  auto const alignment = std::size_t{8} << below(14);
  auto const seed      = m_random();
  bool const is_malloc = below(2) == 0;
  auto* const address  = unless_full([&] {
    return is_malloc ? m_heap.malloc(bytes) : m_heap.align(alignment, bytes);
  });
  if (address == nullptr) return;
  if (!is_malloc) {
    EXPECT_EQ(m_heap.map().offset_of(address) % alignment, 0U);
  }
  add(address, {.bytes = bytes, .seed = seed});
}

void RandomCalls::allocate_zeros() {
  auto const bytes    = random_bytes();
  auto const seed     = m_random();
  auto* const address = unless_full([&] { return m_heap.calloc(bytes, 1); });
  if (address == nullptr) return;
  for_some(bytes, [&](std::size_t i) {
    EXPECT_EQ(static_cast<char*>(address)[i], 0) << "byte " << i;
  });
  symm::barrier_all();
  add(address, {.bytes = bytes, .seed = seed});
}

void RandomCalls::reallocate() {
  auto const* const picked = pick(Kind::plain);
  if (picked == nullptr) return;
  Block const old     = *picked;
  auto const bytes    = below(2) == 0 ? random_bytes() : 1 + below(old.bytes);
  auto const seed     = m_random();
  auto* const address = unless_full(
      [&] { return m_heap.realloc(part(m_me) + old.offset, bytes); });
  if (address == nullptr) {
    expect_contents(old, m_me, part(m_me) + old.offset, old.bytes);
    return;
  }
  expect_contents(old, m_me, static_cast<char*>(address),
                  std::min(bytes, old.bytes));
  remove(old.offset);
  add(address, {.bytes = bytes, .seed = seed});
}

void RandomCalls::free() {
  auto const* const block = pick(Kind::plain);
  if (block == nullptr) return;
  auto* const address = part(m_me) + block->offset;
  expect_contents(*block, m_me, address, block->bytes);
  remove(block->offset);
  m_heap.free(address);
}

void RandomCalls::allocate_view() {
  auto const bytes    = random_bytes();
  auto const header   = 16 * below(9);
  auto const seed     = m_random();
  auto const ends     = random_ends();
  auto* const address = unless_full(
      [&] { return m_heap.allocate_view("view", bytes, 64, header); });
  if (address == nullptr) return;
  EXPECT_EQ((m_heap.map().offset_of(address) + header) % 64, 0U);
  add(address,
      {.bytes = bytes, .seed = seed, .kind = Kind::view, .ends = ends});
}

void RandomCalls::free_view() {
  auto const* const block = pick(Kind::view);
  if (block == nullptr) return;
  auto* const address = part(m_me) + block->offset;
  remove(block->offset);
  m_heap.free_view(address);
}

void RandomCalls::register_memory() {
  bool const is_of_view = below(2) == 0;
  auto const bytes      = granularity * (1 + below(3));
  auto const seed       = m_random();
  auto const ends       = random_ends();
  char* memory          = nullptr;
  auto const failure    = symm::Impl::failure_of(
      [&] { memory = private_memory().allocate("memory", bytes); });
  auto* const address = unless_full([&] {
    return is_of_view ? m_heap.register_view("view", memory, bytes, failure)
                      : m_heap.register_memory(memory, bytes);
  });
  if (address == nullptr) {
    private_memory().free(memory);
    return;
  }
  add(address, {.bytes  = bytes,
                .seed   = seed,
                .kind   = is_of_view ? Kind::registered_view : Kind::memory,
                .ends   = ends,
                .memory = memory});
}

void RandomCalls::unregister_memory() {
  auto const* const picked = pick(Kind::memory);
  if (picked == nullptr) return;
  Block const block = *picked;
  remove(block.offset);
  m_heap.unregister_memory(part(m_me) + block.offset, block.bytes);
  expect_contents(block, m_me, block.memory, block.bytes);
  private_memory().free(block.memory);
}

void RandomCalls::trim() { m_heap.trim(); }

/// Wrong calls change nothing.
void RandomCalls::differ() {
  auto const odd           = static_cast<Pe>(below(n_pes));
  auto const bytes         = random_bytes();
  auto const kind          = below(3);
  auto const* const picked = pick(Kind::plain);
  auto* const block = picked == nullptr ? nullptr : part(m_me) + picked->offset;
  EXPECT_THROW(
      {
        if (m_me != odd) {
          static_cast<void>(m_heap.malloc(bytes));
        } else if (kind == 0) {
          static_cast<void>(m_heap.malloc(bytes + 1));
        } else if (kind == 1 || block == nullptr) {
          static_cast<void>(m_heap.calloc(bytes, 1));
        } else {
          m_heap.free(block);
        }
      },
      symm::UsageError);
}

/// Between barriers, so that nobody changes what others look at.
void RandomCalls::look_at_peer() {
  auto const peer = static_cast<Pe>(below(n_pes));
  auto const kind = static_cast<Kind>(below(4));
  symm::barrier_all();
  if (auto const* const block = pick(kind)) {
    expect_contents(*block, peer, part(peer) + block->offset, block->bytes);
  }
  symm::barrier_all();
}

std::size_t RandomCalls::random_bytes() {
  auto const kind = below(100);
  if (kind < 60) return 1 + below(2000);
  if (kind < 90) return 1 + below(100'000);
  if (kind < 99) return 1 + below(2 * mib);
  return 1 + below(12 * mib);
}

RandomCalls::Times RandomCalls::random_ends() {
  Times ends{};
  for (auto& end : ends) {
    auto const most = below(4) == 0 ? std::size_t{400} : std::size_t{60};
    end             = m_time + 1 + static_cast<long>(below(most));
  }
  return ends;
}

RandomCalls::Block* RandomCalls::pick(Kind kind) {
  auto const start = below(64 * mib);
  auto const fits  = [&](auto const& entry) {
    auto const& [offset, block] = entry;
    return block.kind == kind &&
           (!is_view(kind) ||
            *std::min_element(block.ends.begin(), block.ends.end()) > m_time);
  };
  auto const from = m_blocks.lower_bound(start);
  auto found      = std::find_if(from, m_blocks.end(), fits);
  if (found == m_blocks.end()) {
    found = std::find_if(m_blocks.begin(), from, fits);
    if (found == from) return nullptr;
  }
  return &found->second;
}

void RandomCalls::add(void* address, Block block) {
  block.offset     = m_heap.map().offset_of(address);
  auto const after = m_blocks.lower_bound(block.offset);
  EXPECT_TRUE(after == m_blocks.end() ||
              block.offset + block.bytes <= after->first)
      << "overlaps the block behind it";
  EXPECT_TRUE(after == m_blocks.begin() ||
              std::prev(after)->first + std::prev(after)->second.bytes <=
                  block.offset)
      << "overlaps the block before it";
  fill(block);
  m_blocks[block.offset] = block;
}

void RandomCalls::end_views() {
  for (auto entry = m_blocks.begin(); entry != m_blocks.end();) {
    auto const& block = entry->second;
    if (!is_view(block.kind)) {
      ++entry;
      continue;
    }
    auto* const address = part(m_me) + block.offset;
    if (block.ends[static_cast<std::size_t>(m_me)] == m_time) {
      expect_contents(block, m_me, address, block.bytes);
      m_heap.retire(address);
      if (block.memory != nullptr) private_memory().free(block.memory);
    }
    bool const is_gone =
        *std::max_element(block.ends.begin(), block.ends.end()) <= m_time;
    entry = is_gone ? m_blocks.erase(entry) : std::next(entry);
  }
}

void RandomCalls::fill(Block const& block) const {
  auto* const bytes = part(m_me) + block.offset;
  for_some(block.bytes,
           [&](std::size_t i) { bytes[i] = content(block.seed, m_me, i); });
}

void RandomCalls::expect_contents(Block const& block, Pe pe,
                                  char const* address,
                                  std::size_t bytes) const {
  for_some(block.bytes, [&](std::size_t i) {
    if (i >= bytes) return;
    EXPECT_EQ(address[i], content(block.seed, pe, i))
        << "byte " << i << " of " << block.bytes << " of PE " << pe
        << " at offset " << block.offset << ", call " << m_time;
  });
}

void RandomCalls::expect_equal_heaps() {
  symm::barrier_all();
  auto mine           = m_heap.stats();
  mine.retired_blocks = 0;  // those that the others have not heard of yet
  std::size_t sum     = 0;  // of what the model has
  for (auto const& [offset, block] : m_blocks) sum += offset * 31 + block.bytes;
  auto const all_stats = symm::Impl::allgather(m_bootstrap, mine);
  auto const all_sums  = symm::Impl::allgather(m_bootstrap, sum);
  for (auto const& stats : all_stats) EXPECT_TRUE(stats == mine);
  for (auto const other : all_sums) EXPECT_EQ(other, sum);
}

void RandomCalls::end() {
  for (auto const& [offset, block] : m_blocks) {
    auto* const address = part(m_me) + offset;
    if (block.kind == Kind::plain) {
      m_heap.free(address);
    } else if (block.kind == Kind::memory) {
      m_heap.unregister_memory(address, block.bytes);
      private_memory().free(block.memory);
    } else if (block.ends[static_cast<std::size_t>(m_me)] > m_time) {
      m_heap.retire(address);
      if (block.memory != nullptr) private_memory().free(block.memory);
    }
  }
  m_blocks.clear();
  m_heap.trim();
  m_heap.trim();  // what was retired behind the first one's back
  auto const stats = m_heap.stats();
  EXPECT_EQ(stats.live_blocks, 0U);
  EXPECT_EQ(stats.live_bytes, 0U);
  EXPECT_EQ(stats.mapped_bytes, 0U);
  EXPECT_EQ(stats.registered_bytes, 0U);
  EXPECT_TRUE(private_memory().live().empty());
}

}  // namespace symm_test
