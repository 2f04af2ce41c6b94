// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_DEVICE_WORDS_HPP
#define SYMM_PERF_DEVICE_WORDS_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>

namespace perf {

// Words that kernels of the default execution space can access, but the host
// perhaps cannot: GPU memory in a build with GPUs.

using DeviceSpace = Kokkos::DefaultExecutionSpace::memory_space;
using DeviceWords =
    Kokkos::View<std::uint64_t*, DeviceSpace, Kokkos::MemoryUnmanaged>;

inline void write_word(std::uint64_t* word, std::uint64_t value) {
  Kokkos::deep_copy(DeviceWords(word, 1), value);
}

[[nodiscard]] inline std::uint64_t read_word(std::uint64_t const* word) {
  std::uint64_t value = 0;
  Kokkos::View<std::uint64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const
      here(&value);
  Kokkos::deep_copy(
      here,
      Kokkos::View<std::uint64_t const, DeviceSpace, Kokkos::MemoryUnmanaged>(
          word));
  return value;
}

// Defined in a separate source file. nvcc emits the functions that copy an
// extended lambda once for each source that it is compiled in. The linker may
// take the function that creates the lambda from one source and its copy
// constructor from another, and then there is nothing to call.

void fill_pattern(DeviceWords const& words, int from, int to);

[[nodiscard]] std::int64_t count_wrong(DeviceWords const& words, int from,
                                       int to);

}  // namespace perf

#endif
