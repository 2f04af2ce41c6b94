// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_WATCH_HPP
#define SYMM_JOB_WATCH_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "../base/Types.hpp"
#include "../base/UniqueFd.hpp"

namespace symm::Impl {

/// Ends the job if one of its processes ends early. Every PE watches PE 0, and
/// PE 0 watches all other PEs.
class JobWatch {
 public:
  /// After a PE notices that another PE's process has ended, it waits this long
  /// before it ends the job. So a library call that also notices the end can
  /// report it first.
  static constexpr auto time_to_report = std::chrono::milliseconds(500);

  /// \param lives TcpLinks::lives.
  /// \throws SystemError on this PE.
  JobWatch(std::vector<UniqueFd> lives, Pe my_pe);
  JobWatch(JobWatch const&)            = delete;
  JobWatch& operator=(JobWatch const&) = delete;
  ~JobWatch();

  /// After this call, it is not an error if another PE's process ends.
  void expect_ends() noexcept { m_is_over = true; }
  [[nodiscard]] bool expects_ends() const noexcept { return m_is_over; }

  /// Ends the job that this process's JobWatch watches and notifies the other
  /// PEs through PE 0. If there is no JobWatch, ends only this process.
  [[noreturn]] static void end_job_of_process(int status) noexcept;

 private:
  [[noreturn]] void end_job(int status) const noexcept;
  void watch() noexcept;
  void see_end(std::size_t which) const noexcept;

  std::vector<UniqueFd> m_lives;
  Pe m_my_pe;
  UniqueFd m_wake;
  std::atomic<bool> m_is_over = false;
  std::thread m_thread;
};

}  // namespace symm::Impl

#endif
