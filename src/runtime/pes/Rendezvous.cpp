// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Rendezvous.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "Backoff.hpp"

namespace symm::Impl {

namespace {

/// Some tens of microseconds with a core for every PE, none otherwise.
int choose_spins(Bootstrap& bootstrap) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  // On failure (more than 1024 CPUs) the set stays empty: never spin.
  static_cast<void>(::sched_getaffinity(0, sizeof mine, &mine));
  cpu_set_t all;
  CPU_ZERO(&all);
  for (cpu_set_t const& cpus : allgather(bootstrap, mine)) {
    CPU_OR(&all, &all, &cpus);
  }
  return CPU_COUNT(&all) >= bootstrap.n_pes() ? 2000 : 0;
}

/// Calls say(pes, first) for every set of PEs that are equal, with their names
/// and the lowest of them. One that does not equal itself is in none.
template <class AreEqual, class Say>
void for_equal_pes(int n_pes, AreEqual const& are_equal, Say const& say) {
  for (Pe first = 0; first < n_pes; ++first) {
    Pe lowest = 0;
    while (lowest < first && !are_equal(lowest, first)) ++lowest;
    if (lowest < first || !are_equal(first, first)) continue;
    Text numbers;
    int count = 0;
    for (Pe pe = first; pe < n_pes; ++pe) {
      if (!are_equal(first, pe)) continue;
      numbers.append(count == 0 ? "" : ", ", pe);
      ++count;
    }
    say(Text(count == 1 ? "PE " : "PEs ", numbers), first);
  }
}

}  // namespace

void Rendezvous::throw_occupied(RuntimeCall mine, RuntimeCall other) {
  throw UsageError(Text(
      name_of(mine), ": another thread of this PE is in a collective call (",
      name_of(other), "); one thread at a time makes them. Nothing was done"));
}

Rendezvous::Rendezvous(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
                       std::chrono::duration<double> timeout)
    : m_bootstrap(bootstrap),
      m_exchange(exchange),
      m_timeout(timeout),
      m_my_pe(bootstrap.my_pe()),
      m_n_pes(bootstrap.n_pes()),
      m_spins(choose_spins(bootstrap)) {
  auto const agree = agree_through(bootstrap);
  auto const bytes =
      round_up(sizeof(Records), vmm.granularity(Vmm::Granularity::minimum));
  all_or_none(agree, "reserving addresses for the rendezvous", [&] {
    m_range.emplace(vmm, exchange, m_my_pe, m_n_pes, bytes, 0);
  });
  m_range->add_chunk(0, bytes, agree);
  new (m_range->map().part(m_my_pe)) Records{};
  bootstrap.barrier();  // nobody reads a record that is not constructed
}

Rendezvous::Record& Rendezvous::record(Pe pe, std::uint64_t sequence) const {
  auto* const records =
      std::launder(reinterpret_cast<Records*>(m_range->map().part(pe)));
  return (*records)[sequence % 2];
}

void Rendezvous::publish(Call const& call) {
  // Whoever reads the record that is overwritten here, and then looks whether
  // this PE has arrived since (last_call_of()), finds that it has.
  std::atomic_thread_fence(std::memory_order_release);
  Record& mine          = record(m_my_pe, ++m_sequence);
  mine.operation        = call.operation;
  mine.memory           = call.memory;
  mine.arguments        = call.arguments;
  mine.failure          = ErrorKind::none;
  mine.n_notices        = static_cast<std::uint32_t>(call.notices.size());
  mine.has_more_notices = call.has_more_notices ? 1 : 0;
  std::copy(call.notices.begin(), call.notices.end(), mine.notices.begin());
  std::string_view text = call.label;
  if (call.failure) {
    mine.failure = call.failure->kind;
    text         = call.failure->message;
  }
  mine.text[text.copy(mine.text.data(), mine.text.size() - 1)] = '\0';
  mine.sequence.store(m_sequence, std::memory_order_release);
}

bool Rendezvous::has_arrived(Pe pe) const {
  return record(pe, m_sequence).sequence.load(std::memory_order_acquire) >=
         m_sequence;
}

void Rendezvous::wait_for_all() {
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    if (!has_arrived(pe)) wait_slowly(pe);
  }
}

void Rendezvous::wait_slowly(Pe pe) {
  Backoff backoff(m_spins);
  Backoff::Clock::duration next_check  = health_interval;
  std::chrono::duration<double> report = m_timeout;
  while (!has_arrived(pe)) {
    auto const waited = backoff.pause();
    if (waited < next_check) continue;
    next_check = waited + health_interval;
    check_alive();
    if (m_timeout.count() > 0 && waited >= report) {
      report = waited + m_timeout;
      report_missing(std::chrono::duration<double>(waited).count());
    }
  }
}

Text Rendezvous::call_of(Record const& record) {
  return to_string(record.operation, record.arguments,
                   record.failure == ErrorKind::none ? record.text.data() : "",
                   record.memory);
}

std::uint64_t Rendezvous::latest(Pe pe) const {
  return std::max(record(pe, 0).sequence.load(std::memory_order_acquire),
                  record(pe, 1).sequence.load(std::memory_order_acquire));
}

