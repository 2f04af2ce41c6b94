// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_HPP
#define SYMM_POOLS_HPP

#include <cstddef>
#include <cstdint>

#include "base/Types.hpp"
#include "symm_memory.hpp"

/// Memory pools: allocation in the order of a stream, which stops neither the
/// host nor the GPU. The functions are those of the stream-ordered allocators
/// of CUDA and HIP (cudaMallocAsync, hipMallocAsync, ...); as those of
/// symm_memory.hpp they return a Status, and last_error() says why. Codes such
/// as H10 and P03 are those of docs/requirements.md.
///
/// A *stream* is what orders work: a stream of CUDA, or an execution space
/// instance of Kokkos (Kokkos_SymmetricSpace_Pools.hpp has the calls that take
/// one). A block may be used by what its stream does between malloc_async() and
/// free_async() (H01); by other streams, if they are ordered behind the one and
/// before the other (order_after()).
///
/// A pool is
/// - *symmetric*: its memory is in the symmetric heap, and a block is at the
///   same offset on all PEs (P02). All PEs make the same sequence of calls on
///   symmetric pools, on streams that correspond, in one order with their
///   other collective calls; they do not wait for each other. A sequence that
///   differs is found at the next collective call, which fails on every PE and
///   names the first call that differs (P04); the pools that existed then
///   allocate no more. Peers may use a block behind a barrier of all PEs that
///   follows the allocation in the stream's order, and the block is used again
///   only behind such a barrier that follows its release (P03):
///   barrier_all(exec), barrier(exec, team) with all PEs, or a collective call
///   of the heap.
/// - or *local*: memory of this PE alone. Peers do not reach it, and no other
///   PE need call.
///
/// One thread of a PE at a time calls for symmetric pools; any thread for local
/// ones.
namespace symm {

enum class MemPoolKind : std::uint32_t { symmetric, local };

/// How a pool may travel to other processes (H42).
enum class MemPoolHandleType : std::uint32_t { none, posix_file_descriptor };

struct MemPoolProperties {
  MemPoolKind kind = MemPoolKind::symmetric;
  /// Where it is: GPU memory if the PEs have devices, unless set.
  MemoryKind memory = default_memory_kind();
  /// Of a local pool; with posix_file_descriptor max_bytes is above 0, and all
  /// of it is there from the start.
  MemPoolHandleType handle_type = MemPoolHandleType::none;
  /// Most bytes (per PE) that it takes from the system, rounded up to whole
  /// chunks (2 MiB); 0: as much as the heap may have.
  std::size_t max_bytes = 0;

  /// That of malloc(). Local; host memory before initialize().
  [[nodiscard]] static MemoryKind default_memory_kind() noexcept;
};

/// A pool: a small value, all copies of which stand for one pool.
class MemPool {
 public:
  /// No pool.
  MemPool() = default;

  [[nodiscard]] bool is_valid() const { return m_number != 0; }
  friend bool operator==(MemPool, MemPool) = default;

  /// For those that make pools. \param number above 0.
  static MemPool make(std::uint64_t number) {
    MemPool pool;
    pool.m_number = number;
    return pool;
  }
  [[nodiscard]] std::uint64_t number() const { return m_number; }

