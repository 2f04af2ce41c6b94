// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "AtomicQueue.hpp"

#include <algorithm>

#include "../base/Backoff.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t bytes_of_changes = AtomicBatch::most * sizeof(GpuAtomic);

/// The kernel takes about 30 us for a batch of 4096 operations if it can start
/// immediately.
constexpr auto time_to_begin = std::chrono::microseconds(100);
constexpr auto shortest_look = std::chrono::microseconds(50);
constexpr auto longest_look  = std::chrono::milliseconds(1);

/// Maximum number of launches before the host checks that the kernels have
/// ended. (CUDA queues about a thousand launches; the next one blocks.)
constexpr int max_launched = 64;

}  // namespace

AtomicQueue::AtomicQueue(MemoryProvider& provider, void* stores)
    : m_provider(provider),
      m_stores(stores),
      m_memory(provider, bytes_of_changes + sizeof(std::uint64_t)),
      m_changes(reinterpret_cast<GpuAtomic*>(m_memory.data())),
      m_finished(reinterpret_cast<std::uint64_t*>(m_memory.data() +
                                                  bytes_of_changes)) {
  try {
    m_queue = provider.make_queue();
    m_board = static_cast<AtomicBoard*>(provider.allocate(sizeof(AtomicBoard)));
    AtomicBoard const board{m_changes, m_finished, 0, 0, 0};
    provider.copy(m_board, &board, sizeof board);
    // Load the kernel now, because its first launch may wait for all running
    // kernels.
    launch();
    provider.wait(m_queue);
  } catch (...) {
    provider.deallocate(m_board);
    provider.free_queue(m_queue);
    throw;
  }
}

AtomicQueue::~AtomicQueue() {
  m_provider.free_queue(m_queue);
  m_provider.deallocate(m_board);
}

void AtomicQueue::launch() {
  m_provider.begin_changes(m_queue, m_board, m_run.word());
  ++m_n_launched;
}

bool AtomicQueue::is_idle() {
  if (!m_provider.is_idle(m_queue)) return false;
  m_n_launched = 0;
  return true;
}

void AtomicQueue::post(std::size_t first, std::size_t count) {
  wait_for_run();
  m_run         = {m_run.number() + 1, first, count};
  m_is_occupied = (m_is_occupied || m_n_launched >= max_launched) && !is_idle();
  if (m_is_occupied) {
    ask_threads();
  } else {
    launch();
  }
}

/// If the threads that could claim the batch have since stopped waiting, parts
/// of the batch may remain while the queue is idle. In that case, the kernel is
/// launched again.
///
/// At first, the loop does not yield the core, because the PE's application
/// thread may share it (`mpiexec` binds each PE of a two-PE job to one core).
/// That thread may spin in a CUDA or MPI call for 3 ms each time it is
/// scheduled.
void AtomicQueue::wait_for_run() {
  auto const is_finished = [&] {
    return __atomic_load_n(m_finished, __ATOMIC_ACQUIRE) == m_run.number();
  };
  auto const start           = Clock::now();
  Clock::duration until_next = shortest_look;
  auto next_look             = start + until_next;
  Backoff backoff(0);
  while (!is_finished()) {
    auto const now = Clock::now();
    if (now - start > time_to_begin) static_cast<void>(backoff.pause());
    if (now < next_look) continue;
    until_next = std::min<Clock::duration>(2 * until_next, longest_look);
    next_look  = now + until_next;
    if (is_idle()) {
      if (is_finished()) return;
      m_is_occupied = false;
      launch();
    } else if (now - start > time_to_begin) {
      m_is_occupied = true;
      ask_threads();
    }
  }
}

void AtomicQueue::ask_threads() {
  CopyQueue::WordStore const store{&m_board->wanted, m_run.word(),
                                   sizeof m_board->wanted};
  m_provider.store_words(m_stores, &store, 1);
}

void AtomicQueue::add(void* word, AtomicOp op, WordType type,
                      std::uint64_t value) {
  if (m_end == AtomicBatch::most) finish();
  m_changes[m_end++] = {word, op, type, value};
}

void AtomicQueue::flush() {
  if (m_first == m_end) return;
  post(m_first, m_end - m_first);
  m_first = m_end;
}

void AtomicQueue::finish() {
  flush();
  wait_for_run();
  m_first = 0;
  m_end   = 0;
}

std::uint64_t AtomicQueue::fetch(void* word, AtomicOp op, WordType type,
                                 std::uint64_t value, std::uint64_t compare) {
  finish();
  m_changes[0] = {word, op, type, value, compare};
  post(0, 1);
  wait_for_run();
  return m_changes[0].was;
}

}  // namespace symm::Impl
