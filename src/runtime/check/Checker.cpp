// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Checker.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

#include "../bootstrap/Bootstrap.hpp"
#include "Report.hpp"
#include "Sites.hpp"

namespace symm::Impl::check {

constinit Checker s_checker;

void Checker::start(Bootstrap& bootstrap,
                    std::array<HeapMap const*, max_heaps> const& heaps,
                    MemoryProvider* gpu, Agree const& agree) {
  std::array<std::size_t, max_heaps> part_bytes{};
  m_n_heaps = 0;
  for (std::size_t i = 0; i < max_heaps; ++i) {
    if (heaps[i] == nullptr) continue;
    m_n_heaps     = i + 1;
    part_bytes[i] = heaps[i]->stride;
    m_heaps[i]    = make_heap(*heaps[i]);
  }
  if (m_n_heaps == 0) return;
  if (!m_memory.open(bootstrap, part_bytes)) {
    if (bootstrap.my_pe() == 0) {
      std::fprintf(stderr,
                   "symm: races are not detected: that requires all PEs on one "
                   "machine, and at most %d PEs\n",
                   max_pes);
    }
    return;
  }
  if (m_blocks == nullptr) {
    m_blocks = new std::map<std::size_t, Block>;
    m_begun  = new std::vector<Begun>;
    m_pinned = new std::vector<void*>;
  }
  forget_sites();
  begin_messages(bootstrap);
  m_me    = bootstrap.my_pe();
  m_n_pes = bootstrap.n_pes();
  clocks.start(m_me, m_n_pes);
  end_with_status();
  m_gpu = gpu;
  if (m_gpu != nullptr) begin_on_gpu(bootstrap, agree);
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

void Checker::finish(Bootstrap& bootstrap) {
  if (!is_on()) return;
  m_heap_bytes = 0;
  {
    std::lock_guard const lock(m_mutex);
    m_is_on = false;
  }
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

void Checker::report_early() noexcept {
  if (!is_on()) return;
  try {
    name_races();
    constexpr std::uint32_t begun = 1;
    constexpr std::uint32_t ended = 2;
    auto& state                   = tables().early_report;
    std::uint32_t none            = 0;
    if (state.compare_exchange_strong(none, begun)) {
      report(tables());
      state.store(ended);
    }
    // If this PE ended the job now, it would also end the PE that writes the
    // report. Therefore, wait for the report.
    for (int i = 0; i < 1000 && state.load() != ended; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  } catch (std::exception const&) {  // without memory, no report is printed
  }
}

std::uint64_t Checker::n_races() {
  if (!is_on()) return 0;
  name_races();
  return tables().n_found.load();
}

void Checker::access_heap(void const* address, std::size_t bytes, bool is_write,
                          bool is_atomic, void const* place) {
  auto& thread = s_thread;
  if (thread.n_calls > 0 || n_hiding.load(std::memory_order_relaxed) > 0) {
    return;
  }
  auto const part = is_write ? Part::stores : Part::loads;
  Access const access{is_write, part, clocks.use(part), is_atomic,
                      site_at(tables(), place, thread.name_of_seen)};
  auto const at = reinterpret_cast<std::uintptr_t>(address) - m_heap_start;
  if (m_near_cells != nullptr && at % 8 + bytes <= 8 && !clocks.has_ended() &&
      note_after_all(m_near_cells[at / 8],
                     epoch_of(access, mask_of(at % 8, bytes)), is_write)) {
    return;
  }
  note(where(address), bytes, access);
}

void Checker::note(Where where, std::size_t bytes, Access const& access,
                   bool is_here) {
  if (bytes > max_unasked && is_seen(where) &&
      !is_in_block(where.offset, bytes)) {
    return;
  }
  if (is_seen(where) && m_memory.is_on_gpu(where.offset)) {
    note_on_gpu(where, bytes, access);
  } else {
    Shadow::note(where, bytes, access);
  }
  name_races();
  auto const& thread = s_thread;
  if (access.part >= Part::network && is_seen(where) && bytes != 0 &&
      !clocks.has_ended() &&
      (thread.context != nullptr || thread.request != nullptr)) {
    auto const end =
        std::min(where.offset + bytes, m_memory.end_of(where.offset));
    begin({where.offset, end - where.offset, epoch_of(access, 0),
           access.is_write, where.pe, is_here, thread.context, thread.request});
  }
}

void AccessHistory::forget_write_on_host(Where where) {
  s_checker.forget_write_here(where);
}

std::uint32_t AccessHistory::random_on_host() {
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

}  // namespace symm::Impl::check
