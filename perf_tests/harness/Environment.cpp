// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Environment.hpp"

#include <mpi.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <string_view>

#include "baselines/Nvshmem.hpp"
#include "harness/MpiCheck.hpp"

namespace perf {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    std::string_view const text = line;
    auto const colon            = text.find(": ");
    if (text.starts_with("model name") && colon != text.npos)
      return std::string(text.substr(colon + 2));
  }
  return "unknown";
}

std::string first_line(std::string const& file_name) {
  std::ifstream file(file_name);
  std::string line;
  std::getline(file, line);
  return line.empty() ? "unknown" : line;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length),
            "MPI_Get_library_version");
  std::string const all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." +
         std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100) + ", default execution space " +
         Kokkos::DefaultExecutionSpace::name();
}

std::string utc_now() {
  std::time_t const now =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  if (gmtime_r(&now, &parts) == nullptr) return "unknown";
  std::array<char, 32> text{};
  std::size_t const length =
      std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

/// Over 1, 5 and 15 minutes; what follows in the file changes all the time.
std::string load_average() {
  auto const line = first_line("/proc/loadavg");
  std::size_t end = 0;
  for (int i = 0; i < 3 && end != std::string::npos; ++i)
    end = line.find(' ', end + 1);
  return line.substr(0, end);
}

}  // namespace

Environment describe_environment(Gpus const& gpus, std::string const& command) {
#if defined(__clang__)
  std::string const compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  std::string const compiler = "GCC " __VERSION__;
#else
  std::string const compiler = "unknown";
#endif
  Environment all{
      {"cpu", cpu_model()},
      {"cores online", std::to_string(sysconf(_SC_NPROCESSORS_ONLN))},
      {"page bytes", std::to_string(sysconf(_SC_PAGESIZE))},
      {"huge pages", first_line("/sys/kernel/mm/transparent_hugepage/"
                                "enabled")},
      {"load average", load_average()},
      {"compiler", compiler + ", " + PERF_BUILD_TYPE},
      {"Kokkos", kokkos_version()},
      {"MPI", mpi_version()},
      {"project", PERF_PROJECT_VERSION},
      {"time", utc_now()},
      {"command", command}};
  if (gpus.count > 0) {
    all.insert(all.begin(), {{"gpu", gpus.name},
                             {"gpus", std::to_string(gpus.count)},
                             {"PEs per GPU", std::to_string(gpus.max_pes)},
                             {"MPS", gpus.has_mps ? "yes" : "no"},
                             {"CUDA", gpus.versions}});
  }
  if (nvshmem::available())
    all.emplace_back("NVSHMEM", nvshmem::version() + ", NVLS off");
  return all;
}

}  // namespace perf
