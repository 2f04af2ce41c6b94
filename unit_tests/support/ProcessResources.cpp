// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ProcessResources.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>
#include <vector>

#include <runtime/symm_errors.hpp>

namespace symm_test {

namespace {

struct MappingLine {
  std::uint64_t begin = 0;
  std::uint64_t end   = 0;
  std::string line;
};

std::vector<MappingLine> mappings() {
  std::vector<MappingLine> result;
  std::ifstream in("/proc/self/maps");
  MappingLine mapping;
  while (std::getline(in, mapping.line)) {
    char dash = 0;
    std::istringstream fields(mapping.line);
    fields >> std::hex >> mapping.begin >> dash >> mapping.end;
    result.push_back(mapping);
  }
  return result;
}

/// How /proc shows a file of memfd_create().
std::string link_of(std::string const& name) {
  return "/memfd:" + name + " (deleted)";
}

bool works_in_a_copy(std::function<void()> const& access) {
  pid_t const pid = ::fork();
  if (pid < 0) throw symm::SystemError("works_in_a_copy", "fork", errno);
  if (pid == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // sanitizers handle it
    std::signal(SIGBUS, SIG_DFL);
    access();
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) {
    throw symm::SystemError("works_in_a_copy", "waitpid", errno);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::size_t n_open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] auto const& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count - 1;  // the directory itself
}

void limit_descriptors(std::size_t more) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw symm::SystemError("limit_descriptors", "getrlimit", errno);
  limit.rlim_cur = n_open_descriptors() + more;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw symm::SystemError("limit_descriptors", "setrlimit", errno);
}

std::size_t n_mappings_in(void const* address, std::size_t bytes) {
  auto const begin  = reinterpret_cast<std::uint64_t>(address);
  std::size_t count = 0;
  for (auto const& mapping : mappings()) {
    if (mapping.begin < begin + bytes && begin < mapping.end) ++count;
  }
  return count;
}

std::size_t n_memfd_mappings(std::string const& name) {
  std::size_t count = 0;
  for (auto const& mapping : mappings()) {
    if (mapping.line.find(link_of(name)) != std::string::npos) ++count;
  }
  return count;
}

std::size_t n_memfd_descriptors(std::string const& name) {
  std::size_t count = 0;
  for (auto const& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code is_gone;  // the descriptor of the iterator itself
    if (std::filesystem::read_symlink(entry, is_gone) == link_of(name)) ++count;
  }
  return count;
}

std::size_t private_resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t size     = 0;
  std::size_t resident = 0;
  std::size_t shared   = 0;
  in >> size >> resident >> shared;
  return (resident - shared) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

bool can_read(char const* address) {
  return works_in_a_copy(
      [&] { static_cast<void>(*static_cast<char const volatile*>(address)); });
}

bool can_write(char* address) {
  return works_in_a_copy([&] {
    auto* const target = static_cast<char volatile*>(address);
    char const value   = *target;
    *target            = value;
  });
}

}  // namespace symm_test
