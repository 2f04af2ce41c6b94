// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Checker's member functions that support GPU kernels.

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "../base/Failure.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/ProxyQueue.hpp"
#include "../memory/SymmetricRange.hpp"
#include "Checker.hpp"
#include "Sites.hpp"

namespace symm::Impl::check {

namespace {

ShadowKernels s_kernels{};

/// The shadow grows in units of this many bytes of a heap.
constexpr std::size_t unit = std::size_t{4} << 20U;
/// The maximum number of heap bytes that have a shadow. The shadow is twice as
/// large.
constexpr std::size_t max_on_gpu = std::size_t{16} << 30U;

}  // namespace

/// The part of the shadow in GPU memory, and the objects that the host needs to
/// access it.
struct ShadowOnGpu {
  Agree agree;
  // Connects all PEs, which are on one machine.
  std::optional<FdExchange> exchange;
  std::optional<SymmetricRange> cells;  // cells of the heap in GPU memory
  bool is_full   = false;
  Shadow* shadow = nullptr;  // in GPU memory: a copy of this PE's Shadow
  void* queue    = nullptr;
  Shadow back;  // receives the copy that is read back
};

void set_shadow_kernels(ShadowKernels const& kernels) { s_kernels = kernels; }

template <class Work>
bool Checker::try_on_gpu(Work const& work) noexcept {
  std::lock_guard const lock(m_gpu_mutex);
  try {
    work();
    return true;
  } catch (std::exception const& failure) {
    if (!std::exchange(m_has_said, true)) say_of_kernels(failure.what());
    return false;
  }
}

/// Collective.
void Checker::begin_on_gpu(Bootstrap& bootstrap, Agree const& agree) {
  constexpr std::size_t heap = 1;
  m_memory.keep_pages();
  bool is_done = try_on_gpu([&] {
    m_on_gpu         = new ShadowOnGpu;
    m_on_gpu->agree  = agree;
    m_on_gpu->queue  = m_gpu->make_queue();
    m_on_gpu->shadow = static_cast<Shadow*>(m_gpu->allocate(sizeof(Shadow)));
    pin({static_cast<Shadow*>(this), sizeof(Shadow)});
    pin({&m_on_gpu->back, sizeof(Shadow)});
    pin(m_memory.common());
  });
  // Either all PEs check kernels or none does. Otherwise, the detector would
  // miss signals sent by unchecked kernels, and these signals order other
  // accesses.
  if (first_to_say(bootstrap, !is_done)) return end_on_gpu();
  is_done = try_on_gpu([&] { m_on_gpu->exchange.emplace(bootstrap); }) &&
            try_on_gpu([&] {
              auto const bytes =
                  2 * std::min(m_heaps[heap].map.stride, max_on_gpu);
              m_on_gpu->cells.emplace(*m_gpu, *m_on_gpu->exchange, m_me,
                                      m_n_pes, bytes, 0);
              m_memory.use_gpu(
                  heap, reinterpret_cast<Cell*>(m_on_gpu->cells->map().part(0)),
                  bytes / sizeof(Cell));
              tell_kernels();
              m_gpu->run_in_context(
                  [this] { set_shadow_of_kernels(m_on_gpu->shadow); });
            });
  if (first_to_say(bootstrap, !is_done)) end_on_gpu();
}

void Checker::end_on_gpu() noexcept {
  m_has_said = false;
  try_on_gpu([&] {
    m_gpu->synchronize();
    m_gpu->run_in_context([] { set_shadow_of_kernels(nullptr); });
    for (auto* const address : *m_pinned) m_gpu->unpin(address);
  });
  m_pinned->clear();
  for (auto& heap : m_heaps) heap.reached = 0;
  if (m_on_gpu != nullptr) {
    if (m_on_gpu->shadow != nullptr) m_gpu->deallocate(m_on_gpu->shadow);
    if (m_on_gpu->queue != nullptr) m_gpu->free_queue(m_on_gpu->queue);
  }
  delete std::exchange(m_on_gpu, nullptr);
  m_gpu = nullptr;
}

void Checker::pin(CheckMemory::Range range) {
  if (m_gpu->pin(range.start, range.bytes)) m_pinned->push_back(range.start);
}

void Checker::say_of_kernels(char const* why) const {
  std::fprintf(stderr, "symm: PE %d: races in kernels are not detected: %s\n",
               m_me, why);
}

void Checker::reach(std::size_t heap, std::size_t bytes) {
  if (m_gpu == nullptr) return;
  auto& entry      = m_heaps[heap];
  auto const start = heap * start_of_heap;
  auto const end   = std::min(round_up(bytes, unit), entry.map.stride);
  if (end <= entry.reached) return;
  if (end > max_on_gpu) {
    if (!std::exchange(m_has_said, true)) {
      say_of_kernels("beyond the first 16 GiB of a heap");
    }
    return;
  }
  if (m_memory.is_on_gpu(start)) return extend_on_gpu(end);
  try_on_gpu([&] {
    for (Pe const pe : entry.map.near_pes()) {
      pin(m_memory.cells({pe, start + entry.reached}, end - entry.reached));
    }
    entry.reached = end;
  });
}

/// Collective. If this call fails, it fails on all PEs.
void Checker::extend_on_gpu(std::size_t end) {
  constexpr std::size_t heap = 1;
  auto& reached              = m_heaps[heap].reached;
  auto& cells                = *m_on_gpu->cells;
  if (m_on_gpu->is_full) return;
  auto const bytes  = 2 * (end - reached);
  auto const& agree = m_on_gpu->agree;
  auto failure      = cells.try_to_add_chunk(2 * reached, bytes, agree).failure;
  if (!failure) {
    auto const of_all = agree(failure_of(
        [&] { m_gpu->zero(cells.map().part(m_me) + 2 * reached, bytes); }));
    if (of_all) failure = of_all->failure;
  }
  if (failure) {
    m_on_gpu->is_full = true;
    if (!std::exchange(m_has_said, true)) {
      say_of_kernels(failure->message.c_str());
    }
    return;
  }
  reached = end;
  m_memory.extend_on_gpu(heap, end);
}

/// Copies this PE's state to its GPU.
void Checker::tell_kernels() {
  // Read the state back first, because kernels may have been launched without
  // Kokkos.
  if (m_is_on) learn_from_kernels();
  m_gpu->copy(m_on_gpu->shadow, static_cast<Shadow*>(this), sizeof(Shadow));
}

void Checker::learn_from_kernels() {
  m_gpu->copy(&m_on_gpu->back, m_on_gpu->shadow, sizeof(Shadow));
  clocks.learn_from_copy(m_on_gpu->back.clocks);
}

void Checker::note_on_gpu(Where where, std::size_t bytes,
                          Access const& access) {
  if (s_kernels.note == nullptr) return;
  try_on_gpu([&] {
    tell_kernels();
    m_gpu->run_in_context([&] {
      s_kernels.note(m_on_gpu->queue, m_on_gpu->shadow, where, bytes, access);
    });
    m_gpu->wait(m_on_gpu->queue);
  });
}

void Checker::change_on_gpu(Where where, LaterAccess const& later) {
  if (s_kernels.change == nullptr) return;
  try_on_gpu([&] {
    m_gpu->run_in_context([&] {
      s_kernels.change(m_on_gpu->queue, m_on_gpu->shadow, where, later);
    });
    m_gpu->wait(m_on_gpu->queue);
  });
}

void Checker::forget_write_here(Where where) noexcept {
  auto& write = m_memory.cell(where).write;
  if (m_memory.is_on_gpu(where.offset)) {
    try_on_gpu(
        [&] { m_gpu->zero(reinterpret_cast<char*>(&write), sizeof write); });
  } else {
    write.store(0, std::memory_order_relaxed);
  }
}

void Checker::clear_on_gpu(Where where, std::size_t bytes) {
  auto const range = m_memory.cells(where, bytes);
  if (range.bytes == 0) return;
  try_on_gpu(
      [&] { m_gpu->zero(static_cast<char*>(range.start), range.bytes); });
}

void Checker::set_kernel(char const* label) {
  s_kernel.store(label == nullptr ? nullptr : kept_label(label),
                 std::memory_order_relaxed);
  if (m_gpu == nullptr) return;
  // Kokkos waits for all kernels before it reports the next one.
  bool const is_its_own =
      s_thread.n_calls > 0 || n_hiding.load(std::memory_order_relaxed) > 0;
  m_hides_kernel = label != nullptr && is_its_own;
  if (label == nullptr) {
    try_on_gpu([&] { learn_from_kernels(); });
    return;
  }
  constexpr std::array<char const*, n_kernel_deeds> calls{
      nullptr, "symm::put", "symm::get", nullptr, "symm::put_signal"};
  // The place is the program line that launches the kernel.
  auto const& thread = s_thread;
  auto const n       = std::min(thread.n_frames, ThreadState::max_frames);
  auto const* place  = n == 0 ? nullptr : thread.frames[n - 1];
  for (std::size_t i = 0; i < n_kernel_deeds; ++i) {
    m_kernel_sites[i] = site_at(tables(), place, calls[i]);
  }
  try_on_gpu([&] { tell_kernels(); });
}

}  // namespace symm::Impl::check
