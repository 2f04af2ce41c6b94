// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "../../runtime/base/EnvironmentTable.hpp"
#include "../../runtime/base/UniqueFd.hpp"
#include "../../runtime/memory/HostMemory.hpp"
#include "../../runtime/memory/ReservedPages.hpp"
#include "../../runtime/memory/Vmm_HostMemfd.hpp"
#include "../../runtime/symm_errors.hpp"
#include "Sections.hpp"

namespace symm_info {

namespace {

using symm::Impl::HugePages;
using symm::Impl::Vmm;

/// A resource limit (setrlimit(), ulimit): the soft limit, with the hard limit
/// as a remark.
Value limit_of(decltype(RLIMIT_NOFILE) resource,
               Value (*format)(std::uint64_t)) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return nothing("unknown");
  auto const value_of = [&](rlim_t value) {
    return value == RLIM_INFINITY ? nothing("unlimited") : format(value);
  };
  auto const soft = value_of(limit.rlim_cur);
  auto const hard = value_of(limit.rlim_max);
  if (soft.text == hard.text) return soft;
  return with_remark(soft, "can be raised to " + hard.text);
}

std::optional<std::uint64_t> number_in(char const* file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// The transparent-huge-page setting for shared memory: the bracketed word in
/// the file.
std::string transparent_huge_pages() {
  std::ifstream in("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  for (std::string word; in >> word;) {
    if (word.front() == '[') return word.substr(1, word.size() - 2);
  }
  return "unknown";
}

Value mappings() {
  auto const limit = number_in("/proc/sys/vm/max_map_count");
  return limit ? number(*limit) : nothing("unknown");
}

/// Free space in /dev/shm. MPI may use /dev/shm; the heap does not.
Value shared_memory() {
  struct statvfs file_system {};
  if (::statvfs("/dev/shm", &file_system) != 0) return nothing("no /dev/shm");
  auto const size = [&](fsblkcnt_t blocks) {
    return bytes(static_cast<std::uint64_t>(blocks) * file_system.f_frsize);
  };
  return with_remark(size(file_system.f_bavail),
                     "of " + size(file_system.f_blocks).text);
}

Value memory_left() {
  auto const left = symm::Impl::available_host_memory();
  return left == std::numeric_limits<std::size_t>::max() ? nothing("unknown")
                                                         : bytes(left);
}

/// Tries to allocate shareable memory of the kind that the heap uses.
Value shareable_memory(HugePages pages = HugePages::never) {
  try {
    symm::Impl::Vmm_HostMemfd vmm(1, symm::Impl::available_pageable_memory,
                                  pages);
    auto const handle =
        vmm.create(vmm.granularity(Vmm::Granularity::recommended),
                   Vmm::Sharing::by_descriptor);
    vmm.release(handle);
    return flag(true);
  } catch (symm::Error const& error) {
    return with_remark(flag(false), error.what());
  }
}

/// The huge pages that a heap would use on this machine with the current value
/// of SYMM_HUGE_PAGES.
Value huge_pages() {
  auto pages = HugePages::never;
  try {
    pages = env_pages(symm::Impl::environment::huge_pages).value();
  } catch (symm::UsageError const&) {  // reported by variables()
    return nothing("unknown");
  }
  if (pages == HugePages::never) return text("never");
  if (pages != HugePages::advise) return shareable_memory(pages);
  auto const use = transparent_huge_pages();
  return use == "advise" || use == "always" || use == "within_size" ||
                 use == "force"
             ? text("advise")
             : with_remark(text("never"),
                           "the system provides none: shmem_enabled is " + use);
}

/// Whether pidfd_open() works. The library uses pidfd_open() to detect that a
/// PE's process has exited.
Value pidfd() {
#ifdef SYS_pidfd_open
  symm::Impl::UniqueFd const self(
      static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  if (self) return flag(true);
  return with_remark(flag(false), std::generic_category().message(errno));
#else
  return with_remark(flag(false),
                     "pidfd_open() was not available at build time");
#endif
}

/// Whether PEs may read and write each other's private memory.
Value ptrace_scope() {
  auto const scope = number_in("/proc/sys/kernel/yama/ptrace_scope");
  if (!scope) return nothing("no such limit");
  return *scope == 0
             ? number(0)
             : with_remark(
                   number(*scope),
                   "SharedHostBuffer requires 0 or permission to ptrace");
}

}  // namespace

Section limits() {
  Facts facts;
  facts.emplace_back("open_files", limit_of(RLIMIT_NOFILE, number));
  facts.emplace_back("address_space", limit_of(RLIMIT_AS, bytes));
  facts.emplace_back("file_size", limit_of(RLIMIT_FSIZE, bytes));
  facts.emplace_back("locked_memory", limit_of(RLIMIT_MEMLOCK, bytes));
  facts.emplace_back("mappings", mappings());
  facts.emplace_back("memory_left", memory_left());
  facts.emplace_back("memfd", shareable_memory());
  facts.emplace_back("shmem_enabled", text(transparent_huge_pages()));
  for (auto const& pages : symm::Impl::ReservedPages::all()) {
    facts.emplace_back(
        "pages_of_" + symm::Impl::page_size_text(pages.bytes),
        with_remark(number(pages.n_left), "of " + std::to_string(pages.n)));
  }
  facts.emplace_back("huge_pages", huge_pages());
  facts.emplace_back("dev_shm_left", shared_memory());
  facts.emplace_back("pidfd", pidfd());
  facts.emplace_back("ptrace_scope", ptrace_scope());
  return {"limits", false, {facts}};
}

}  // namespace symm_info
