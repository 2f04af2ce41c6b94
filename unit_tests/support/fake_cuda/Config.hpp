// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_CONFIG_HPP
#define SYMM_TEST_FAKE_CUDA_CONFIG_HPP

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fake_cuda {

/// The largest distance between rows in a copy (2 GiB on real GPUs).
inline constexpr int max_pitch = 1 << 20;

enum class Fabric { absent, denied, granted, import_denied };

struct Device {
  std::size_t memory_bytes = 0;
  bool has_vmm             = true;
  bool has_descriptors     = true;
  bool has_host_numa       = true;
  int n_multiprocessors    = 132;
};

/// The machine and what this process sees of it, as described by the
/// environment when cuInit() is called:
///
/// FAKE_CUDA_DEVICES         number of GPUs (1)
/// FAKE_CUDA_MEMORY          MiB of each, separated by commas; the last one
///                           holds for the rest (16384)
/// FAKE_CUDA_NAME            their name ("Fake H200")
/// FAKE_CUDA_NO_VMM          GPUs without virtual memory management, "0,2"
/// FAKE_CUDA_NO_DESCRIPTORS  GPUs whose memory has no descriptors
/// FAKE_CUDA_NO_HOST_NUMA    GPUs that cannot share host memory
/// FAKE_CUDA_SMALL           GPUs with 56 multiprocessors; others have 132
/// FAKE_CUDA_NO_PEER         pairs that do not reach each other, "0-1,2-3"
/// FAKE_CUDA_FABRIC          absent (default), denied (create is not
///                           permitted), granted, import_denied
/// FAKE_CUDA_READ_ONLY       "refused": no read-only access
/// FAKE_CUDA_MACHINE         processes with equal values share the GPUs ("0")
/// FAKE_CUDA_MPS             "1": processes run side by side on a GPU
/// CUDA_VISIBLE_DEVICES      as for the real driver, by number
/// CUDA_MODULE_LOADING       as for the real driver
struct Config {
  static Config from_environment();

  [[nodiscard]] bool are_peers(int gpu, int other) const {
    return gpu == other ||
           !unreachable.contains({std::min(gpu, other), std::max(gpu, other)});
  }

  std::string machine;
  std::string device_name;
  std::vector<Device> devices;  // by physical number
  std::vector<int> visible;     // physical number by ordinal
  std::set<std::pair<int, int>> unreachable;
  Fabric fabric      = Fabric::absent;
  bool has_read_only = true;
  bool has_mps       = false;
  bool is_eager      = false;  // modules load their kernels at the start
};

}  // namespace fake_cuda

#endif
