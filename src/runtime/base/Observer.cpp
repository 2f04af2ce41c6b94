// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Observer.hpp"

namespace symm::Impl {

std::atomic<Observer*> s_first_observer{nullptr};

namespace {

/// The number of nested operations that this thread is in.
thread_local int s_depth = 0;

bool is_waiting(Operation const& operation) {
  return operation.kind == OperationKind::waiting_for_pes;
}

}  // namespace

void ObserverList::add(Observer& observer) noexcept {
  remove(observer);
  observer.m_next = s_first_observer.load(std::memory_order_relaxed);
  s_first_observer.store(&observer, std::memory_order_release);
}

void ObserverList::remove(Observer& observer) noexcept {
  auto* const first = s_first_observer.load(std::memory_order_relaxed);
  if (first == &observer) {
    s_first_observer.store(observer.m_next, std::memory_order_release);
    return;
  }
  for (auto* before = first; before != nullptr; before = before->m_next) {
    if (before->m_next != &observer) continue;
    before->m_next = observer.m_next;
    return;
  }
}

void ObserverList::begin(Operation const& operation) noexcept {
  if (!is_waiting(operation) && ++s_depth > 1) return;
  auto* observer = s_first_observer.load(std::memory_order_acquire);
  for (; observer != nullptr; observer = observer->m_next) {
    observer->begin(operation);
  }
}

void ObserverList::end(Operation const& operation) noexcept {
  if (!is_waiting(operation) && --s_depth > 0) return;
  auto* observer = s_first_observer.load(std::memory_order_acquire);
  for (; observer != nullptr; observer = observer->m_next) {
    observer->end(operation);
  }
}

}  // namespace symm::Impl
