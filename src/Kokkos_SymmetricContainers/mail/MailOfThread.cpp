// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailOfThread.hpp"

#include <algorithm>
#include <cstddef>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"

namespace symm::Impl {

/// A thread-local object that ends the thread's ThreadProgress when the thread
/// ends.
struct MailOfThread::Here {
  std::shared_ptr<MailOfThread> mail;

  Here()                       = default;
  Here(Here const&)            = delete;
  Here& operator=(Here const&) = delete;
  ~Here() {
    if (mail != nullptr) mail->end();
  }
  static Here& get() {
    static thread_local Here here;
    return here;
  }
};

std::shared_ptr<MailOfThread> const& MailOfThread::here() {
  auto& mail = Here::get().mail;
  if (mail == nullptr) {
    mail = std::make_shared<MailOfThread>();
    mail->begin();
  }
  return mail;
}

MailOfThread const* MailOfThread::find() noexcept {
  return Here::get().mail.get();
}

void MailOfThread::add(HandledMail& mailbox) {
  std::lock_guard const lock(m_mutex);
  m_mailboxes.push_back(&mailbox);
}

void MailOfThread::remove(HandledMail& mailbox) noexcept {
  std::lock_guard const lock(m_mutex);
  std::replace(m_mailboxes.begin(), m_mailboxes.end(), &mailbox,
               static_cast<HandledMail*>(nullptr));
  if (m_n_steps == 0) std::erase(m_mailboxes, nullptr);
  n_waiting -= mailbox.n_waiting;
}

/// Calls body(mailbox, has_moved) for all mailboxes opened since the library
/// was last initialized, including mailboxes that body() adds.
template <class Body>
bool MailOfThread::for_each(Body const& body) {
  auto const start = number_of_start("symm::Mailbox");
  bool has_moved   = false;
  for (std::size_t k = 0; k < m_mailboxes.size(); ++k) {
    auto* const mailbox = m_mailboxes[k];
    if (mailbox == nullptr || mailbox->start != start) continue;
    has_moved = body(*mailbox, has_moved) || has_moved;
  }
  return has_moved;
}

bool MailOfThread::step() {
  if (handling != nullptr) return false;
  std::lock_guard const lock(m_mutex);
  Working const working(*this);
  struct Step {
    explicit Step(MailOfThread& owner) : mail(owner) { ++mail.m_n_steps; }
    Step(Step const&)            = delete;
    Step& operator=(Step const&) = delete;
    ~Step() {
      if (--mail.m_n_steps == 0) std::erase(mail.m_mailboxes, nullptr);
    }
    MailOfThread& mail;
  } const this_step(*this);

  poll_far();
  bool has_moved = for_each(
      [](HandledMail& mailbox, bool) { return mailbox.put_waiting(); });
  has_moved = for_each([this](HandledMail& mailbox, bool) {
                return !must_rest(mailbox) && mailbox.receive(false);
              }) ||
              has_moved;
  if (!must_go_on(has_moved)) return has_moved;
  return for_each([](HandledMail& mailbox, bool has_received) {
    return !has_received && mailbox.receive(true);
  });
}

bool MailOfThread::work() noexcept {
  bool has_moved = false;
  auto const why = failure_of([&] {
    if (is_initialized()) has_moved = step();
  });
  if (why && !failure) failure = why;
  return has_moved;
}

// If the mailboxes on all PEs kept resting, they would wait for each other
// forever. If little room remains for waiting messages, mailboxes rest longer
// each time because other PEs are most likely just slow.
bool MailOfThread::must_go_on(bool has_moved) {
  constexpr Clock::duration shortest = std::chrono::microseconds(50);
  constexpr Clock::duration longest  = std::chrono::microseconds(100'000);
  if (has_moved || n_waiting == 0) {
    m_idle_since = {};
    return false;
  }
  auto const now = Clock::now();
  if (m_idle_since == Clock::time_point{}) m_idle_since = now;
  if (now - m_idle_since < m_rest) return false;
  bool has_room = true;
  for_each([&](HandledMail const& mailbox, bool) {
    has_room = has_room && mailbox.has_room_to_wait();
    return false;
  });
  m_idle_since = now;
  m_rest = has_room ? shortest : std::clamp(2 * m_rest, shortest, longest);
  return true;
}

}  // namespace symm::Impl
