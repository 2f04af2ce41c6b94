// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Checker.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "../bootstrap/Bootstrap.hpp"
#include "Report.hpp"
#include "Sites.hpp"

namespace symm::Impl::check {

constinit Checker s_checker;

void Checker::start(Bootstrap& bootstrap, HeapMap const& heap) {
  if (!m_memory.open(bootstrap, heap.stride)) {
    if (bootstrap.my_pe() == 0) {
      std::fprintf(stderr,
                   "symm: races are not looked for: that needs all PEs on one "
                   "machine, %d at most\n",
                   most_pes);
    }
    return;
  }
  if (m_blocks == nullptr) {
    m_blocks = new std::map<std::size_t, Block>;
    m_begun  = new std::vector<Begun>;
  }
  forget_sites();
  m_heap = heap;
  clocks.start(heap.my_pe, heap.n_pes);
  end_with_status();
  m_shift         = std::has_single_bit(heap.stride)
                        ? static_cast<unsigned>(std::countr_zero(heap.stride))
                        : 0;
  auto const near = heap.near_pes();
  m_first_near    = *near.begin();
  m_heap_start    = reinterpret_cast<std::uintptr_t>(heap.part(m_first_near));
  std::size_t n_near = 0;
  for ([[maybe_unused]] Pe const pe : near) ++n_near;
  m_heap_bytes = n_near * heap.stride;
  m_near_cells = m_memory.covered() == heap.stride
                     ? &m_memory.cell(m_first_near, 0)
                     : nullptr;
}

void Checker::finish(Bootstrap& bootstrap) {
  if (!is_on()) return;
  m_heap_bytes = 0;
  bootstrap.barrier();
  keep_result(m_memory.tables());
  if (bootstrap.my_pe() == 0) report(m_memory.tables());
  std::lock_guard const lock(m_mutex);
  m_blocks->clear();
  m_begun->clear();
  m_memory.close();
  m_n_aliases   = 0;
  m_other_bytes = 0;
}

std::uint64_t Checker::n_races() const {
  return is_on() ? tables().n_found.load() : 0;
}

Checker::Where Checker::where(void const* address) const {
  auto const at = reinterpret_cast<std::uintptr_t>(address) - m_heap_start;
  auto const pe = m_shift != 0 ? at >> m_shift : at / m_heap.stride;
  return {m_first_near + static_cast<Pe>(pe), at - pe * m_heap.stride};
}

void const* Checker::in_heap(void const* address) const {
  auto const at = reinterpret_cast<std::uintptr_t>(address);
  if (at - m_other_start >= m_other_bytes) return address;
  auto const n = m_n_aliases.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < n; ++i) {
    auto const& alias = m_aliases[i];
    auto const offset = at - alias.start.load(std::memory_order_relaxed);
    if (offset < alias.bytes.load(std::memory_order_relaxed)) {
      return reinterpret_cast<void const*>(
          alias.in_heap.load(std::memory_order_relaxed) + offset);
    }
  }
  return address;
}

void Checker::add_alias(void const* in_heap, void const* memory,
                        std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  auto n         = m_n_aliases.load(std::memory_order_relaxed);
  std::size_t at = 0;
  while (at < n && m_aliases[at].bytes.load() != 0) ++at;
  if (at == most_aliases) return;
  auto const start      = reinterpret_cast<std::uintptr_t>(memory);
  m_aliases[at].start   = start;
  m_aliases[at].in_heap = reinterpret_cast<std::uintptr_t>(in_heap);
  m_aliases[at].bytes   = bytes;
  m_n_aliases.store(std::max(n, at + 1), std::memory_order_release);
  include(start, bytes);
}

void Checker::remove_alias(void const* memory) {
  std::lock_guard const lock(m_mutex);
  for (auto& alias : m_aliases) {
    if (alias.start.load() == reinterpret_cast<std::uintptr_t>(memory)) {
      alias.bytes = 0;
    }
  }
  include_all_others();
}

