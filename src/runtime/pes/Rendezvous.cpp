// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Rendezvous.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
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
  mine.call.operation   = call.operation;
  mine.call.memory      = call.memory;
  mine.call.failure     = ErrorKind::none;
  mine.call.arguments   = call.arguments;
  mine.call.trail       = m_trail.hash();
  mine.n_notices        = static_cast<std::uint16_t>(call.notices.size());
  mine.has_more_notices = call.has_more_notices ? 1 : 0;
  std::copy(call.notices.begin(), call.notices.end(), mine.notices.begin());
  mine.bits             = call.bits;
  std::string_view text = call.label;
  if (call.failure) {
    mine.call.failure = call.failure->kind;
    text              = call.failure->message;
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
  auto const& call = record.call;
  return to_string(call.operation, call.arguments,
                   call.failure == ErrorKind::none ? record.text.data() : "",
                   call.memory);
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
      record(pe, sequence).call.operation == RuntimeCall::finalize;
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

void Rendezvous::meet(Call const& call) {
  publish(call);
  wait_for_all();
  auto const& mine  = record(m_my_pe, m_sequence).call;
  bool is_different = false;
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    auto const& other = record(pe, m_sequence).call;
    is_different |= std::memcmp(&other, &mine, sizeof mine) != 0;
  }
  if (is_different || mine.failure != ErrorKind::none) throw_mismatch();
}

std::optional<PeFailure> Rendezvous::agree(std::optional<Failure> const& mine) {
  // What the latest meet() left to tell is so still.
  bool const has_more = record(m_my_pe, m_sequence).has_more_notices != 0;
  publish({.operation        = RuntimeCall::agree,
           .failure          = mine,
           .has_more_notices = has_more});
  wait_for_all();
  // All of them first: a PE in another call does not agree with anybody.
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    if (record(pe, m_sequence).call.operation != RuntimeCall::agree) {
      throw_mismatch();
    }
  }
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    Record const& other = record(pe, m_sequence);
    if (other.call.failure != ErrorKind::none) {
      return PeFailure{pe, {other.call.failure, {other.text.data()}}};
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

std::uint64_t Rendezvous::bits_of_all() const {
  auto bits = record(m_my_pe, m_sequence).bits;
  // Mostly there is nothing to read.
  for (Pe pe = 0; bits != 0 && pe < m_n_pes; ++pe) {
    bits &= record(pe, m_sequence).bits;
  }
  return bits;
}

}  // namespace symm::Impl
