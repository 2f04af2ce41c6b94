// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailboxBase.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "../../runtime/access/PeOperations.hpp"
#include "../../runtime/waiting/HostWait.hpp"

namespace symm::Impl {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

struct OfThread {
  std::vector<MailboxBase*> mailboxes;
  MailboxBase* handling = nullptr;  // its handler runs
  std::size_t n_waiting = 0;        // messages of handlers
  // Since when nothing has moved, and how long mailboxes rest then.
  Clock::time_point idle_since{};
  Clock::duration rest{};
};
thread_local OfThread t_mail;

}  // namespace

void MailboxBase::join() { t_mail.mailboxes.push_back(this); }

MailboxBase::~MailboxBase() {
  std::erase(t_mail.mailboxes, this);
  t_mail.n_waiting -= m_n_waiting;
}

bool MailboxBase::step() {
  if (is_handling()) return false;
  poll_far();
  bool has_moved = false;
  for (auto* const mailbox : t_mail.mailboxes)
    has_moved = mailbox->put_waiting() || has_moved;
  for (auto* const mailbox : t_mail.mailboxes)
    if (!mailbox->must_rest()) has_moved = mailbox->receive(false) || has_moved;
  if (!must_go_on(has_moved)) return has_moved;
  for (auto* const mailbox : t_mail.mailboxes)
    has_moved = has_moved || mailbox->receive(true);
  return has_moved;
}

// PEs whose mailboxes all rest would wait for each other for ever. If there is
// little room left, most probably others are only slow.
bool MailboxBase::must_go_on(bool has_moved) {
  constexpr Clock::duration shortest = microseconds(50);
  constexpr Clock::duration longest  = microseconds(100'000);
  if (has_moved || t_mail.n_waiting == 0) {
    t_mail.idle_since = {};
    return false;
  }
  auto const now = Clock::now();
  if (t_mail.idle_since == Clock::time_point{}) t_mail.idle_since = now;
  if (now - t_mail.idle_since < t_mail.rest) return false;
  bool has_room = true;
  for (auto const* const mailbox : t_mail.mailboxes)
    has_room = has_room && mailbox->has_room_to_wait();
  t_mail.idle_since = now;
  t_mail.rest =
      has_room ? shortest : std::clamp(2 * t_mail.rest, shortest, longest);
  return true;
}

bool MailboxBase::must_rest() const {
  return m_makes_wait && t_mail.n_waiting > m_n_waiting;
}

bool MailboxBase::is_handling() { return t_mail.handling != nullptr; }

std::optional<Failure> MailboxBase::run_handler(
    std::function<void()> const& handler) {
  t_mail.handling = this;
  auto failure    = failure_of(handler);
  t_mail.handling = nullptr;
  return failure;
}

void MailboxBase::begin_waiting() {
  if (t_mail.handling != this) t_mail.handling->m_makes_wait = true;
  ++m_n_waiting;
  ++t_mail.n_waiting;
}

void MailboxBase::end_waiting() {
  --m_n_waiting;
  --t_mail.n_waiting;
}

void MailboxBase::wait(char const* call, std::function<bool()> const& is_done,
                       std::function<bool()> const& step,
                       std::function<Text()> const& whereabouts) {
  while (!is_done()) {
    if (step()) continue;
    HostWait wait(call);
    while (true) {
      if (is_done()) return;
      if (step()) break;
      if (!wait.pause()) continue;
      auto const why = wait.reason_to_give_up();
      if (is_done()) return;  // the last messages of lost PEs count
      if (step()) break;
      if (wait.must_report(why)) wait.report(why, "", whereabouts());
    }
  }
}

}  // namespace symm::Impl