void Checker::access_heap(void const* address, std::size_t bytes, bool is_write,
                          bool is_atomic, void const* place) {
  auto& thread = s_thread;
  if (thread.n_calls > 0 || n_hiding.load(std::memory_order_relaxed) > 0) {
    return;
  }
  auto const part = is_write ? Part::stores : Part::loads;
  note(where(address), bytes,
       {is_write, part, clocks.now(part), is_atomic,
        site_at(tables(), place, thread.name_of_seen)});
}

void Checker::note(Where where, std::size_t bytes, Access const& access,
                   bool is_here) {
  if (where.offset >= m_memory.covered() || bytes == 0) return;
  if (where.pe < 0 || where.pe >= m_heap.n_pes) return;  // the call throws
  auto const end        = std::min(where.offset + bytes, m_memory.covered());
  auto const own        = part_of(me(), access.part);
  auto const make_epoch = [&](unsigned mask) {
    Epoch const epoch(own, access.time, mask, access.site, access.is_atomic);
    return access.signal == Access::Signal::none
               ? epoch
               : epoch.of_signal(access.signal == Access::Signal::add);
  };
  for (auto at = where.offset; at < end;) {
    auto const in_word = at % 8;
    auto const n       = std::min(8 - in_word, end - at);
    auto const mask    = (0xffU >> (8 - n)) << in_word;
    note_word({where.pe, at}, mask, bytes, make_epoch(mask), access.is_write);
    at += n;
  }
  auto const& thread = s_thread;
  if (access.part == Part::network &&
      (thread.context != nullptr || thread.request != nullptr)) {
    begin({where.offset, end - where.offset, make_epoch(0), access.is_write,
           where.pe, is_here, thread.context, thread.request});
  }
}

// An access is remembered before it looks at those of others: of two at the
// same time one sees the other.
void Checker::note_word(Where where, unsigned mask, std::size_t bytes,
                        Epoch epoch, bool is_write) {
  auto& cell            = m_memory.cell(where.pe, where.offset);
  bool const is_network = epoch.kind() >= Part::network;
  auto const look_at    = [&](Epoch other, bool is_write_before) {
    if (!other.is_access() || (other.mask() & mask) == 0 ||
        other.is_atomic_with(epoch) ||
        // fence() is not about what get_nbi() reads.
        clocks.is_done(other, is_network && is_write_before)) {
      return;
    }
    found(where, bytes, other, is_write_before, epoch, is_write, false);
  };
  auto& mine = is_write ? cell.write : cell.read;
  Epoch const before(mine.load(std::memory_order_relaxed));
  // Two operations of the network at one time have no order.
  if (!is_network && before.is_like(epoch)) {
    if ((before.mask() & mask) != mask) {
      mine.exchange(before.with(mask).bits());
    }
  } else if (is_write) {
    look_at(Epoch(mine.exchange(epoch.bits())), true);
  } else {
    remember_read(where, cell, epoch);
  }
  if (!is_write) return look_at(Epoch(cell.write.load()), true);
  Epoch const read(cell.read.load());
  look_at(read.with_more(false), false);
  if (!read.has_more()) return;
  auto* const reads = m_memory.reads_of(where.pe, where.offset, false);
  for (Pe pe = 0; reads != nullptr && pe < m_heap.n_pes; ++pe) {
    look_at(Epoch(reads[pe].load()), false);
  }
  cell.read.fetch_and(Epoch(~std::uint64_t{0}).with_more(false).bits());
}

/// A read takes the place of one that is done, or goes beside it.
void Checker::remember_read(Where where, Cell& cell, Epoch epoch) const {
  bool const is_network = epoch.kind() >= Part::network;
  Epoch const before(cell.read.load(std::memory_order_relaxed));
  if (!before.is_access() ||
      clocks.is_done(before.with_more(false), is_network)) {
    cell.read.exchange(epoch.with_more(before.has_more()).bits());
    return;
  }
  auto* const reads = m_memory.reads_of(where.pe, where.offset, true);
  if (reads == nullptr) {  // one of them is remembered
    auto& random = s_thread.random;
    random       = random * 1'664'525U + 1'013'904'223U;
    if (random >> 30U == 0) cell.read.exchange(epoch.bits());
    return;
  }
  if (!before.has_more()) {
    // They are of another time, or of memory that has ended.
    for (Pe pe = 0; pe < m_heap.n_pes; ++pe) reads[pe].store(0);
  }
  auto& mine = reads[me()];
  Epoch const last(mine.load(std::memory_order_relaxed));
  mine.store(last.is_like(epoch) ? last.with(epoch.mask()).bits()
                                 : epoch.bits());
  auto expected = before.bits();
  if (!before.has_more()) {
    cell.read.compare_exchange_strong(expected, before.with_more().bits());
  }
}

