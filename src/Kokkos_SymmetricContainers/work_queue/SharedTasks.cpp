// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SharedTasks.hpp"

#include <atomic>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

SharedTasks::SharedTasks(char const* call, TeamMembers const& members,
                         std::vector<Pe> near, std::size_t task_bytes,
                         std::size_t most)
    : m_call(call),
      m_task_bytes(task_bytes),
      m_most(most),
      m_tasks(std::string(call) + ", tasks", task_bytes * most),
      m_words(std::string(call) + ", words", 4),
      m_places(&m_words(0, 0)),
      m_copied(&m_words(1, 0)),
      m_flags(&m_words(2, 0)),
      m_n_active(&m_words(3, 0)),
      m_members(members),
      m_root(members.n() > 0 ? members.world_pe(0) : 0),
      m_near(std::move(near)),
      m_random(static_cast<std::uint64_t>(my_pe()) + 1) {}

std::vector<Pe> SharedTasks::near_of(TeamMembers const& members) {
  std::vector<Pe> near;
  for (Pe k = 0; k < members.n(); ++k)
    if (is_near(members.world_pe(k))) near.push_back(members.world_pe(k));
  return near;
}

void SharedTasks::begin() {
  *m_places   = 0;
  *m_copied   = 0;
  *m_flags    = 0;
  *m_n_active = static_cast<std::uint64_t>(m_members.n());
  m_n_stolen  = 0;
  m_flags_now = 0;
}

bool SharedTasks::is_free() const {
  auto const places = Places::of(load_relaxed(m_places));
  return m_members.n() > 1 && places.count() == 0 &&
         load_acquire(m_copied) == m_n_stolen + places.first;
}

void SharedTasks::share(std::size_t count) {
  m_n_stolen += Places::of(load_relaxed(m_places)).first;
  store_release(m_places, Places{0, count}.word());
}

std::span<std::byte const> SharedTasks::take_back() {
  auto word = load_relaxed(m_places);
  for (;;) {
    auto const places = Places::of(word);
    if (places.count() == 0) return {};
    auto const was = atomic_compare_swap(
        m_places, word, Places{places.first, places.first}.word());
    if (was == word) {
      return {m_tasks.data() + places.first * m_task_bytes,
              places.count() * m_task_bytes};
    }
    word = was;
  }
}

std::uint64_t SharedTasks::flags() {
  auto const now = load_acquire(m_flags);
  if (now == m_flags_now) [[likely]]
    return now;
  auto const news = now & ~m_flags_now;
  m_flags_now     = now;
  for (int k = 1; k <= 2; ++k) {
    auto const member = 2 * m_members.me() + k;
    if (member < m_members.n())
      atomic_or(m_flags, news, m_members.world_pe(member));
  }
  return now;
}

void SharedTasks::tell(Flag flag) {
  atomic_or(m_flags, std::uint64_t{flag}, m_root);
}

void SharedTasks::stop() { tell(stopped); }

bool SharedTasks::is_stopped() { return (flags() & stopped) != 0; }

void SharedTasks::enter() {
  static_cast<void>(atomic_fetch_add(m_n_active, std::uint64_t{1}, m_root));
}

void SharedTasks::leave() {
  if (atomic_fetch_add(m_n_active, ~std::uint64_t{0}, m_root) == 1) tell(over);
}

/// Alternates between a random member on this node and a random member
/// anywhere.
Pe SharedTasks::next_victim() {
  m_random ^= m_random << 13U;
  m_random ^= m_random >> 7U;
  m_random ^= m_random << 17U;
  if (++m_n_tries % 2 != 0 && m_near.size() > 1)
    return m_near[m_random % m_near.size()];
  auto const n = static_cast<unsigned>(m_members.n());
  return m_members.world_pe(static_cast<Pe>(m_random % n));
}

bool SharedTasks::steal(std::vector<std::byte>& stolen,
                        std::function<bool()> const& has_own) {
  stolen.clear();
  leave();
  bool has_task     = false;
  std::uint64_t now = 0;
  wait_and_serve(
      m_call,
      [&] {
        if (has_task) return true;
        if (has_own()) {
          enter();
          return has_task = true;
        }
        now = flags();
        return (now & over) != 0;
      },
      [&] {
        auto const victim = next_victim();
        if ((now & stopped) != 0 || victim == my_pe() ||
            Places::of(atomic_fetch(m_places, victim)).count() == 0)
          return false;
        enter();
        has_task = steal_from(victim, stolen);
        if (!has_task) leave();
        return has_task;
      },
      [] { return Text("\n  the tasks of all PEs"); });
  return has_task;
}

bool SharedTasks::steal_from(Pe victim, std::vector<std::byte>& stolen) {
  auto word = atomic_fetch(m_places, victim);
  for (;;) {
    auto const places = Places::of(word);
    auto const count  = (places.count() + 1) / 2;
    if (count == 0) return false;
    auto const was = atomic_compare_swap(
        m_places, word, Places{places.first + count, places.end}.word(),
        victim);
    if (was == word) {
      std::atomic_thread_fence(std::memory_order_acquire);
      stolen.resize(count * m_task_bytes);
      getmem(stolen.data(), m_tasks.data() + places.first * m_task_bytes,
             stolen.size(), victim);
      std::atomic_thread_fence(std::memory_order_release);
      atomic_add(m_copied, count, victim);
      return true;
    }
    word = was;
  }
}

}  // namespace symm::Impl
