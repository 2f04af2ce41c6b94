// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Rendezvous.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "../bootstrap/Nodes.hpp"
#include "OtherNodes.hpp"
#include "PeBackoff.hpp"
#include "ThreadProgress.hpp"

namespace symm::Impl {

namespace {

/// The time before the first report while an exception is unwinding the stack.
/// The report is early because the exception has not been printed yet, and may
/// be the reason why other PEs never arrive.
constexpr std::chrono::duration<double> patience_with_exceptions{5};

/// Returns the number of spins: enough for a few tens of microseconds if every
/// PE on the machine has its own core, otherwise 0.
int choose_spins(Bootstrap& bootstrap, Nodes const& nodes) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  // If this fails (more than 1024 CPUs), the set stays empty, and PEs do not
  // spin.
  static_cast<void>(::sched_getaffinity(0, sizeof mine, &mine));
  cpu_set_t all;
  CPU_ZERO(&all);
  auto const cpus = allgather(bootstrap, mine);
  for (Pe pe = 0; pe < nodes.n_pes(); ++pe) {
    if (!nodes.may_share_machine(pe)) continue;
    CPU_OR(&all, &all, &cpus[index_of(pe)]);
  }
  return CPU_COUNT(&all) >= nodes.n_on_machine() ? 2000 : 0;
}

}  // namespace

void Rendezvous::throw_occupied(RuntimeCall my_call, RuntimeCall other) {
  throw UsageError(Text(name_of(my_call),
                        ": another thread of this PE is in a collective call (",
                        name_of(other),
                        "); only one thread at a time may make collective "
                        "calls. Nothing was changed"));
}

Rendezvous::Rendezvous(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm,
                       std::chrono::duration<double> timeout,
                       StepMessages* messages)
    : m_bootstrap(bootstrap),
      m_exchange(exchange),
      m_timeout(timeout),
      m_my_pe(bootstrap.my_pe()),
      m_n_pes(bootstrap.n_pes()),
      m_first_near(exchange.nodes().first_near()),
      m_end_near(m_first_near + exchange.nodes().n_near()),
      m_spins(choose_spins(bootstrap, exchange.nodes())) {
  bool const has_other_nodes = exchange.nodes().n() > 1;
  auto const agree           = agree_through(bootstrap);
  auto const bytes           = round_up(bytes_of_part(has_other_nodes),
                                        vmm.granularity(Vmm::Granularity::minimum));
  all_or_none(agree, "reserving addresses for the rendezvous", [&] {
    m_range.emplace(vmm, exchange, m_my_pe, m_n_pes, bytes, 0);
  });
  m_range->add_chunk(0, bytes, agree);
  new (m_range->map().part(m_my_pe)) Records{};
  if (has_other_nodes) {
    all_or_none(agree, "preparing the rendezvous of nodes", [&] {
      m_across = std::make_unique<OtherNodes>(
          exchange.nodes(), *messages,
          m_range->map().part(m_first_near) + sizeof(Records), m_my_pe);
    });
  }
  bootstrap.barrier();  // no PE may read a record before it is constructed
}

Rendezvous::~Rendezvous() = default;

Rendezvous::Record& Rendezvous::record(Pe pe, std::uint64_t sequence) const {
  auto* const records =
      std::launder(reinterpret_cast<Records*>(m_range->map().part(pe)));
  return (*records)[sequence % 2];
}

void Rendezvous::publish(Call const& call) {
  if (m_across != nullptr) quiet();
  // A peer may still be reading the record that this call overwrites. If the
  // peer reads any new contents, this fence ensures that it also sees the
  // sequence number of the record published in between (last_call_of()).
  std::atomic_thread_fence(std::memory_order_release);
  Record& my_record          = record(m_my_pe, ++m_sequence);
  my_record.call.operation   = call.operation;
  my_record.call.memory      = call.memory;
  my_record.call.failure     = ErrorKind::none;
  my_record.call.arguments   = call.arguments;
  my_record.call.trail       = m_trail.hash();
  my_record.n_notices        = static_cast<std::uint16_t>(call.notices.size());
  my_record.has_more_notices = call.has_more_notices ? 1 : 0;
  std::copy(call.notices.begin(), call.notices.end(),
            my_record.notices.begin());
  my_record.bits        = call.bits;
  m_label               = call.label;
  std::string_view text = call.label;
  if (call.failure) {
    my_record.call.failure = call.failure->kind;
    text                   = call.failure->message;
  }
  my_record.text[text.copy(my_record.text.data(), my_record.text.size() - 1)] =
      '\0';
  my_record.sequence.store(m_sequence, std::memory_order_release);
}

