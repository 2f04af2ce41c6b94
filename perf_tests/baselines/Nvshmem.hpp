// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_NVSHMEM_HPP
#define SYMM_PERF_NVSHMEM_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/Spread.hpp"

struct CUstream_st;

/// NVSHMEM in the same process as this project's heap, so that samples of both
/// can be taken in turn.
///
/// perf_tests_nvshmem is linked with Nvshmem.cu, and the other programs with
/// Nvshmem_Absent.cpp, so that NVSHMEM, which takes half a gigabyte of GPU
/// memory, never affects the other measurements. Nvshmem.cu is the only source
/// that needs relocatable device code.
namespace perf::nvshmem {

/// A CUDA stream. Functions that take one return before the work is done.
using Stream = CUstream_st*;

/// Whether this program has NVSHMEM. If not, no other function in this header
/// may be called.
[[nodiscard]] bool available();

/// Initializes NVSHMEM, if available, for the processes in MPI_COMM_WORLD on
/// their current GPUs. MPI must outlive this object; Views and NVSHMEM's own
/// blocks must not. NVLS (multicast) stays off; this is checked.
class Job {
 public:
  /// Collective. \throws std::runtime_error
  Job();
  ~Job();  // NOLINT(performance-trivially-destructible): not in Nvshmem.cu
  Job(Job const&)            = delete;
  Job& operator=(Job const&) = delete;
};

/// Such as "3.4.5".
[[nodiscard]] std::string version();

/// nvshmem_malloc; collective. \throws std::bad_alloc
[[nodiscard]] void* allocate(std::size_t bytes);
/// nvshmem_free; collective.
void deallocate(void* p);
/// nvshmem_barrier_all; collective.
void barrier();

/// nvshmemx_putmem_block: each of `blocks` blocks of 512 threads puts one
/// contiguous part.
void put_blocks(void* target, void const* source, std::size_t bytes, int pe,
                int blocks, Stream stream);
/// nvshmemx_getmem_block.
void get_blocks(void* target, void const* source, std::size_t bytes, int pe,
                int blocks, Stream stream);

/// nvshmem_double_p, with one element per thread.
void put_elements(double* target, double const* source, std::size_t count,
                  int pe, Stream stream);
/// nvshmem_double_g, with one element per thread.
void get_elements(double* target, double const* source, std::size_t count,
                  int pe, Stream stream);

/// nvshmemx_putmem_on_stream: a copy that the host starts.
void put_on_stream(void* target, void const* source, std::size_t bytes, int pe,
                   Stream stream);
/// nvshmemx_getmem_on_stream.
void get_on_stream(void* target, void const* source, std::size_t bytes, int pe,
                   Stream stream);

/// One thread: nvshmem_uint64_p and nvshmem_quiet, `iterations` times, to the
/// words of a ring (kernels/Ring.hpp) in turn.
void put_words(std::uint64_t* ring, std::uint64_t value, int pe,
               std::int64_t iterations, Stream stream);

/// One thread: nvshmem_uint64_g of one word after another, starting with word
/// 0. Each word is the index of the next; the last index goes to `*reached`.
void walk(std::uint64_t const* words, int pe, std::int64_t iterations,
          std::uint64_t* reached, Stream stream);

/// One thread on each of two PEs: nvshmem_uint64_p to a word of the other PE's
/// ring and nvshmem_uint64_wait_until on this PE's own word, `iterations`
/// times, with the values `before` + 1, + 2, ... The PE that does not begin
/// waits first.
void ping_pong(std::uint64_t* ring, std::uint64_t before, int other,
               bool begins, std::int64_t iterations, Stream stream);

/// One thread: nvshmem_uint64_atomic_fetch_add of 1 to the words of the ring on
/// PE `pe`, starting with word number `first`, `iterations` times. Each call
/// needs the result of the previous one. The last value fetched goes to
/// `*last`.
void fetch_add(std::uint64_t* ring, std::uint64_t first, int pe,
               std::int64_t iterations, std::uint64_t* last, Stream stream);

/// `threads` threads: nvshmem_uint64_atomic_add of 1 to the word on PE `pe`,
/// `adds_each` times each.
void add(std::uint64_t* word, std::int64_t threads, std::int64_t adds_each,
         int pe, Stream stream);

/// nvshmem_uint64_atomic_xor of each number to its word in the table, with one
/// number per thread. \param words this PE's part of the table.
void xor_words(std::uint64_t* words, std::uint64_t const* numbers,
               std::size_t count, Spread const& spread, Stream stream);

}  // namespace perf::nvshmem

#endif
