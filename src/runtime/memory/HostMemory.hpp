// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HOST_MEMORY_HPP
#define SYMM_HOST_MEMORY_HPP

#include <cstddef>
#include <filesystem>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Memory that the system may move to its swap space, or may not.
enum class HostMemoryUse { pageable, pinned };

/// How many bytes processes of this node can still commit: the least of those
/// that the machine has (available memory and, for pageable use, free swap) and
/// those that each memory control group around this process has left. A
/// snapshot; the largest std::size_t if the system does not say.
std::size_t available_host_memory(HostMemoryUse use = HostMemoryUse::pageable);

inline std::size_t available_pageable_memory() {
  return available_host_memory();
}

/// The bytes left by the control groups alone, of version 1 or 2.
/// \param mount      the folder in which the system shows the groups.
/// \param membership the file that names the groups of the process.
std::size_t left_in_control_groups(
    std::filesystem::path const& mount      = "/sys/fs/cgroup",
    std::filesystem::path const& membership = "/proc/self/cgroup");

}  // namespace symm::Impl

#endif
