// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_OPEN_SHMEM_HPP
#define SYMM_PERF_OPEN_SHMEM_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/Spread.hpp"

/// An OpenSHMEM library in the same process as this project's heap, so that
/// samples of both can be taken in turn. On a virtual machine the time of one
/// cache line's way between two cores changes by 3 x within seconds; only
/// neighboring samples can be compared.
///
/// perf_tests_openshmem is linked with OpenShmem.cpp, perf_tests with
/// OpenShmem_Absent.cpp, so that OpenSHMEM never disturbs the other figures.
/// openshmem_alone.cpp shows that the library is not slower in our company.
namespace perf::openshmem {

/// Whether this program has OpenSHMEM. If not, none of the others is called.
[[nodiscard]] bool available();

/// Initializes OpenSHMEM, and with it MPI, where available. Its destructor
/// finalizes both, so that it must outlive all other users of MPI.
class Job {
 public:
  Job();
  ~Job();  // NOLINT(performance-trivially-destructible): not in OpenShmem.cpp
  Job(Job const&)            = delete;
  Job& operator=(Job const&) = delete;
};

/// shmem_malloc; collective. \throws std::bad_alloc
[[nodiscard]] void* allocate(std::size_t bytes);
/// shmem_free; collective.
void deallocate(void* p);
/// shmem_barrier_all; collective.
void barrier();

/// shmem_putmem and shmem_quiet, `iterations` times.
void put(void* target, void const* source, std::size_t bytes, int pe,
         std::int64_t iterations);
/// shmem_putmem, `iterations` times, and one shmem_quiet.
void post(void* target, void const* source, std::size_t bytes, int pe,
          std::int64_t iterations);
/// shmem_getmem, `iterations` times.
void get(void* target, void const* source, std::size_t bytes, int pe,
         std::int64_t iterations);
/// shmem_uint64_p of one word and shmem_quiet, `iterations` times.
void put_word(std::uint64_t* target, std::uint64_t value, int pe,
              std::int64_t iterations);
/// shmem_uint64_g, `iterations` times; returns the last word.
[[nodiscard]] std::uint64_t get_word(std::uint64_t const* source, int pe,
                                     std::int64_t iterations);
/// Writes `value` to the word of PE `pe`, without waiting for it.
void post_word(std::uint64_t* target, std::uint64_t value, int pe);
/// shmem_uint64_p of one word, `iterations` times, and one shmem_quiet.
void post_words(std::uint64_t* target, std::uint64_t value, int pe,
                std::int64_t iterations);
/// Waits until the own word has that value.
void wait_word(std::uint64_t* word, std::uint64_t value);

// Atomic operations on the word of PE `pe`, `iterations` times.

/// shmem_ulong_atomic_fetch_add of 1; returns the last value that was there.
[[nodiscard]] std::uint64_t fetch_add_word(std::uint64_t* target, int pe,
                                           std::int64_t iterations);
/// shmem_ulong_atomic_fetch of a word that is 0, which each call adds to the
/// address of the next one; returns the last.
[[nodiscard]] std::uint64_t fetch_word(std::uint64_t const* source, int pe,
                                       std::int64_t iterations);
/// shmem_ulong_atomic_set to 1, 2, ... and, each time, shmem_quiet.
void set_word(std::uint64_t* target, int pe, std::int64_t iterations);
/// shmem_ulong_atomic_compare_swap of what the call before has left there, at
/// first `value`, by 1 more; returns the last value that was there.
[[nodiscard]] std::uint64_t compare_swap_word(std::uint64_t* target,
                                              std::uint64_t value, int pe,
                                              std::int64_t iterations);
/// shmem_ulong_atomic_add of 1, and one shmem_quiet.
void add_word(std::uint64_t* target, int pe, std::int64_t iterations);

/// shmem_ulong_atomic_xor of each number to its word of the table, and one
/// shmem_quiet. \param words  this PE's part of the table.
void xor_words(std::uint64_t* words, std::span<std::uint64_t const> numbers,
               Spread const& spread);

}  // namespace perf::openshmem

#endif