void Checker::note_here(void const* address, std::size_t bytes,
                        Access const& access) {
  address = in_heap(address);
  if (is_in_heap(address)) return note(where(address), bytes, access, true);
  if (access.part < Part::network || bytes == 0) return;
  auto const& thread = s_thread;
  begin({reinterpret_cast<std::uintptr_t>(address), bytes,
         Epoch(part_of(me(), access.part), access.time, 0, access.site, false),
         access.is_write, -1, true, thread.context, thread.request});
}

void Checker::begin(Begun const& begun) {
  std::lock_guard const lock(m_mutex);
  m_begun->push_back(begun);
  if (begun.pe < 0) include(begun.start, begun.bytes);
}

/// With the lock.
void Checker::include(std::uintptr_t start, std::size_t bytes) {
  bool const is_first = m_other_bytes == 0;
  auto const end      = start + bytes;
  auto const last =
      is_first ? end : std::max(m_other_start + m_other_bytes, end);
  m_other_start = is_first ? start : std::min(m_other_start, start);
  m_other_bytes = last - m_other_start;
}

/// With the lock.
void Checker::include_all_others() {
  m_other_bytes = 0;
  for (auto const& alias : m_aliases) {
    if (alias.bytes.load() != 0) include(alias.start, alias.bytes);
  }
  for (auto const& begun : *m_begun) {
    if (begun.pe < 0) include(begun.start, begun.bytes);
  }
}

void Checker::end_begun() {
  std::lock_guard const lock(m_mutex);
  if (m_begun->empty()) return;
  std::erase_if(*m_begun, [](Begun const& begun) {
    return begun.epoch.time() != Epoch::latest;  // no quiet() is for that
  });
  include_all_others();
}

void Checker::context_moves(void const* from, void const* to) {
  std::lock_guard const lock(m_mutex);
  for (auto& begun : *m_begun) {
    if (begun.context == from) begun.context = to;
  }
}

void Checker::complete(void const* owner, Stage stage) {
  auto const part = stage == Stage::begun ? Part::network : Part::loads;
  std::lock_guard const lock(m_mutex);
  std::erase_if(*m_begun, [&](Begun const& begun) {
    if (begun.context != owner && begun.request != owner) return false;
    if (stage == Stage::done_here && !begun.is_here) return false;
    if (stage == Stage::begun && begun.epoch.time() != Epoch::latest) {
      return false;
    }
    // From now on an access that was complete, or began, at once.
    for (auto at = begun.start; begun.pe >= 0 && at < begun.start + begun.bytes;
         at      = round_down(at + 8, 8)) {
      auto const change = [&](std::atomic<std::uint64_t>& entry) {
        Epoch const epoch(entry.load(std::memory_order_relaxed));
        if (!epoch.is_like(begun.epoch)) return;
        Epoch const now(part_of(me(), part), clocks.now(part), epoch.mask(),
                        epoch.site(), epoch.is_atomic());
        entry.store(now.with_more(!begun.is_written && epoch.has_more()).bits(),
                    std::memory_order_relaxed);
      };
      auto& cell = m_memory.cell(begun.pe, at);
      change(begun.is_written ? cell.write : cell.read);
      if (begun.is_written) continue;
      auto* const reads = m_memory.reads_of(begun.pe, at, false);
      if (reads != nullptr) change(reads[me()]);
    }
    return true;
  });
}