 private:
  std::uint64_t m_number = 0;  // never used twice
};

enum class MemPoolAttribute : std::uint32_t {
  /// int: reuse what was freed on another stream, if the stream of the
  /// allocation is known to be behind that (order_after()). 1 at first (H52).
  reuse_follow_event_dependencies = 1,
  /// int: reuse what was freed and has completed, without a dependency. 1 at
  /// first (H54). Of a local pool: on this PE, at the time of the call. Of a
  /// symmetric one: on all PEs, at the time of their latest barrier_all().
  reuse_allow_opportunistic = 2,
  /// int: make such a dependency if there is no room otherwise; in a symmetric
  /// pool, a barrier of all PEs in the order of the stream. 1 at first (H55).
  reuse_allow_internal_dependencies = 3,
  /// uint64_t: bytes of unused memory to keep. What is above is given back to
  /// the system at the next collective call of the heap. 0 at first (H50, H51).
  release_threshold = 4,
  // uint64_t, bytes. The high ones can be set, to 0: they begin anew.
  reserved_mem_current = 5,  // taken from the system
  reserved_mem_high    = 6,
  used_mem_current     = 7,  // allocated and not freed
  used_mem_high        = 8
};

/// Makes a pool (H40). Of a symmetric pool: all PEs call, and do not wait.
/// \param pool null: invalid_value.
/// \returns invalid_value for properties that contradict each other or a place
///          where there is no memory; out_of_memory; internal.
[[nodiscard]] Status mem_pool_create(
    MemPool* pool, MemPoolProperties const& properties) noexcept;

/// Ends a pool; returns at once. Its blocks stay until they are freed, and its
/// memory until the collective call of the heap behind that (H44). If it was
/// the current one, the default one is (H45).
/// \returns invalid_value for no pool, one that has ended, or a default one
///          (H46).
Status mem_pool_destroy(MemPool pool) noexcept;

/// The pool that there is from the start, of a kind of memory; symmetric.
/// Local.
[[nodiscard]] Status device_get_default_mem_pool(MemPool* pool,
                                                 MemoryKind memory) noexcept;
/// The pool that malloc_async() uses: the default one, until it is set. Local.
[[nodiscard]] Status device_get_mem_pool(MemPool* pool,
                                         MemoryKind memory) noexcept;
/// \returns invalid_value for a pool in other memory, or an imported one (H86).
[[nodiscard]] Status device_set_mem_pool(MemoryKind memory,
                                         MemPool pool) noexcept;

/// Allocates from the current pool of GPU memory, if the PEs have devices, else
/// of host memory; contents are indeterminate. The address is there at once,
/// the memory in the order of the stream (H10, H11, H14). Nobody waits while
/// the pool has room (P01); if it has not, a symmetric pool grows as the heap
/// does, collectively (P05).
///
/// \param address a multiple of 256; null on failure. Null: invalid_value.
/// \param bytes   0 gives null.
/// \param stream  a CUstream (cudaStream_t), which lives until the block is
///        freed; null for the default one. Without a GPU it must be null: the
///        order is that of the calls.
/// \returns invalid_value; not_supported while the stream is being captured
///          (H16); out_of_memory (H17); internal.
[[nodiscard]] Status malloc_async(void** address, std::size_t bytes,
                                  void* stream = nullptr) noexcept;

/// The same from a given pool, which may be in other memory than the stream's
/// (H30, H31).
[[nodiscard]] Status malloc_from_pool_async(void** address, std::size_t bytes,
                                            MemPool pool,
                                            void* stream = nullptr) noexcept;

/// Frees a block of any pool in the order of the stream (H20). The caller's use
/// of it must be over by then on this PE; on other PEs by the barrier behind
/// it.
/// \param address null: does nothing.
/// \returns invalid_value for what is no block of a pool, or freed already
///          (H24); not_supported while the stream is being captured (H23).
Status free_async(void* address, void* stream = nullptr) noexcept;

/// What is put into `stream` from now on begins when all that is in `earlier`
/// now has ended: an event, recorded and waited for, of which the pools know
/// (H52, H53). Not waited for by the host. Local; if symmetric pools are in
/// use, all PEs call.
/// \returns not_supported while one of them is being captured; internal.
Status order_after(void* stream, void* earlier) noexcept;

/// \param value int* or uint64_t*, as the attribute says.
/// \returns invalid_value for null, an unknown attribute, no pool (H56).
[[nodiscard]] Status mem_pool_get_attribute(MemPool pool,
                                            MemPoolAttribute attribute,
                                            void* value) noexcept;
/// Of a symmetric pool: all PEs call, with equal values.
Status mem_pool_set_attribute(MemPool pool, MemPoolAttribute attribute,
                              void const* value) noexcept;

/// Gives whole chunks in which nothing is allocated back to the system, but
/// keeps `min_bytes_to_hold` (H60-H66). Waits for the kernels of this PE. Of a
/// symmetric pool: collective.
Status mem_pool_trim_to(MemPool pool, std::size_t min_bytes_to_hold) noexcept;

}  // namespace symm

#endif
