// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The inter-node part of a step, which the nodes' leaders execute.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "../base/Check.hpp"
#include "../base/Failure.hpp"
#include "OtherNodes.hpp"
#include "PeBackoff.hpp"
#include "Rendezvous.hpp"
#include "ThreadProgress.hpp"

namespace symm::Impl {

std::size_t Rendezvous::bytes_of_part(bool has_other_nodes) {
  return sizeof(Records) + (has_other_nodes ? sizeof(OtherNodes::Result) : 0);
}

bool Rendezvous::has_result() const {
  return m_across->result().sequence.load(std::memory_order_acquire) ==
         m_sequence;
}

Outcome const& Rendezvous::result() const { return m_across->result().outcome; }

std::span<NoticeCount const> Rendezvous::notices_of_all() const {
  auto const& result = m_across->result();
  return std::span(result.notices).first(result.n_notices);
}

BasicText<255> Rendezvous::missing_nodes() const { return m_across->missing(); }

void Rendezvous::quiet() const {
  if (m_transport != nullptr) m_transport->quiet();
}

// The calls that PEs are in.

char const* Rendezvous::call() const {
  auto const call = m_in_call.load(std::memory_order_relaxed);
  return call == RuntimeCall::none ? nullptr : Impl::name_of(call);
}

Operation Rendezvous::waiting() const {
  char const* const my_call = call();
  return {OperationKind::waiting_for_pes,
          my_call != nullptr ? my_call : "symm"};
}

PeProgress Rendezvous::progress() const {
  auto const sequence = latest(m_my_pe);
  bool const is_finalize =
      record(m_my_pe, sequence).call.operation == RuntimeCall::finalize;
  auto const key  = key_of_object(record(m_my_pe, sequence));
  auto const text = last_call_of(m_my_pe);
  // A later call may have overwritten the record in the meantime. In that case,
  // report neither finalize() nor a key.
  bool const is_same = latest(m_my_pe) == sequence;
  return {sequence, is_finalize && is_same, is_same ? key : 0, text};
}

bool Rendezvous::is_far_in_finalize(Pe pe, std::chrono::milliseconds most,
                                    char const* call) const {
  if (m_transport == nullptr) return false;
  auto const said = m_transport->progress_of(pe, most, call);
  return said && said->is_in_finalize && said->n_calls > latest(m_my_pe);
}

bool Rendezvous::is_far_in_object_call(Pe pe, std::uint64_t key,
                                       std::chrono::milliseconds most,
                                       char const* call) const {
  if (m_transport == nullptr) return false;
  auto const said = m_transport->progress_of(pe, most, call);
  return said && said->object_key == key && said->n_calls > latest(m_my_pe);
}

Text Rendezvous::describe_far(Pe pe, char const* call) const {
  auto text = m_across->name_of(pe);
  if (m_transport == nullptr) return text;
  auto const said = m_transport->progress_of(pe, health_interval, call);
  if (!said) return text;
  bool const is_waiting = said->n_calls > latest(m_my_pe);
  text.append(is_waiting ? ", which waits in collective call "
                         : ", whose last collective call was ",
              said->call);
  return text;
}

LostPeRecord* Rendezvous::lost_pe() const {
  return m_across == nullptr ? nullptr : &m_across->result().lost_pe;
}

void Rendezvous::end_job(LostPe const& lost) const {
  check::job_ends();
  if (m_transport != nullptr) m_transport->end_job(lost);
  m_bootstrap.abort();
  std::abort();  // not reached; for the compiler
}

void Rendezvous::check_meeting() {
  auto const& all            = result().summary;
  m_across->has_more_notices = all.is(Summary::has_more_notices);
  if (all.is(Summary::is_wrong)) throw_mismatch();
}

/// Waits up to `health_interval` for the message. Meanwhile, performs the work
/// of this thread's ThreadProgress.
std::optional<std::vector<std::byte>> Rendezvous::receive_for_a_while(
    Pe from, std::uint64_t number) {
  auto& messages = m_across->messages();
  if (!ThreadProgress::exists())
    return messages.receive_within(from, number, health_interval);
  using std::chrono::milliseconds;
  PeBackoff backoff(m_spins, m_transport);
  while (true) {
    auto message = messages.receive_within(from, number, milliseconds(0));
    if (message) return message;
    if (backoff.pause(ThreadProgress::make()) >= health_interval) return {};
  }
}

/// Called by this node's leader once all PEs on the node have arrived.
void Rendezvous::lead() {
  Observed const observed([this] { return waiting(); });
  auto& across       = *m_across;
  auto& to_publish   = across.result();
  auto& combination  = across.combination;
  auto const receive = [&](ExchangeStep const& step, Pe from,
                           std::uint64_t number) {
    auto next_report = m_timeout;
    std::chrono::duration<double> waited{};
    std::optional<Watch> watch;
    while (true) {
      if (auto message = receive_for_a_while(from, number)) {
        to_publish.end_missing.store(0, std::memory_order_relaxed);
        return *std::move(message);
      }
      if (!watch) watch.emplace(across.messages(), from);
      to_publish.first_missing.store(step.first, std::memory_order_relaxed);
      to_publish.end_missing.store(step.end, std::memory_order_relaxed);
      waited += health_interval;
      if (m_timeout.count() == 0 || waited < next_report) continue;
      next_report = waited + m_timeout;
      report_missing(waited.count());
    }
  };
  // Each step uses at most two exchanges.
  auto const number = StepMessages::first_of_rendezvous +
                      m_sequence * (2 * max_exchange_phases);
  try {
    combination.clear();
    for (Pe pe = m_first_near; pe < m_end_near; ++pe) {
      auto const& said = record(pe, m_sequence);
      combination.add(
          Summary::of(pe, said.call, said.bits, said.has_more_notices != 0),
          notices(pe));
    }
    across.exchange(combination, number, receive);
    auto const& all = combination.summary();
    if (question_of(all) == Question::none) {
      to_publish.outcome.summary = all;
    } else {
      auto groups = answers(all, across.host());
      across.exchange(groups, number + max_exchange_phases, receive);
      conclude(to_publish.outcome, all, groups, m_label);
    }
  } catch (...) {
    // The other PEs are waiting for this PE, so end the job.
    end_job_alone(m_bootstrap,
                  name_of(record(m_my_pe, m_sequence).call.operation));
  }
  auto const all_notices = combination.notices();
  std::copy(all_notices.begin(), all_notices.end(), to_publish.notices.begin());
  to_publish.n_notices = static_cast<std::uint32_t>(all_notices.size());
  to_publish.last_told = combination.last_told();
  to_publish.sequence.store(m_sequence, std::memory_order_release);
}

}  // namespace symm::Impl
