// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <cuda_runtime.h>
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#if __has_include(<non_abi/nvshmem_version.h>)
#include <non_abi/nvshmem_version.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string_view>

#include "baselines/Nvshmem.hpp"
#include "harness/CudaCheck.hpp"
#include "harness/MpiCheck.hpp"
#include "kernels/Ring.hpp"
#include "kernels/Spread.hpp"

namespace perf::nvshmem {
namespace {

constexpr int block_threads   = 512;  // as ours
constexpr int element_threads = 256;

/// The part of [0, bytes) that a block has: all parts alike, in units of 16
/// bytes so that each can be copied in those.
struct Part {
  std::size_t first;
  std::size_t bytes;

  static __device__ Part of_block(std::size_t bytes) {
    std::size_t const units = (bytes + 15) / 16;
    std::size_t const each  = (units + gridDim.x - 1) / gridDim.x * 16;
    std::size_t const first = blockIdx.x * each;
    if (first >= bytes) return {0, 0};
    return {first, bytes - first < each ? bytes - first : each};
  }
};

__global__ void put_blocks_kernel(char* target, char const* source,
                                  std::size_t bytes, int pe) {
  Part const part = Part::of_block(bytes);
  if (part.bytes > 0)
    nvshmemx_putmem_block(target + part.first, source + part.first, part.bytes,
                          pe);
}

__global__ void get_blocks_kernel(char* target, char const* source,
                                  std::size_t bytes, int pe) {
  Part const part = Part::of_block(bytes);
  if (part.bytes > 0)
    nvshmemx_getmem_block(target + part.first, source + part.first, part.bytes,
                          pe);
}

__global__ void put_elements_kernel(double* target, double const* source,
                                    std::size_t count, int pe) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) nvshmem_double_p(target + i, source[i], pe);
}

__global__ void get_elements_kernel(double* target, double const* source,
                                    std::size_t count, int pe) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) target[i] = nvshmem_double_g(source + i, pe);
}

__global__ void put_words_kernel(std::uint64_t* words, std::uint64_t value,
                                 int pe, std::int64_t iterations) {
  for (std::int64_t n = 0; n < iterations; ++n) {
    nvshmem_uint64_p(words + ring::index(static_cast<std::uint64_t>(n)), value,
                     pe);
    nvshmem_quiet();
  }
}

__global__ void walk_kernel(std::uint64_t const* words, int pe,
                            std::int64_t iterations, std::uint64_t* reached) {
  std::uint64_t slot = 0;
  for (std::int64_t n = 0; n < iterations; ++n)
    slot = nvshmem_uint64_g(words + slot, pe);
  *reached = slot;
}

__global__ void ping_pong_kernel(std::uint64_t* words, std::uint64_t before,
                                 int other, bool begins,
                                 std::int64_t iterations) {
  auto const last = before + static_cast<std::uint64_t>(iterations);
  if (begins) {
    for (std::uint64_t value = before + 1; value <= last; ++value) {
      std::uint64_t* const word = words + ring::index(value);
      nvshmem_uint64_p(word, value, other);
      nvshmem_uint64_wait_until(word, NVSHMEM_CMP_EQ, value);
    }
  } else {
    for (std::uint64_t value = before + 1; value <= last; ++value) {
      std::uint64_t* const word = words + ring::index(value);
      nvshmem_uint64_wait_until(word, NVSHMEM_CMP_EQ, value);
      nvshmem_uint64_p(word, value, other);
    }
  }
}

__global__ void fetch_add_kernel(std::uint64_t* words, std::uint64_t first,
                                 int pe, std::int64_t iterations,
                                 std::uint64_t* last) {
  std::uint64_t before = 0;
  for (std::int64_t n = 0; n < iterations; ++n)  // adds 1
    before = nvshmem_uint64_atomic_fetch_add(
        words + ring::index(first + static_cast<std::uint64_t>(n)),
        1 + (before >> 63U), pe);
  *last = before;
}

__global__ void add_kernel(std::uint64_t* word, std::int64_t threads,
                           std::int64_t adds_each, int pe) {
  std::int64_t const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= threads) return;
  for (std::int64_t n = 0; n < adds_each; ++n)
    nvshmem_uint64_atomic_add(word, 1, pe);
}

__global__ void xor_words_kernel(std::uint64_t* words,
                                 std::uint64_t const* numbers,
                                 std::size_t count, Spread spread) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  std::uint64_t const number = numbers[i];
  nvshmem_uint64_atomic_xor(words + spread.word_of(number), number,
                            spread.pe_of(number));
}

unsigned blocks_for(std::size_t count) {
  return static_cast<unsigned>((count + element_threads - 1) / element_threads);
}

void check_launch() { check_cuda(cudaGetLastError(), "kernel launch"); }

/// \throws std::runtime_error if the variable cannot be set.
void set_environment(char const* variable, char const* value, bool overwrite) {
  if (setenv(variable, value, overwrite ? 1 : 0) != 0)
    throw std::runtime_error(std::string("cannot set ") + variable);
}

/// Multicast objects are not to be made, by nobody.
void turn_nvls_off() {
  constexpr char const* variable = "NVSHMEM_DISABLE_NVLS";
  char const* const given        = std::getenv(variable);
  if (given != nullptr && std::string_view(given) != "1")
    throw std::runtime_error(std::string(variable) + " is '" + given +
                             "'; it must be 1 or unset");
  set_environment(variable, "1", true);
}

