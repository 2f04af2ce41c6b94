// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CUDA_REGISTRATION_HPP
#define SYMM_TEST_CUDA_REGISTRATION_HPP

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "CudaProgram.hpp"
#include "CudaRuntime.hpp"

/// What the tests of registration with GPUs share.
namespace symm_test {

constexpr std::size_t unit  = 2 * mib;
constexpr int by_descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

constexpr std::array<symm::MemoryKind, 2> both_kinds = {
    symm::MemoryKind::device, symm::MemoryKind::host};

/// Two GPUs, which the PEs take in turn.
class CudaRegistration : public CudaRuntime {};

inline int gpu_of(symm::Impl::Bootstrap const& bootstrap) {
  return bootstrap.my_pe() % 2;
}

/// Memory of the program in the memory of this PE's GPU, or in that of the
/// host, which PEs can share.
inline CudaProgram shareable(symm::Impl::Bootstrap const& bootstrap,
                             symm::MemoryKind kind, std::size_t bytes,
                             int handle_types = by_descriptor) {
  return {kind, bytes, handle_types, 1, gpu_of(bootstrap)};
}

/// What both heaps say of themselves, but for the number of calls.
inline std::string heap_states() {
  std::string text;
  for (auto const kind : both_kinds) {
    auto& its        = heap(kind);
    auto const stats = its.stats();
    text += stats_of(its) + std::to_string(stats.registered_buffers) + " " +
            std::to_string(stats.registered_bytes) + " " +
            std::to_string(stats.retired_blocks) + "; ";
  }
  return text;
}

/// Bytes at each place that any PE keeps.
struct InUse {
  std::array<std::size_t, 3> bytes;  // GPU 0, GPU 1, the host

  friend bool operator==(InUse const&, InUse const&) = default;
  friend std::ostream& operator<<(std::ostream& out, InUse const& in_use) {
    auto const& [gpu_0, gpu_1, host] = in_use.bytes;
    return out << gpu_0 << " on GPU 0, " << gpu_1 << " on GPU 1, " << host
               << " on the host";
  }
};

/// Collective.
inline InUse in_use(symm::Impl::Bootstrap& bootstrap) {
  bootstrap.barrier();
  InUse const result = {{fake().bytes_in_use("gpu0"),
                         fake().bytes_in_use("gpu1"),
                         fake().bytes_in_use("numa0")}};
  bootstrap.barrier();
  return result;
}

inline char* registered(void* memory, std::size_t bytes) {
  void* const address = symm::buffer_register_symmetric(memory, bytes, 0);
  EXPECT_NE(address, nullptr) << symm::last_error();
  return static_cast<char*>(address);
}

inline void unregister(void* address, std::size_t bytes) {
  EXPECT_EQ(symm::buffer_unregister_symmetric(address, bytes),
            symm::Status::success)
      << symm::last_error();
}

/// Collective: every PE writes to a share of every PE's copy, and finds the
/// data of all at both addresses of its own memory.
inline void expect_all_reach_all(symm::Impl::SymmetricHeap& heap, char* address,
                                 char const* memory, std::size_t bytes) {
  // One PE must not leave the others.
  if (address == nullptr) return;
  auto const& map  = heap.map();
  auto const share = bytes / static_cast<std::size_t>(map.n_pes);
  auto const start = [&](symm::Pe pe) {
    return static_cast<std::size_t>(pe) * share;
  };
  symm::barrier_all();
  for (symm::Pe to = 0; to < map.n_pes; ++to) {
    char* const theirs = map.peer_ptr(address, to) + start(map.my_pe);
    for (std::size_t i = 0; i < share; ++i) {
      theirs[i] = value(map.my_pe, to, i);
    }
  }
  symm::barrier_all();
  for (symm::Pe from = 0; from < map.n_pes; ++from) {
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; i < share; ++i) {
      char const expected = value(from, map.my_pe, i);
      if (address[start(from) + i] != expected) ++n_wrong;
      if (memory[start(from) + i] != expected) ++n_wrong;
    }
    EXPECT_EQ(n_wrong, 0U) << "of " << 2 * share << " from PE " << from;
  }
  symm::barrier_all();
}

}  // namespace symm_test

#endif
