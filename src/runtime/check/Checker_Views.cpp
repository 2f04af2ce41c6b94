// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Checker's member functions that handle the heap's blocks and name the races
// in them.

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string_view>

#include "Checker.hpp"
#include "Report.hpp"
#include "Sites.hpp"

namespace symm::Impl::check {

void Checker::allocated(void const* address, std::size_t bytes,
                        char const* label, std::size_t header_bytes) {
  if (!is_on()) return;
  auto const where = copy_of(address, me());
  if (where.pe < 0) return;
  name_races();
  auto const heap = where.offset / start_of_heap;
  reach(heap, where.offset % start_of_heap + bytes);
  if (m_memory.is_on_gpu(where.offset)) {
    clear_on_gpu(where, bytes);
  } else {
    m_memory.clear(where, bytes);
  }
  Block block{bytes, header_bytes, {}};
  std::string_view const text(label == nullptr ? "" : label);
  text.copy(block.label.data(), block.label.size() - 1);
  std::lock_guard const lock(m_mutex);
  auto next = m_blocks->lower_bound(where.offset);
  while (next != m_blocks->end() && next->first < where.offset + bytes) {
    next = m_blocks->erase(next);
  }
  m_blocks->insert_or_assign(where.offset, block);
}

void Checker::name_unnamed() {
  std::lock_guard const lock(m_mutex);
  if (tables().has_unnamed[me()].exchange(0) == 0) return;
  say_limits(tables(), me());
  for (auto& race : tables().races) {
    if (race.state.load(std::memory_order_acquire) != Race::unnamed ||
        Epoch(race.second).pe() != me()) {
      continue;
    }
    auto const is_guess = [&](Epoch load, bool is_write, Epoch other) {
      return !is_write && !load.is_atomic() && other.is_atomic() &&
             is_guess_of_atomics(tables(), load.site());
    };
    Epoch const first(race.first);
    Epoch const second(race.second);
    if (is_guess(first, race.is_first_write, second) ||
        is_guess(second, race.is_second_write, first)) {
      race.state.store(0);
      continue;
    }
    auto const offset = race.offset;
    race.offset       = offset % start_of_heap;
    if (!race.is_private) {
      auto next = m_blocks->upper_bound(offset);
      if (next != m_blocks->begin()) {
        auto const& [start, block] = *std::prev(next);
        if (offset < start + block.bytes) {
          // The block belongs to the library, and the detector does not see how
          // the library orders accesses to it.
          if (std::string_view(block.label.data()).starts_with("symm::")) {
            race.state.store(0);
            continue;
          }
          race.view   = block.label;
          race.offset = offset - start - block.header_bytes;
        }
      }
    }
    race.state.store(Race::named, std::memory_order_release);
    tables().n_found.fetch_add(1);
  }
}

/// Whether a single block in the heap contains all of these bytes. If not, the
/// operation itself throws.
bool Checker::is_in_block(std::size_t offset, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  auto const next = m_blocks->upper_bound(offset);
  if (next == m_blocks->begin()) return false;
  auto const& [start, block] = *std::prev(next);
  return bytes <= block.bytes && offset - start <= block.bytes - bytes;
}

}  // namespace symm::Impl::check
