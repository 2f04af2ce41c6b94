// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_PROCESS_MEMORY_HPP
#define SYMM_ENGINES_PROCESS_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <optional>

#include "OneSided.hpp"

namespace symm::Impl {

/// One-sided operations between processes of one machine that the kernel
/// carries out (process_vm_writev, "CMA"). They are done when they return.
///
/// A process of this machine is known by its number, which another process gets
/// once that has ended. So each block is checked: the process must have the
/// PE's secret. (Between the check and a put are some hundred nanoseconds.)
///
/// A PE on another machine, in another namespace of process numbers, or one
/// that the system shields (ptrace_scope, seccomp) is not reached.
class ProcessMemory final : public OneSided {
 public:
  /// \throws SystemError if there are no random numbers.
  ProcessMemory();
  ProcessMemory(ProcessMemory const&)            = delete;
  ProcessMemory& operator=(ProcessMemory const&) = delete;

  [[nodiscard]] std::size_t least_bytes() const noexcept override;
  /// One key opens all of the process, for as long as it lives.
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

  // Other PEs read it: the process with this number is the PE that they mean.
  std::uint64_t m_secret;
};

}  // namespace symm::Impl

#endif