bool Rendezvous::has_arrived(Pe pe) const {
  return record(pe, m_sequence).sequence.load(std::memory_order_acquire) >=
         m_sequence;
}

/// Out of line so that the rare case does not cost the caller any registers.
void Rendezvous::wait_for(Pe pe) {
  wait_slowly([&] { return has_arrived(pe); });
}

void Rendezvous::combine_nodes() {
  if (m_my_pe == m_first_near) {
    lead();
  } else if (!has_result()) {
    wait_slowly([&] { return has_result(); });
  }
}

template <class HasCome>
void Rendezvous::wait_slowly(HasCome const& has_come) {
  Observed const observed([this] { return waiting(); });
  PeBackoff backoff(m_spins, m_transport);
  PeBackoff::Clock::duration next_check = health_interval;
  std::chrono::duration<double> report  = m_timeout;
  if (std::uncaught_exceptions() > 0)
    report = std::min(report, patience_with_exceptions);
  while (!has_come()) {
    if (m_across != nullptr) m_across->messages().poll();
    auto const waited = backoff.pause(ThreadProgress::make());
    if (waited < next_check) continue;
    next_check = waited + health_interval;
    if (has_come()) return;  // arrived during the pause
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
  // The PE may overwrite the record while this PE reads it. In that case, the
  // text is meaningless but ends within the record, and the load after the
  // fence returns a later sequence number.
  std::atomic_thread_fence(std::memory_order_acquire);
  return latest(pe) == sequence ? text : Text("one that has just ended");
}

bool Rendezvous::is_in_finalize(Pe pe, std::chrono::milliseconds most,
                                char const* call) const {
  if (!is_near(pe)) return is_far_in_finalize(pe, most, call);
  auto const sequence = latest(pe);
  if (sequence <= latest(m_my_pe)) return false;
  bool const is_finalize =
      record(pe, sequence).call.operation == RuntimeCall::finalize;
  std::atomic_thread_fence(std::memory_order_acquire);
  return is_finalize && latest(pe) == sequence;
}

bool Rendezvous::is_in_object_call(Pe pe, std::uint64_t key,
                                   std::chrono::milliseconds most,
                                   char const* call) const {
  if (!is_near(pe)) return is_far_in_object_call(pe, key, most, call);
  auto const sequence = latest(pe);
  if (sequence <= latest(m_my_pe)) return false;
  auto const its_key = key_of_object(record(pe, sequence));
  std::atomic_thread_fence(std::memory_order_acquire);
  return its_key == key && latest(pe) == sequence;
}

std::uint64_t Rendezvous::key_of_object(Record const& record) {
  return record.call.operation == RuntimeCall::object
             ? ObjectCall::key_of(record.call.arguments)
             : 0;
}

Text Rendezvous::describe(Pe pe, char const* call) const {
  if (!is_near(pe)) return describe_far(pe, call);
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
  bool is_node_here = true;
  for (Pe pe = m_first_near; pe < m_end_near; ++pe) {
    if (has_arrived(pe)) continue;
    is_node_here = false;
    text.append("\n  ", describe(pe));
  }
  if (is_node_here) {
    if (m_across == nullptr) return;  // all have arrived in the meantime
    text.append("\n  ", missing_nodes());
  }
  if (std::uncaught_exceptions() > 0) {
    text.append("\n  PE ", m_my_pe,
                " is in this call because of an exception that has not been "
                "caught yet and may be the only error; find it with a debugger "
                "(catch throw), or catch it before the guard ends");
  }
  std::fprintf(stderr,
               "%s\n  All PEs must make the same collective calls in the same "
               "order. Still waiting (SYMM_TIMEOUT sets the seconds between "
               "reports, 0: none).\n",
               text.c_str());
}

void Rendezvous::check_alive() const {
  for (Pe pe = m_first_near; pe < m_end_near; ++pe) {
    // Call is_gone() before has_arrived(), because a process may publish its
    // record and then exit.
    if (!m_exchange.is_gone(pe)) continue;
    bool const is_awaited =
        m_across != nullptr && pe == m_first_near && !has_result();
    if (has_arrived(pe) && !is_awaited) continue;
    auto const host  = m_exchange.nodes().host_of(pe);
    Text const where = host.empty() ? Text() : Text(" (host ", host, ")");
    std::fprintf(stderr,
                 "symm: PE %d waits in collective call %s, but the process of "
                 "PE %d%s is gone; its last collective call was %s. Ending the "
                 "job.\n",
                 m_my_pe, last_call_of(m_my_pe).c_str(), pe, where.c_str(),
                 last_call_of(pe).c_str());
    end_job({pe, m_my_pe, "its process is gone"});
  }
}

/// Inlined into all callers, which are all in this file.
[[gnu::always_inline]] inline void Rendezvous::wait_for_all() {
  for (Pe pe = m_first_near; pe < m_end_near; ++pe) {
    if (!has_arrived(pe)) wait_for(pe);
  }
  if (m_across != nullptr) combine_nodes();
  m_n_met.store(m_sequence, std::memory_order_relaxed);
}

void Rendezvous::step(Call const& call) {
  publish(call);
  wait_for_all();
}

void Rendezvous::meet(Call const& call) {
  check::Meeting const meeting(check::key_of_all);
  publish(call);
  wait_for_all();
  if (m_across != nullptr) return check_meeting();
  auto const& my_call = record(m_my_pe, m_sequence).call;
  bool is_different   = false;
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    auto const& other = record(pe, m_sequence).call;
    is_different |= std::memcmp(&other, &my_call, sizeof my_call) != 0;
  }
  if (is_different || my_call.failure != ErrorKind::none) throw_mismatch();
}

