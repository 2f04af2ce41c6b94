// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Checker.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>

#include "../bootstrap/Bootstrap.hpp"
#include "../memory/FarRing.hpp"
#include "../memory/MemoryProvider.hpp"
#include "Report.hpp"
#include "Sites.hpp"

namespace symm::Impl::check {

constinit Checker s_checker;

void Checker::start(Bootstrap& bootstrap,
                    std::array<HeapMap const*, most_heaps> const& heaps,
                    MemoryProvider* gpu) {
  std::array<std::size_t, most_heaps> part_bytes{};
  m_n_heaps = 0;
  for (std::size_t i = 0; i < most_heaps; ++i) {
    if (heaps[i] == nullptr) continue;
    m_n_heaps     = i + 1;
    part_bytes[i] = heaps[i]->stride;
    m_heaps[i]    = make_heap(*heaps[i]);
  }
  if (m_n_heaps == 0) return;
  if (!m_memory.open(bootstrap, part_bytes)) {
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
    m_pinned = new std::vector<void*>;
  }
  forget_sites();
  m_me    = bootstrap.my_pe();
  m_n_pes = bootstrap.n_pes();
  clocks.start(m_me, m_n_pes);
  end_with_status();
  m_gpu = gpu;
  if (m_gpu != nullptr) begin_on_gpu(bootstrap);
  auto const& host = m_heaps[0];
  m_heap_start     = host.start;
  m_heap_bytes     = host.bytes;
  m_near_cells     = host.bytes != 0 && m_memory.end_of(0) == host.map.stride
                         ? &m_memory.cell({host.map.first_near, 0})
                         : nullptr;
  m_is_on          = true;
}

Shadow::Heap Checker::make_heap(HeapMap const& map) {
  std::size_t n_near = 0;
  for ([[maybe_unused]] Pe const pe : map.near_pes()) ++n_near;
  return {reinterpret_cast<std::uintptr_t>(map.part(map.first_near)),
          n_near * map.stride, map,
          std::has_single_bit(map.stride)
              ? static_cast<unsigned>(std::countr_zero(map.stride))
              : 0,
          0};
}

/// Collective.
void Checker::begin_on_gpu(Bootstrap& bootstrap) {
  m_memory.keep_pages();
  bool has_failed = false;
  try {
    pin({static_cast<Shadow*>(this), sizeof(Shadow)});
    pin(m_memory.common());
    m_gpu->run_in_context([this] { set_shadow_of_kernels(this); });
  } catch (std::exception const& failure) {
    has_failed = true;
    say_of_kernels(failure.what());
  }
  // Kernels of all PEs are seen, or those of none: signals order others.
  if (first_to_say(bootstrap, has_failed)) end_on_gpu();
}

void Checker::end_on_gpu() noexcept {
  try {
    m_gpu->synchronize();
    m_gpu->run_in_context([] { set_shadow_of_kernels(nullptr); });
    for (auto* const address : *m_pinned) m_gpu->unpin(address);
  } catch (std::exception const& failure) {
    say_of_kernels(failure.what());
  }
  m_pinned->clear();
  for (auto& heap : m_heaps) heap.reached = 0;
  m_gpu = nullptr;
}

void Checker::pin(CheckMemory::Range range) {
  if (m_gpu->pin(range.start, range.bytes)) m_pinned->push_back(range.start);
}

void Checker::say_of_kernels(char const* why) const {
  std::fprintf(stderr, "symm: PE %d: races of kernels are not looked for: %s\n",
               m_me, why);
}

void Checker::reach(std::size_t heap, std::size_t bytes) {
  // In steps, as each registration takes a while.
  constexpr std::size_t unit = std::size_t{4} << 20U;
  auto& its                  = m_heaps[heap];
  auto const start           = heap * start_of_heap;
  auto const end =
      std::min(round_up(bytes, unit), m_memory.end_of(start) - start);
  if (m_gpu == nullptr || end <= its.reached) return;
  // It takes twice as much memory, for each near PE.
  constexpr std::size_t most = std::size_t{16} << 30U;
  if (end > most) {
    if (!std::exchange(m_has_said, true)) {
      say_of_kernels("in what is above the first 16 GiB of a heap");
    }
    return;
  }
  try {
    for (Pe const pe : its.map.near_pes()) {
      auto const range =
          m_memory.cells({pe, start + its.reached}, end - its.reached);
      pin(range);
    }
    its.reached = end;
  } catch (std::exception const& failure) {
    say_of_kernels(failure.what());
  }
}

void Checker::finish(Bootstrap& bootstrap) {
  if (!is_on()) return;
  m_heap_bytes = 0;
  m_is_on      = false;
  if (m_gpu != nullptr) end_on_gpu();
  name_races();
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

std::uint64_t Checker::n_races() {
  if (!is_on()) return 0;
  name_races();
  return tables().n_found.load();
}

void Checker::set_kernel(char const* label) {
  s_kernel.store(label == nullptr ? nullptr : kept_label(label),
                 std::memory_order_relaxed);
  if (m_gpu == nullptr) return;
  // Kokkos waits for all kernels before it tells of the next one.
  bool const is_its_own =
      s_thread.n_calls > 0 || n_hiding.load(std::memory_order_relaxed) > 0;
  m_hides_kernel = label != nullptr && is_its_own;
  if (label == nullptr) return;
  constexpr std::array<char const*, n_kernel_deeds> calls{
      nullptr, "symm::put", "symm::get", nullptr, "symm::put_signal"};
  // Where the program launches it.
  auto const& thread = s_thread;
  auto const n       = std::min(thread.n_frames, ThreadState::most_frames);
  auto const* place  = n == 0 ? nullptr : thread.frames[n - 1];
  for (std::size_t i = 0; i < n_kernel_deeds; ++i) {
    m_kernel_sites[i] = site_at(tables(), place, calls[i]);
  }
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
       {is_write, part, clocks.use(part), is_atomic,
        site_at(tables(), place, thread.name_of_seen)});
}

void Checker::note(Where where, std::size_t bytes, Access const& access,
                   bool is_here) {
  if (bytes > most_unasked && is_seen(where) &&
      !is_in_block(where.offset, bytes)) {
    return;
  }
  Shadow::note(where, bytes, access);
  name_races();
  auto const& thread = s_thread;
  if (access.part == Part::network && is_seen(where) && bytes != 0 &&
      (thread.context != nullptr || thread.request != nullptr)) {
    auto const end =
        std::min(where.offset + bytes, m_memory.end_of(where.offset));
    begin({where.offset, end - where.offset, epoch_of(access, 0),
           access.is_write, where.pe, is_here, thread.context, thread.request});
  }
}

/// Whether the heap has given out all of these bytes: if not, the call throws.
bool Checker::is_in_block(std::size_t offset, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  auto const next = m_blocks->upper_bound(offset);
  if (next == m_blocks->begin()) return false;
  auto const& [start, block] = *std::prev(next);
  return bytes <= block.bytes && offset - start <= block.bytes - bytes;
}

bool Shadow::is_in_stream_of_host() { return s_thread.is_in_stream; }

std::uint32_t Shadow::random_on_host() {
  auto& random = s_thread.random;
  random       = random * 1'664'525U + 1'013'904'223U;
  return random >> 30U;
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
      auto const change = [&](Word<std::uint64_t>& entry) {
        Epoch const epoch(entry.load(std::memory_order_relaxed));
        if (!epoch.is_like(begun.epoch)) return;
        Epoch const now(part_of(me(), part), clocks.use(part), epoch.mask(),
                        epoch.site(), epoch.is_atomic());
        entry.store(now.with_more(!begun.is_written && epoch.has_more()).bits(),
                    std::memory_order_relaxed);
      };
      auto& cell = m_memory.cell({begun.pe, at});
      change(begun.is_written ? cell.write : cell.read);
      if (begun.is_written) continue;
      auto* const reads = m_memory.reads_of({begun.pe, at}, false);
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
  std::unique_lock lock(m_mutex);
  bool is_found = false;
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
    is_found = true;
  }
  lock.unlock();
  if (is_found) name_races();
}

void Checker::allocated(void const* address, std::size_t bytes,
                        char const* label, std::size_t header_bytes) {
  if (!is_on()) return;
  auto const where = copy_of(address, me());
  if (where.pe < 0) return;
  name_races();
  auto const heap = where.offset / start_of_heap;
  reach(heap, where.offset % start_of_heap + bytes);
  m_memory.clear(where, bytes);
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
  if (m_has_unnamed.exchange(0) == 0) return;
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
          // The library's own memory, which it orders by what is not seen.
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

}  // namespace symm::Impl::check
