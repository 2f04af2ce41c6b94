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

/// Implements a wait on the host for a variable or for a PE team's members:
///
///     HostWait wait(call);
///     while (!is_done()) {
///       if (!wait.pause()) continue;
///       auto const why = wait.reason_to_give_up();
///       if (is_done()) break;
///       if (wait.must_report(why)) wait.report(why, ...);
///     }
///
/// Each pause() calls ThreadProgress::make() on the waiting thread.
///
/// A HostWait allocates no private memory until a report is due. Therefore, a
/// PE that has run out of memory keeps waiting and does not drop out of a
/// barrier. (When a report is due, this PE asks far PEs for their latest calls,
/// one by one, until it finds a far PE that is not in finalize(). The first
/// message to a far PE allocates 2 KiB.)
class HostWait {
 public:
  /// \param call name for error messages, such as "symm::wait_until".
  explicit HostWait(char const* call);
  HostWait(HostWait const&)            = delete;
  HostWait& operator=(HostWait const&) = delete;
  ~HostWait() {
    if (m_watches) unwatch();
    if (m_is_observed) ObserverList::end(operation());
  }

  /// Pauses once. Returns whether it is time to check on the other PEs. (After
  /// the first check, heartbeats monitor the far PEs that this PE has
  /// contacted. If one of those PEs is lost, this call ends the job.)
  bool pause() {
    m_waited = m_backoff.pause(ThreadProgress::make());
    if (m_waited < m_next_look) return false;
    set_next_look();
    return true;
  }
  /// If any PE's process has ended, returns a text such as "the process of PE 2
  /// is gone"; otherwise, returns "". On return, that process's last stores are
  /// visible.
  [[nodiscard]] static Text who_is_gone();
  /// Returns the text of who_is_gone(). If that text is "" but a report is due
  /// and all other PEs are in finalize(), returns a text that says so. (Does
  /// not check for finalize() in jobs with more than 1000 far PEs.) On return,
  /// those PEs' earlier stores are visible.
  [[nodiscard]] Text reason_to_give_up() const;

  /// The maximum time that this PE waits for a far PE to answer whether it is
  /// in finalize().
  static constexpr std::chrono::milliseconds time_to_answer{50};
  [[nodiscard]] bool must_report(Text const& reason_to_give_up) const {
    return !reason_to_give_up.empty() || is_report_due();
  }
  /// Prints a message that names what this PE is waiting for. Ends the job
  /// unless `reason_to_give_up` is "".
  /// \param where text to insert after the call's name: "" or " of ...".
  /// \param waits_for lines of the message that describe what this PE is
  /// waiting for.
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
