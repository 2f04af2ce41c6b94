// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "WorkQueue.hpp"

#include <thread>
#include <utility>

namespace fake_cuda {

void WorkQueue::push(Work work) {
  std::lock_guard const lock(m_mutex);
  m_work.push_back(std::move(work));
  ++m_n_pushed;
  if (!m_has_thread) std::thread([this] { run(); }).detach();
  m_has_thread = true;
  m_changed.notify_all();
}

std::uint64_t WorkQueue::position() const {
  std::lock_guard const lock(m_mutex);
  return m_n_pushed;
}

bool WorkQueue::is_idle() const {
  std::lock_guard const lock(m_mutex);
  return m_n_done == m_n_pushed;
}

void WorkQueue::wait_for(std::uint64_t position) {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [&] { return m_n_done >= position; });
}

void WorkQueue::run() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_changed.wait(lock, [&] { return !m_work.empty(); });
    auto const work = std::move(m_work.front());
    m_work.pop_front();
    lock.unlock();
    work();
    lock.lock();
    ++m_n_done;
    m_changed.notify_all();
  }
}

}  // namespace fake_cuda
