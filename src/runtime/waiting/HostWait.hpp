// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_WAITING_HOSTWAIT_HPP
#define SYMM_WAITING_HOSTWAIT_HPP

#include <chrono>
#include <string_view>

#include "../base/Observer.hpp"
#include "../base/Text.hpp"
#include "../pes/PeBackoff.hpp"
#include "../pes/ThreadProgress.hpp"

namespace symm::Impl {

/// How the host waits, for variables and for the PEs of a PE team:
///
///     HostWait wait(call);
///     while (!is_done()) {
///       if (!wait.pause()) continue;
///       auto const why = wait.reason_to_give_up();
///       if (is_done()) break;
///       if (wait.must_report(why)) wait.report(why, ...);
///     }
///
/// Meanwhile it does the ThreadProgress of its thread.
///
/// It takes no private memory before it is time for a report: a PE that has
/// none left goes on waiting, and does not leave a barrier alone. (A report
/// asks far PEs for their calls, one after the other up to the first that is
/// not in finalize(); one that it has not met before costs 2 KiB.)
class HostWait {
 public:
  /// \param call for messages, such as "symm::wait_until".
  explicit HostWait(char const* call);
  HostWait(HostWait const&)            = delete;
  HostWait& operator=(HostWait const&) = delete;
  ~HostWait() {
    if (m_watches) unwatch();
    if (m_is_observed) ObserverList::end(operation());
  }

  /// One pause. Returns whether it is time to look after the other PEs. (Far
  /// PEs that this one has met are watched: the job ends here if one is lost.)
  bool pause() {
    m_waited = m_backoff.pause(ThreadProgress::make());
    if (m_waited < m_next_look) return false;
    set_next_look();
    return true;
  }
  /// "the process of PE 2 is gone", or "". Its last stores are visible
  /// afterwards.
  [[nodiscard]] static Text who_is_gone();
  /// The same; or, if it is time for a report, that all other PEs are in
  /// finalize(). Their earlier stores are visible afterwards, too.
  [[nodiscard]] Text reason_to_give_up() const;

  /// How long a far PE may take to say whether it is in finalize().
  static constexpr std::chrono::milliseconds time_to_answer{50};
  /// Whether report() has something to say.
  [[nodiscard]] bool must_report(Text const& reason_to_give_up) const {
    return !reason_to_give_up.empty() || is_report_due();
  }
  /// Reports what this PE waits for. Ends the job, unless `reason_to_give_up`
  /// is "". \param where     text after the name of the call: "" or " of ...".
  /// \param waits_for lines for the message.
  void report(Text const& reason_to_give_up, std::string_view where,
              std::string_view waits_for);

 private:
  [[nodiscard]] Operation operation() const {
    return {OperationKind::waiting_for_pes, m_call};
  }
  [[nodiscard]] bool is_report_due() const;
  void set_next_look();
  void unwatch() const noexcept;

  char const* m_call;
  bool m_watches     = false;
  bool m_is_observed = is_observed();
  PeBackoff m_backoff;
  PeBackoff::Clock::duration m_waited{};
  PeBackoff::Clock::duration m_next_look;
  std::chrono::duration<double> m_next_report;
};

}  // namespace symm::Impl

#endif
