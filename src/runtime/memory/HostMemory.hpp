// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HOST_MEMORY_HPP
#define SYMM_HOST_MEMORY_HPP

#include <cstddef>
#include <filesystem>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Whether the operating system may move the memory to swap space.
enum class HostMemoryUse { pageable, pinned };

/// The number of bytes that processes on this node can still commit. This is
/// the minimum of the bytes left on the machine (available memory and, for
/// pageable use, free swap) and the bytes left in each enclosing memory control
/// group. The result is a snapshot; it is SIZE_MAX if the system does not
/// provide these numbers.
std::size_t available_host_memory(HostMemoryUse use = HostMemoryUse::pageable);

inline std::size_t available_pageable_memory() {
  return available_host_memory();
}

/// The number of bytes left in this process's memory control groups (version 1
/// or 2). SIZE_MAX if they set no limit.
/// \param mount      where the control groups are mounted.
/// \param membership the file that lists the process's control groups.
std::size_t left_in_control_groups(
    std::filesystem::path const& mount      = "/sys/fs/cgroup",
    std::filesystem::path const& membership = "/proc/self/cgroup");

}  // namespace symm::Impl

#endif