void check_nvls_is_off() {
  char const* const given = std::getenv("NVSHMEM_DISABLE_NVLS");
  if (given == nullptr || std::string_view(given) != "1")
    throw std::runtime_error("NVSHMEM_DISABLE_NVLS is not 1");
}

/// The unique id way: no plugin has to fit this MPI.
void initialize() {
  check_nvls_is_off();
  int pe  = 0;
  int pes = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &pe), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &pes), "MPI_Comm_size");
  nvshmemx_uniqueid_t id          = NVSHMEMX_UNIQUEID_INITIALIZER;
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  int failed                      = pe == 0 ? nvshmemx_get_uniqueid(&id) : 0;
  check_mpi(MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
  if (failed != 0) throw std::runtime_error("nvshmemx_get_uniqueid failed");
  check_mpi(
      MPI_Bcast(&id, static_cast<int>(sizeof(id)), MPI_BYTE, 0, MPI_COMM_WORLD),
      "MPI_Bcast");
  if (nvshmemx_set_attr_uniqueid_args(pe, pes, &id, &attributes) != 0 ||
      nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) != 0)
    throw std::runtime_error("NVSHMEM failed to initialize");
  if (nvshmem_my_pe() != pe || nvshmem_n_pes() != pes)
    throw std::runtime_error("NVSHMEM numbers the PEs differently");
}

}  // namespace

bool available() { return true; }

Job::Job() {
  turn_nvls_off();
  // PEs of one machine only: no search for network cards.
  set_environment("NVSHMEM_REMOTE_TRANSPORT", "none", false);
  // NVSHMEM's own collective operations: NCCL's are measured as NCCL's.
  set_environment("NVSHMEM_DISABLE_NCCL", "1", true);
  initialize();
}

Job::~Job() { nvshmem_finalize(); }

std::string version() {
#ifdef NVSHMEM_VENDOR_MAJOR_VERSION
  return std::to_string(NVSHMEM_VENDOR_MAJOR_VERSION) + "." +
         std::to_string(NVSHMEM_VENDOR_MINOR_VERSION) + "." +
         std::to_string(NVSHMEM_VENDOR_PATCH_VERSION);
#else
  int major = 0;
  int minor = 0;
  nvshmem_info_get_version(&major, &minor);
  return "of specification " + std::to_string(major) + "." +
         std::to_string(minor);
#endif
}

void* allocate(std::size_t bytes) {
  void* const p = nvshmem_malloc(bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void deallocate(void* p) { nvshmem_free(p); }

void barrier() { nvshmem_barrier_all(); }

void put_blocks(void* target, void const* source, std::size_t bytes, int pe,
                int blocks, Stream stream) {
  put_blocks_kernel<<<static_cast<unsigned>(blocks), block_threads, 0,
                      stream>>>(static_cast<char*>(target),
                                static_cast<char const*>(source), bytes, pe);
  check_launch();
}

void get_blocks(void* target, void const* source, std::size_t bytes, int pe,
                int blocks, Stream stream) {
  get_blocks_kernel<<<static_cast<unsigned>(blocks), block_threads, 0,
                      stream>>>(static_cast<char*>(target),
                                static_cast<char const*>(source), bytes, pe);
  check_launch();
}

void put_elements(double* target, double const* source, std::size_t count,
                  int pe, Stream stream) {
  put_elements_kernel<<<blocks_for(count), element_threads, 0, stream>>>(
      target, source, count, pe);
  check_launch();
}

void get_elements(double* target, double const* source, std::size_t count,
                  int pe, Stream stream) {
  get_elements_kernel<<<blocks_for(count), element_threads, 0, stream>>>(
      target, source, count, pe);
  check_launch();
}

void put_on_stream(void* target, void const* source, std::size_t bytes, int pe,
                   Stream stream) {
  nvshmemx_putmem_on_stream(target, source, bytes, pe, stream);
}

void get_on_stream(void* target, void const* source, std::size_t bytes, int pe,
                   Stream stream) {
  nvshmemx_getmem_on_stream(target, source, bytes, pe, stream);
}

void put_words(std::uint64_t* words, std::uint64_t value, int pe,
               std::int64_t iterations, Stream stream) {
  put_words_kernel<<<1, 1, 0, stream>>>(words, value, pe, iterations);
  check_launch();
}

void walk(std::uint64_t const* words, int pe, std::int64_t iterations,
          std::uint64_t* reached, Stream stream) {
  walk_kernel<<<1, 1, 0, stream>>>(words, pe, iterations, reached);
  check_launch();
}

void ping_pong(std::uint64_t* words, std::uint64_t before, int other,
               bool begins, std::int64_t iterations, Stream stream) {
  ping_pong_kernel<<<1, 1, 0, stream>>>(words, before, other, begins,
                                        iterations);
  check_launch();
}

void fetch_add(std::uint64_t* words, std::uint64_t first, int pe,
               std::int64_t iterations, std::uint64_t* last, Stream stream) {
  fetch_add_kernel<<<1, 1, 0, stream>>>(words, first, pe, iterations, last);
  check_launch();
}

void add(std::uint64_t* word, std::int64_t threads, std::int64_t adds_each,
         int pe, Stream stream) {
  add_kernel<<<blocks_for(static_cast<std::size_t>(threads)), element_threads,
               0, stream>>>(word, threads, adds_each, pe);
  check_launch();
}

void xor_words(std::uint64_t* words, std::uint64_t const* numbers,
               std::size_t count, Spread const& spread, Stream stream) {
  xor_words_kernel<<<blocks_for(count), element_threads, 0, stream>>>(
      words, numbers, count, spread);
  check_launch();
}

}  // namespace perf::nvshmem
