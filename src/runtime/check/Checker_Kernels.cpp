// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Checker's members about kernels on GPUs.

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <utility>

#include "../bootstrap/Bootstrap.hpp"
#include "../memory/FarRing.hpp"
#include "../memory/MemoryProvider.hpp"
#include "Checker.hpp"
#include "Sites.hpp"

namespace symm::Impl::check {

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
  // The line of the program that launches it.
  auto const& thread = s_thread;
  auto const n       = std::min(thread.n_frames, ThreadState::most_frames);
  auto const* place  = n == 0 ? nullptr : thread.frames[n - 1];
  for (std::size_t i = 0; i < n_kernel_deeds; ++i) {
    m_kernel_sites[i] = site_at(tables(), place, calls[i]);
  }
}

}  // namespace symm::Impl::check
