// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailboxBase.hpp"

#include <cstdio>
#include <exception>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "MailOfThread.hpp"

namespace symm::Impl {

void MailboxBase::join() {
  auto mail = MailOfThread::here();
  mail->add(*this);
  m_thread = std::move(mail);
}

void MailboxBase::open() { start = number_of_start("symm::Mailbox"); }

void MailboxBase::leave() noexcept {
  if (m_thread == nullptr) return;
  m_thread->remove(*this);
  auto const mail = std::exchange(m_thread, nullptr);
  if (mail->handling != this) return;
  std::fprintf(stderr,
               "symm: a symm::Mailbox must not be destroyed by its handler: "
               "messages of the same block remain to be handled\n");
  std::terminate();
}

bool MailboxBase::is_of_this_thread() const {
  return m_thread.get() == MailOfThread::find();
}

void MailboxBase::expect_own_thread(std::string const& name,
                                    char const* call) const {
  if (is_of_this_thread()) return;
  throw UsageError(Text(name, "::", call, ": PE ", my_pe(),
                        ": must be called by the thread that created the "
                        "mailbox; other threads send with sender()"));
}

bool MailboxBase::step() { return m_thread->step(); }

bool MailboxBase::must_rest() const { return m_thread->must_rest(*this); }

bool MailboxBase::is_handling() const { return m_thread->handling != nullptr; }

std::optional<Failure> MailboxBase::run_handler(
    std::function<void()> const& handler) {
  auto& handling = m_thread->handling;
  handling       = this;
  auto failure   = failure_of(handler);
  handling       = nullptr;
  return failure;
}

void MailboxBase::begin_waiting() {
  auto* const handling = m_thread->handling;
  if (handling != this) handling->makes_wait = true;
  ++n_waiting;
  ++m_thread->n_waiting;
}

void MailboxBase::end_waiting() {
  --n_waiting;
  --m_thread->n_waiting;
}

std::optional<Failure> MailboxBase::take_failure() {
  if (!m_thread->failure) return {};
  return std::exchange(m_thread->failure, std::nullopt);
}

void MailboxBase::wait(char const* call, FunctionRef<bool> is_done,
                       FunctionRef<bool> step, FunctionRef<Text> describe) {
  // (Without this object, the wait itself would also call step() for this
  // thread's mailboxes.)
  MailOfThread::Working const working(*m_thread);
  wait_and_serve(call, is_done, step, describe);
}

}  // namespace symm::Impl