void Checker::access_other(std::uintptr_t at, std::size_t bytes, bool is_write,
                           bool is_atomic, void const* place) {
  auto const* const address = in_heap(reinterpret_cast<void const*>(at));
  if (!is_in_heap(address)) {
    access_private(at, bytes, is_write, place);
  } else {
    access(address, bytes, is_write, is_atomic, place);
  }
}

void Checker::access_private(std::uintptr_t at, std::size_t bytes,
                             bool is_write, void const* place) {
  if (s_thread.n_calls > 0 || n_hiding.load(std::memory_order_relaxed) > 0) {
    return;
  }
  std::lock_guard const lock(m_mutex);
  for (auto const& other : *m_begun) {
    if (other.pe >= 0 || at >= other.start + other.bytes ||
        other.start >= at + bytes) {
      continue;
    }
    if (!is_write && !other.is_written) continue;
    auto const part = is_write ? Part::stores : Part::loads;
    found({me(), at - other.start}, bytes, other.epoch, other.is_written,
          Epoch(part_of(me(), part), clocks.now(part), 0,
                site_at(tables(), place, nullptr), false),
          is_write, true);
  }
}

void Checker::forget_write(Where where) {
  if (where.offset >= m_memory.covered()) return;
  m_memory.cell(where.pe, where.offset)
      .write.store(0, std::memory_order_relaxed);
}

TimesOfPes Checker::told_by(Where where, bool adds) const {
  if (where.offset >= m_heap.stride || where.pe < 0 ||
      where.pe >= m_heap.n_pes) {
    return nullptr;  // the call throws
  }
  return m_memory.told_by(where.pe, where.offset, adds);
}

void Checker::allocated(void const* address, std::size_t bytes,
                        char const* label, std::size_t header_bytes) {
  if (!is_on()) return;
  auto const offset = m_heap.offset_of(address);
  if (offset >= m_heap.stride) return;
  m_memory.clear(me(), offset, bytes);
  Block block{bytes, header_bytes, {}};
  std::string_view const text(label == nullptr ? "" : label);
  text.copy(block.label.data(), block.label.size() - 1);
  std::lock_guard const lock(m_mutex);
  auto next = m_blocks->lower_bound(offset);
  while (next != m_blocks->end() && next->first < offset + bytes) {
    next = m_blocks->erase(next);
  }
  m_blocks->insert_or_assign(offset, block);
}

void Checker::found(Where where, std::size_t bytes, Epoch first,
                    bool is_first_write, Epoch second, bool is_second_write,
                    bool is_private) {
  auto const low  = std::min(first.site(), second.site());
  auto const high = std::max(first.site(), second.site());
  auto const key  = std::uint64_t{low} << 20U | std::uint64_t{high} << 4U | 1U;
  auto& races     = tables().races;
  for (std::size_t i = 0; i < Tables::n_races; ++i) {
    auto& race =
        races[((key * 0x9e37'79b9'7f4a'7c15U >> 40U) + i) % Tables::n_races];
    std::uint64_t there = race.key.load(std::memory_order_relaxed);
    if (there == key) return;
    if (there != 0 || !race.key.compare_exchange_strong(there, key)) {
      if (there == key) return;
      continue;
    }
    race.first           = first.bits();
    race.second          = second.bits();
    race.is_first_write  = is_first_write;
    race.is_second_write = is_second_write;
    race.is_private      = is_private;
    race.pe              = where.pe;
    race.offset          = where.offset;
    race.bytes           = static_cast<std::uint32_t>(bytes);
    if (!is_private) {
      std::lock_guard const lock(m_mutex);
      auto next = m_blocks->upper_bound(where.offset);
      if (next != m_blocks->begin()) {
        auto const& [start, block] = *std::prev(next);
        if (where.offset < start + block.bytes) {
          // The library's own memory, which it orders by what is not seen.
          if (std::string_view(block.label.data()).starts_with("symm::")) {
            return;
          }
          race.view   = block.label;
          race.offset = where.offset - start - block.header_bytes;
        }
      }
    }
    race.is_ready.store(1, std::memory_order_release);
    tables().n_found.fetch_add(1);
    return;
  }
}

}  // namespace symm::Impl::check