Text Rendezvous::last_call_of(Pe pe) const {
  auto const sequence = latest(pe);
  Text const text("#", sequence, " ", call_of(record(pe, sequence)));
  // A PE may go on and overwrite the record while it is read here; the text is
  // worthless then, but ends within the record. What was read before the fence
  // is older than what says so.
  std::atomic_thread_fence(std::memory_order_acquire);
  return latest(pe) == sequence ? text : Text("one that has just ended");
}

bool Rendezvous::is_in_finalize(Pe pe) const {
  auto const sequence = latest(pe);
  if (sequence <= latest(m_my_pe)) return false;
  bool const is_finalize =
      record(pe, sequence).operation == RuntimeCall::finalize;
  std::atomic_thread_fence(std::memory_order_acquire);
  return is_finalize && latest(pe) == sequence;
}

Text Rendezvous::whereabouts(Pe pe) const {
  bool const is_waiting = latest(pe) > latest(m_my_pe);
  return Text("PE ", pe,
              is_waiting ? ", which waits in collective call "
                         : ", whose last collective call was ",
              last_call_of(pe));
}

void Rendezvous::report_missing(double waited_seconds) const {
  BasicText<16383> text(
      "symm: PE ", m_my_pe, " has waited ", static_cast<long>(waited_seconds),
      " s in collective call ", last_call_of(m_my_pe), " for");
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    if (has_arrived(pe)) continue;
    text.append("\n  ", whereabouts(pe));
  }
  std::fprintf(stderr,
               "%s\n  All PEs must make the same collective calls in the same "
               "order. Still waiting (SYMM_TIMEOUT sets the seconds between "
               "reports, 0: none).\n",
               text.c_str());
}

void Rendezvous::check_alive() const {
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    // In this order: a process may publish its record and end.
    if (!m_exchange.is_gone(pe) || has_arrived(pe)) continue;
    std::fprintf(stderr,
                 "symm: PE %d waits in collective call %s, but the process of "
                 "PE %d is gone; its last collective call was %s. Ending the "
                 "job.\n",
                 m_my_pe, last_call_of(m_my_pe).c_str(), pe,
                 last_call_of(pe).c_str());
    m_bootstrap.abort();
  }
}

void Rendezvous::check_equal() const {
  Record const& mine  = record(m_my_pe, m_sequence);
  bool same_operation = true;
  bool same           = true;
  bool failed         = false;
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    Record const& other = record(pe, m_sequence);
    same_operation      = same_operation && other.operation == mine.operation;
    same                = same && other.memory == mine.memory &&
           other.arguments == mine.arguments;
    failed = failed || other.failure != ErrorKind::none;
  }
  if (!same_operation) throw_differing();
  // Before a difference: it may be what makes one.
  if (failed) throw_failures();
  if (!same) throw_differing();
}

void Rendezvous::throw_differing() const {
  Text text("mismatched collective call: ");
  char const* separator = "";
  char const* advice    = "";
  for_equal_pes(
      m_n_pes,
      [&](Pe a, Pe b) {
        return call_of(record(a, m_sequence)) == call_of(record(b, m_sequence));
      },
      [&](Text const& pes, Pe first) {
        Record const& its = record(first, m_sequence);
        text.append(separator, pes, " called ", call_of(its));
        separator = "; ";
        if (*advice == '\0') advice = advice_for(its.operation);
      });
  text.append(
      ". Nothing was changed on any PE; make the same call with equal "
      "arguments on all PEs",
      advice);
  throw UsageError(text);
}

void Rendezvous::throw_failures() const {
  Record const& mine = record(m_my_pe, m_sequence);
  Failure failure;
  failure.message.append(
      to_string(mine.operation, mine.arguments, "", mine.memory), " failed:");
  for_equal_pes(
      m_n_pes,
      [&](Pe a, Pe b) {
        Record const& one   = record(a, m_sequence);
        Record const& other = record(b, m_sequence);
        return one.failure != ErrorKind::none &&
               other.failure != ErrorKind::none &&
               std::string_view(one.text.data()) == other.text.data();
      },
      [&](Text const& pes, Pe first) {
        Record const& its = record(first, m_sequence);
        if (failure.kind == ErrorKind::none) failure.kind = its.failure;
        failure.message.append(" on ", pes, ": ", its.text.data(), ";");
      });
  failure.message.append(" nothing was changed on any PE");
  throw_failure(failure);
}

void Rendezvous::meet(Call const& call) {
  publish(call);
  wait_for_all();
  check_equal();
}

std::optional<PeFailure> Rendezvous::agree(std::optional<Failure> const& mine) {
  // What the latest meet() left to tell is so still.
  bool const has_more = record(m_my_pe, m_sequence).has_more_notices != 0;
  publish({.operation        = RuntimeCall::agree,
           .failure          = mine,
           .has_more_notices = has_more});
  wait_for_all();
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    Record const& other = record(pe, m_sequence);
    if (other.operation != RuntimeCall::agree) throw_differing();
    if (other.failure != ErrorKind::none) {
      return PeFailure{pe, {other.failure, {other.text.data()}}};
    }
  }
  return std::nullopt;
}

std::span<std::uint32_t const> Rendezvous::notices(Pe pe) const {
  Record const& other = record(pe, m_sequence);
  return std::span(other.notices).first(other.n_notices);
}

bool Rendezvous::has_more_notices() const {
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    if (record(pe, m_sequence).has_more_notices != 0) return true;
  }
  return false;
}

}  // namespace symm::Impl
