// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Queries other PEs' progress and ends the job if a PE is lost.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "Transport_Messages.hpp"

namespace symm::Impl {

namespace {

/// When a PE ends the job, it gives the other PEs this long to print the
/// reason.
constexpr auto time_of_farewell = std::chrono::milliseconds(500);

}  // namespace

// Progress of other PEs.

std::optional<PeProgress> Transport_Messages::progress_of(
    Pe pe, std::chrono::milliseconds most, char const* call) {
  // A PE that this PE has never contacted cannot have reported anything. If
  // `most` is 0, no query is sent.
  bool const is_met = m_peers[static_cast<std::size_t>(pe)].load() != nullptr;
  if (!is_met && most.count() == 0) return {};
  auto& peer     = peer_of(pe);
  auto const get = [&]() -> std::optional<PeProgress> {
    std::lock_guard const lock(m_notes_mutex);
    if (peer.n_progress_reports == 0) return {};
    return peer.progress;
  };
  if (auto const known = get(); known && known->is_in_finalize) return known;
  if (most.count() == 0) return {};
  auto const n_before  = peer.n_progress_reports.load();
  auto const last_time = std::chrono::steady_clock::now() + most;
  send_message(pe, {.kind = MessageKind::where});
  wait(call, "a progress query", pe, [&] {
    return peer.n_progress_reports != n_before ||
           std::chrono::steady_clock::now() >= last_time;
  });
  if (peer.n_progress_reports == n_before) return {};
  return get();
}

void Transport_Messages::answer_where(Peer& peer) {
  auto const my_progress = m_target.progress();
  WireProgress const head{my_progress.n_calls,
                          my_progress.is_in_finalize ? 1U : 0U,
                          my_progress.object_key};
  std::string_view const call = my_progress.call;
  std::vector<std::byte> message(sizeof head + call.size());
  std::memcpy(message.data(), &head, sizeof head);
  if (!call.empty()) {
    std::memcpy(message.data() + sizeof head, call.data(), call.size());
  }
  send_message(peer.pe, {.kind = MessageKind::progress}, message);
}

void Transport_Messages::take_progress(Peer& peer,
                                       std::span<std::byte const> payload) {
  WireProgress head;
  if (payload.size() < sizeof head) end_job_of_nonsense(peer.pe);
  std::memcpy(&head, payload.data(), sizeof head);
  auto const call = payload.subspan(sizeof head);
  std::lock_guard const lock(m_notes_mutex);
  peer.progress = {
      head.n_calls, head.is_in_finalize != 0, head.object_key,
      Text(std::string_view(reinterpret_cast<char const*>(call.data()),
                            call.size()))};
  peer.n_progress_reports.fetch_add(1, std::memory_order_release);
}

// Ending the job.

void Transport_Messages::lost(Pe pe, Text const& why) noexcept {
  note_lost({pe, m_my_pe, why});
}

void Transport_Messages::note_lost(LostPe const& lost) noexcept {
  if (m_is_closed) return;
  std::lock_guard const lock(m_lost_mutex);
  if (m_is_lost) return;
  m_lost    = lost;
  m_is_lost = true;
}

void Transport_Messages::take_farewell(Pe from, MessageHeader const& header,
                                       std::span<std::byte const> payload) {
  auto const n = m_peers.size();
  if (header.number >= n || header.offset >= n) end_job_of_nonsense(from);
  note_lost(
      {static_cast<Pe>(header.number), static_cast<Pe>(header.offset),
       Text(std::string_view(reinterpret_cast<char const*>(payload.data()),
                             payload.size()))});
}

bool Transport_Messages::has_lost() noexcept {
  if (m_is_lost) return true;
  auto const* const record = m_target.lost_pe();
  if (record == nullptr || !record->is_set()) return false;
  note_lost(record->get());
  return m_is_lost;
}

Text Transport_Messages::name_of(Pe pe) const noexcept {
  Text name("PE ", pe);
  auto const host = m_target.host_of(pe);
  if (!host.empty()) name.append(" (host ", host, ")");
  return name;
}

void Transport_Messages::end_job_of_lost(char const* call, char const* what,
                                         Pe pe) noexcept {
  LostPe lost;
  {
    std::lock_guard const lock(m_lost_mutex);
    lost = m_lost;
  }
  if (m_is_ending.load() != std::thread::id()) end_job(lost);
  if (call == nullptr) call = m_target.call();
  if (call == nullptr) call = what;
  Text text;
  if (lost.pe == lost.found_by) {
    text.append(name_of(lost.pe), " has ended the job: ", lost.why);
  } else if (lost.pe == m_my_pe) {
    text.append("the job goes on without this PE, which ",
                name_of(lost.found_by), " has given up: ", lost.why);
  } else if (lost.found_by == m_my_pe) {
    text.append(name_of(lost.pe), " is lost: ", lost.why);
  } else {
    text.append(name_of(lost.pe), " is lost, as ", name_of(lost.found_by),
                " reported: ", lost.why);
  }
  text.append(". This PE is in ", std::string_view(call));
  if (pe != m_my_pe) text.append(", which needs ", name_of(pe));
  std::fprintf(stderr, "symm: %s: %s. Ending the job.\n",
               name_of(m_my_pe).c_str(), text.c_str());
  end_job(lost);
}

void Transport_Messages::end_job_of_failure(Text const& why) noexcept {
  std::fprintf(stderr, "symm: %s: %s. Ending the job.\n",
               name_of(m_my_pe).c_str(), why.c_str());
  end_job({m_my_pe, m_my_pe, why});
}

void Transport_Messages::end_job_of_nonsense(Pe from) noexcept {
  end_job_of_failure(
      Text("PE ", from,
           " of another node has sent an invalid message; do all PEs run the "
           "same version of the program and of this library?"));
}

void Transport_Messages::end_job(LostPe const& lost) noexcept {
  auto const me  = std::this_thread::get_id();
  auto is_ending = std::thread::id();
  if (!m_is_ending.compare_exchange_strong(is_ending, me)) {
    // Another thread is ending the job, or this thread already is, and poll()
    // below has called end_job() again.
    while (is_ending != me) std::this_thread::sleep_for(time_of_farewell);
    m_end_job();
  }
  auto* const record = m_target.lost_pe();
  if (record != nullptr) record->set(lost);
  std::string_view const why = lost.why;
  m_engine->send_farewell(
      bytes_of({.kind   = MessageKind::farewell,
                .number = static_cast<std::uint64_t>(lost.pe),
                .offset = static_cast<std::uint64_t>(lost.found_by)}),
      std::as_bytes(std::span(why.data(), why.size())));
  // The launcher kills all PEs as soon as one exits. So give them time to print
  // the reason.
  auto const end = std::chrono::steady_clock::now() + time_of_farewell;
  while (record != nullptr && std::chrono::steady_clock::now() < end) {
    if (m_engine->poll()) continue;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  m_end_job();
  std::abort();
}

}  // namespace symm::Impl
