// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_MPI_WINDOW_HPP
#define SYMM_PERF_MPI_WINDOW_HPP

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/Spread.hpp"

namespace perf {

/// One-sided MPI at its best: memory that MPI itself allocates, one passive
/// epoch (lock_all) from construction to destruction, and completion with
/// flush.
class MpiWindow {
 public:
  /// Collective. Returns nullptr on all PEs if MPI has no room for such a
  /// window on any PE, as in a container with a small /dev/shm.
  [[nodiscard]] static std::unique_ptr<MpiWindow> create(std::size_t bytes);

  ~MpiWindow();
  MpiWindow(MpiWindow const&)            = delete;
  MpiWindow& operator=(MpiWindow const&) = delete;

  /// This PE's memory.
  [[nodiscard]] std::span<std::uint64_t> words() const {
    return {m_data, m_count};
  }

  /// MPI_Put to the start of the window on `pe`, followed by MPI_Win_flush,
  /// `iterations` times. \throws std::runtime_error
  void put(void const* source, std::size_t bytes, int pe,
           std::int64_t iterations) const;
  /// MPI_Get from the start of the window on `pe`, followed by MPI_Win_flush,
  /// `iterations` times.
  void get(void* target, std::size_t bytes, int pe,
           std::int64_t iterations) const;

  /// MPI_Accumulate of each number to the word and PE that `spread` selects,
  /// followed by one MPI_Win_flush_all. \throws std::runtime_error
  void xor_words(std::span<std::uint64_t const> numbers,
                 Spread const& spread) const;
  /// The same, adding 1 to word `words[k]` of PE `pes[k]`.
  void add_ones(std::span<int const> pes,
                std::span<std::uint32_t const> words) const;

 private:
  MpiWindow() = default;

  MPI_Win m_window      = MPI_WIN_NULL;
  std::uint64_t* m_data = nullptr;
  std::size_t m_count   = 0;
  bool m_locked         = false;
};

}  // namespace perf

#endif
