// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Clocks.hpp"

namespace symm::Impl::check {

namespace {

void raise(std::atomic<Time>& known, Time time) {
  auto now = known.load(std::memory_order_relaxed);
  while (now < time &&
         !known.compare_exchange_weak(now, time, std::memory_order_relaxed)) {
  }
}

}  // namespace

// Loads and stores of this PE know its own loads and stores at once: these
// times are those of the next access. Its network's are behind until quiet().
void Clocks::start(Pe me, int n_pes) {
  m_me    = me;
  m_parts = static_cast<std::size_t>(n_pes) * n_parts;
  for (auto& now : m_now) now = 1;
  m_fenced_stores = 0;
  m_has_later     = false;
  for (std::size_t part = 0; part < m_parts; ++part) {
    m_known[part] = m_fenced[part] = m_later[part] = 0;
  }
  for (auto const part : {Part::loads, Part::stores}) {
    m_known[part_of(me, part)]  = Epoch::latest;
    m_fenced[part_of(me, part)] = Epoch::latest;
  }
}

Time Clocks::step(Part part) {
  return m_now[static_cast<std::size_t>(part)].fetch_add(
      1, std::memory_order_relaxed);
}

bool Clocks::has_room() const {
  for (auto const& now : m_now) {
    if (now.load(std::memory_order_relaxed) >= Epoch::latest - 1) return false;
  }
  return true;
}

void Clocks::raise_mine(TimesOfPes known, Part part, Time time) const {
  raise(known[part_of(m_me, part)], time);
}

void Clocks::fence() {
  learn_later();
  raise(m_fenced_stores, step(Part::stores));
  for (auto const part : {Part::network, Part::signals}) {
    raise_mine(m_fenced.data(), part, step(part));
  }
}

void Clocks::learn_later() {
  if (!m_has_later.load(std::memory_order_relaxed)) return;
  m_has_later = false;
  for (std::size_t part = 0; part < m_parts; ++part) {
    raise(m_known[part], m_later[part]);
    raise(m_fenced[part], m_later[part]);
  }
}

void Clocks::quiet() {
  fence();
  for (auto const part : {Part::network, Part::signals}) {
    raise_mine(m_known.data(), part, m_fenced[part_of(m_me, part)]);
  }
}

Time Clocks::begin_signal() { return step(Part::signals) + 1; }

void Clocks::tell(TimesOfPes known, Tells what, Time signalled) {
  auto const first = part_of(m_me, Part::loads);
  for (std::size_t part = 0; part < m_parts; ++part) {
    if (part - first < n_parts) continue;
    raise(known[part], m_known[part]);
  }
  // A load is complete at once.
  raise_mine(known, Part::loads, step(Part::loads));
  raise_mine(
      known, Part::stores,
      what == Tells::fenced ? m_fenced_stores.load() : step(Part::stores));
  auto const& network = what == Tells::done ? m_known : m_fenced;
  for (auto const part : {Part::network, Part::signals}) {
    raise_mine(known, part, network[part_of(m_me, part)]);
  }
  raise_mine(known, Part::signals, signalled);
}

void Clocks::learn(std::atomic<Time> const* known, bool later) {
  auto const first = part_of(m_me, Part::loads);
  for (std::size_t part = 0; part < m_parts; ++part) {
    auto const time = known[part].load(std::memory_order_relaxed);
    if (time == 0) continue;
    if (later) {
      if (part - first < n_parts) continue;
      raise(m_later[part], time);
      m_has_later = true;
    } else {
      raise(m_known[part], time);
      raise(m_fenced[part], time);
    }
  }
}

}  // namespace symm::Impl::check
