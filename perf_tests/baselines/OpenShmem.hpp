// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_OPEN_SHMEM_HPP
#define SYMM_PERF_OPEN_SHMEM_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/Spread.hpp"

/// An OpenSHMEM library in the same process as this project's heap, so that
/// samples of both can be taken in turn. On a virtual machine, the time that a
/// cache line takes between two cores changes by a factor of 3 within seconds,
/// so only neighboring samples can be compared.
///
/// perf_tests_openshmem is linked with OpenShmem.cpp, and perf_tests with
/// OpenShmem_Absent.cpp, so that OpenSHMEM never affects the other
/// measurements. openshmem_alone.cpp shows that OpenSHMEM is not slower when it
/// shares a process with this project's library.
namespace perf::openshmem {

/// Whether this program has OpenSHMEM. If not, no other function in this header
/// may be called.
[[nodiscard]] bool available();

/// Initializes OpenSHMEM, if available, and with it MPI. The destructor
/// finalizes both, so this object must outlive all other users of MPI.
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

/// shmem_putmem followed by shmem_quiet, `iterations` times.
void put(void* target, void const* source, std::size_t bytes, int pe,
         std::int64_t iterations);
/// shmem_putmem, `iterations` times, followed by one shmem_quiet.
void post(void* target, void const* source, std::size_t bytes, int pe,
          std::int64_t iterations);
/// shmem_getmem, `iterations` times.
void get(void* target, void const* source, std::size_t bytes, int pe,
         std::int64_t iterations);
/// shmem_uint64_p of one word followed by shmem_quiet, `iterations` times.
void put_word(std::uint64_t* target, std::uint64_t value, int pe,
              std::int64_t iterations);
/// shmem_uint64_g, `iterations` times; returns the last word.
[[nodiscard]] std::uint64_t get_word(std::uint64_t const* source, int pe,
                                     std::int64_t iterations);
/// Writes `value` to the word on PE `pe`, without waiting for completion.
void post_word(std::uint64_t* target, std::uint64_t value, int pe);
/// shmem_uint64_p of one word, `iterations` times, followed by one shmem_quiet.
void post_words(std::uint64_t* target, std::uint64_t value, int pe,
                std::int64_t iterations);
/// Waits until this PE's own word has the value `value`.
void wait_word(std::uint64_t* word, std::uint64_t value);

// Atomic operations on the word on PE `pe`, `iterations` times each.

/// shmem_ulong_atomic_fetch_add of 1; returns the last value fetched.
[[nodiscard]] std::uint64_t fetch_add_word(std::uint64_t* target, int pe,
                                           std::int64_t iterations);
/// shmem_ulong_atomic_fetch of a word that is 0. Each result is added to the
/// address of the next fetch, so that the calls depend on each other. Returns
/// the last result.
[[nodiscard]] std::uint64_t fetch_word(std::uint64_t const* source, int pe,
                                       std::int64_t iterations);
/// shmem_ulong_atomic_set to 1, 2, ..., each followed by shmem_quiet.
void set_word(std::uint64_t* target, int pe, std::int64_t iterations);
/// shmem_ulong_atomic_compare_swap from what the previous call left there
/// (`value` at first) to 1 more; returns the last value fetched.
[[nodiscard]] std::uint64_t compare_swap_word(std::uint64_t* target,
                                              std::uint64_t value, int pe,
                                              std::int64_t iterations);
/// shmem_ulong_atomic_add of 1, followed by one shmem_quiet.
void add_word(std::uint64_t* target, int pe, std::int64_t iterations);

/// shmem_ulong_atomic_xor of each number to its word in the table, followed by
/// one shmem_quiet. \param words this PE's part of the table.
void xor_words(std::uint64_t* words, std::span<std::uint64_t const> numbers,
               Spread const& spread);

}  // namespace perf::openshmem

#endif
