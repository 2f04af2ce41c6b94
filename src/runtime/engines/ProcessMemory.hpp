// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_PROCESS_MEMORY_HPP
#define SYMM_ENGINES_PROCESS_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

#include "../base/UniqueFd.hpp"
#include "OneSided.hpp"

namespace symm::Impl {

/// One-sided operations between processes on one machine, performed by the
/// operating system kernel (process_vm_writev, "CMA"). They are complete when
/// the call returns.
///
/// A process is identified by its PID, which the system may reuse after the
/// process has ended. So before each copy, this PE checks that the other PE's
/// process is still alive. (A few hundred nanoseconds pass between the check
/// and the copy.)
///
/// A PE cannot be reached if it is on another machine, in another PID
/// namespace, or protected by the system (ptrace_scope, seccomp).
class ProcessMemory final : public OneSided {
 public:
  /// \throws SystemError if no random numbers are available.
  ProcessMemory();
  ProcessMemory(ProcessMemory const&)            = delete;
  ProcessMemory& operator=(ProcessMemory const&) = delete;

  [[nodiscard]] std::size_t least_bytes() const noexcept override;
  /// Returns the same key for all chunks. The key gives access to the whole
  /// process for as long as the process lives.
  [[nodiscard]] std::optional<Key> open_chunk(
      void* /*start*/, std::size_t /*bytes*/) noexcept override {
    return my_key();
  }
  void close_chunk(void* /*start*/) noexcept override {}
  [[nodiscard]] bool reaches(Pe pe, Key const& key) noexcept override;
  [[nodiscard]] bool is_immediate() const noexcept override { return true; }
  void put(Place const& to, void const* from, std::size_t bytes,
           std::size_t token) override;
  void get(void* to, Place const& from, std::size_t bytes,
           std::size_t token) override;

 private:
  [[nodiscard]] Key my_key() const noexcept;
  [[nodiscard]] bool is_alive(Key const& key) const noexcept;
  template <class Copy>
  void copy_all(Copy copy, char const* name, Place const& there, void* here,
                std::size_t bytes) const;

  // Other PEs read this number to verify that they have reached the right
  // process.
  std::uint64_t m_secret;
  mutable std::shared_mutex m_mutex;
  // The pidfd of each process reached so far, keyed by the process's secret.
  // Stays empty if the system has no pidfd_open().
  std::map<std::uint64_t, UniqueFd> m_processes;
};

}  // namespace symm::Impl

#endif