std::optional<PeFailure> Rendezvous::agree(
    std::optional<Failure> const& my_failure) {
  // Notices that the latest meet() did not deliver are still pending.
  bool const has_more = record(m_my_pe, m_sequence).has_more_notices != 0;
  check::Meeting const meeting(check::key_of_all);
  publish({.operation        = RuntimeCall::agree,
           .failure          = my_failure,
           .has_more_notices = has_more});
  wait_for_all();
  if (m_across != nullptr) {
    auto const& all = result();
    if (all.summary.call.operation != RuntimeCall::agree ||
        all.summary.is(Summary::other_operation)) {
      throw_mismatch();
    }
    if (!all.summary.is(Summary::has_failed)) return std::nullopt;
    return PeFailure{all.lowest_pe, {all.lowest_failure, all.lowest_words}};
  }
  // Check all operations first: a PE that is in a different call takes no part
  // in this one.
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

std::uint32_t Rendezvous::last_told() const {
  return m_across == nullptr ? Combination::told_all
                             : m_across->result().last_told;
}

bool Rendezvous::has_more_notices() const {
  if (m_across != nullptr) return m_across->has_more_notices;
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    if (record(pe, m_sequence).has_more_notices != 0) return true;
  }
  return false;
}

std::uint64_t Rendezvous::bits_of_all() const {
  if (m_across != nullptr) return result().summary.bits;
  auto bits = record(m_my_pe, m_sequence).bits;
  // This PE's bits are usually 0, in which case no peer's record is read.
  for (Pe pe = 0; bits != 0 && pe < m_n_pes; ++pe) {
    bits &= record(pe, m_sequence).bits;
  }
  return bits;
}

}  // namespace symm::Impl
