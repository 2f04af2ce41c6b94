// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailWaves.hpp"

#include <bit>
#include <string>

#include "../../runtime/base/Text.hpp"
#include "../../runtime/job/Runtime.hpp"
#include "../../runtime/pes/Rendezvous.hpp"
#include "../../runtime/pes/RuntimeCall.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"

namespace symm::Impl {

MailWaves::MailWaves(char const* call)
    : m_words(std::string(call) + ", waves"), m_me(my_pe()), m_n_pes(n_pes()) {}

// The parent of a PE has its number without the lowest bit.
template <class F>
void MailWaves::for_children(F const& f) const {
  auto const me    = static_cast<unsigned>(m_me);
  auto const n     = static_cast<unsigned>(m_n_pes);
  auto const n_low = m_me == 0 ? 31U : unsigned(std::countr_zero(me));
  for (std::size_t bit = 0; bit < n_low; ++bit) {
    auto const child = me | 1U << bit;
    if (child < n) f(bit, static_cast<Pe>(child));
  }
}

bool MailWaves::advance(MailCounts const& mine) {
  auto& words = m_words();
  if (m_has_added) {
    if (poll(&words.has_result) < m_wave) return false;
    tell(words.result);
    return true;
  }
  bool have_all = true;
  auto sum      = mine;
  for_children([&](std::size_t bit, Pe) {
    if (poll(&words.have_counts[bit]) < m_wave) {
      have_all = false;
      return;
    }
    auto const& its = words.counts[bit];
    sum.n_sent += its.n_sent;
    sum.n_received += its.n_received;
    sum.n_failures += its.n_failures;
  });
  if (!have_all) return false;
  if (m_me == 0) {
    bool const is_end = sum.n_sent == m_received;
    m_received        = sum.n_received;
    tell({is_end ? 1U : 0U, sum.n_failures});
    return true;
  }
  auto const bit = static_cast<unsigned>(std::countr_zero(unsigned(m_me)));
  put_signal(&words.counts[bit], &sum, 1, &words.have_counts[bit], m_wave,
             SignalOp::set, m_me & (m_me - 1));
  m_has_added = true;
  return true;
}

void MailWaves::tell(Result const& result) {
  auto& words = m_words();
  m_result    = result;
  for_children([&](std::size_t, Pe child) {
    put_signal(&words.result, &m_result, 1, &words.has_result, m_wave,
               SignalOp::set, child);
  });
  m_is_end    = m_result.is_end != 0;
  m_has_added = false;
  ++m_wave;
}

bool MailWaves::take_end() {
  bool const is_end = m_is_end;
  m_is_end          = false;
  return is_end;
}

void throw_failure_of_handler(char const* call,
                              std::optional<Failure> const& mine) {
  auto& rendezvous = Runtime::instance(call).rendezvous();
  std::optional<PeFailure> failed;
  rendezvous.run(RuntimeCall::agree, [&] { failed = rendezvous.agree(mine); });
  auto const& its = failed.value();
  throw_failure({its.failure.kind, Text(call, ": a handler failed on PE ",
                                        its.pe, ": ", its.failure.message)});
}

}  // namespace symm::Impl
