// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_HPP
#define SYMM_POOLS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/Types.hpp"
#include "symm_errors.hpp"
#include "symm_memory.hpp"

/// Memory pools: allocation in the order of a stream, which stops neither the
/// host nor the GPU. The functions are those of the stream-ordered allocators
/// of CUDA and HIP (cudaMallocAsync, hipMallocAsync, ...). Like those of
/// symm_memory.hpp they return a Status, and last_error() says why. Codes such
/// as H10 and P03 are those of docs/requirements.md.
///
/// A *stream* is a sequence of work: a stream of CUDA, or an execution space
/// instance of Kokkos (Kokkos_SymmetricSpace_Pools.hpp has the calls that take
/// one). Work of a block's stream may use it between malloc_async() and
/// free_async() (H01). Work of another stream may, if order_after() puts it
/// after the allocation and before the release.
///
/// A pool is
/// - *symmetric*: its memory is in the symmetric heap, and a block is at the
///   same offset on all PEs (P02). All PEs make the same sequence of calls on
///   symmetric pools, on corresponding streams, in one order with their other
///   collective calls; they do not wait for each other. If the sequences
///   differ, the next collective call fails on every PE and names the first
///   call that differs (P04). The symmetric pools that existed allocate no more
///   then (the default ones begin anew), and heap_trim() returns their memory
///   to the system when all PEs have freed their blocks. Peers may use a block
///   after a barrier of all PEs that follows the allocation in the stream's
///   order. The block is allocated again only after such a barrier that follows
///   its release (P03): barrier_all(exec), barrier(exec, team) with all PEs, or
///   a collective call of the heap.
/// - or *local*: memory of this PE alone. Peers do not reach it, and other PEs
///   need not call.
///
/// One thread of a PE at a time makes calls on symmetric pools, any thread on
/// local ones. UniqueMemPool does the same for C++ and throws.
namespace symm {

enum class MemPoolKind : std::uint32_t { symmetric, local };

/// How a pool may be shared with other processes (H42).
enum class MemPoolHandleType : std::uint32_t { none, posix_file_descriptor };

struct MemPoolProperties {
  MemPoolKind kind = MemPoolKind::symmetric;
  /// The kind of its memory: by default the GPU's, if the PEs have devices.
  MemoryKind memory = default_memory_kind();
  /// For local pools only. With posix_file_descriptor max_bytes must be above
  /// 0; the pool takes all of it from the start.
  MemPoolHandleType handle_type = MemPoolHandleType::none;
  /// Most bytes (per PE) that it takes from the system, rounded up to whole
  /// chunks (2 MiB); 0: as much as the heap may have.
  std::size_t max_bytes = 0;

  /// The kind that malloc() uses. Local; host memory before initialize().
  [[nodiscard]] static MemoryKind default_memory_kind() noexcept;
};

/// The name of a pool: a small value; all copies name the same pool.
class MemPool {
 public:
  /// No pool.
  MemPool() = default;

  [[nodiscard]] bool is_valid() const { return m_number != 0; }
  friend bool operator==(MemPool, MemPool) = default;

  /// For the library. \param number above 0.
  static MemPool make(std::uint64_t number) {
    MemPool pool;
    pool.m_number = number;
    return pool;
  }
  [[nodiscard]] std::uint64_t number() const { return m_number; }

 private:
  std::uint64_t m_number = 0;  // never used twice
};

/// From where a pool is accessed: from the CPUs, or from kernels of a GPU.
struct MemLocation {
  MemoryKind memory = MemoryKind::device;
  int device        = 0;  // the GPU's ordinal in this process

  friend bool operator==(MemLocation const&, MemLocation const&) = default;
};

enum class MemAccessFlags : std::uint32_t {
  none       = 0,
  read       = 1,
  read_write = 3
};

struct MemAccessDesc {
  MemLocation location;
  MemAccessFlags flags = MemAccessFlags::none;
};

/// Describes a block of an exported pool to other processes, as bytes that are
/// valid on this node only.
struct MemPoolPtrExportData {
  std::array<std::byte, 64> bytes{};
};

enum class MemPoolAttribute : std::uint32_t {
  /// int: an allocation may reuse a block freed on another stream, if
  /// order_after() puts its own stream after that release. 1 at first (H52).
  reuse_follow_event_dependencies = 1,
  /// int: an allocation may reuse a block freed on any other stream that has
  /// completed: for a local pool on this PE, at the time of the call; for a
  /// symmetric one on all PEs, at their latest barrier_all(). 1 at first (H54).
  reuse_allow_opportunistic = 2,
  /// int: if there is no room otherwise, an allocation may make its stream wait
  /// for others, in a symmetric pool with a barrier of all PEs in the order of
  /// the stream. 1 at first (H55).
  reuse_allow_internal_dependencies = 3,
  /// uint64_t: bytes of unused memory to keep. The pool returns what is above
  /// to the system at the next collective call of the heap but a barrier. 0 at
  /// first (H50, H51).
  release_threshold = 4,
  // uint64_t, bytes. A high-water mark can be set, to 0 only: it begins anew.
  reserved_mem_current = 5,  // taken from the system
  reserved_mem_high    = 6,
  used_mem_current     = 7,  // allocated and not freed
  used_mem_high        = 8
};

/// Makes a pool (H40). For a symmetric pool, all PEs call, and do not wait.
/// \param pool null: invalid_value.
/// \returns invalid_value if the properties contradict each other, or there is
///          no heap in such memory; out_of_memory; internal.
Status mem_pool_create(MemPool* pool,
                       MemPoolProperties const& properties) noexcept;

/// Ends a pool; returns at once. Its blocks stay until they are freed, and its
/// memory until the collective call of the heap after that (H44). If it was the
/// current pool, the default one becomes current (H45).
/// \returns invalid_value for no pool, one that has ended, or a default one
///          (H46).
Status mem_pool_destroy(MemPool pool) noexcept;

/// The symmetric pool that each kind of memory has from the start. Local.
Status device_get_default_mem_pool(MemPool* pool, MemoryKind memory) noexcept;
/// The pool that malloc_async() uses: the default one, until it is set. Local.
Status device_get_mem_pool(MemPool* pool, MemoryKind memory) noexcept;
/// \returns invalid_value for a pool in other memory, or an imported one (H86).
Status device_set_mem_pool(MemoryKind memory, MemPool pool) noexcept;

/// Allocates from the current pool of GPU memory, if the PEs have devices, else
/// of host memory; contents are indeterminate. The address is returned at once;
/// the memory may be used in the order of the stream (H10, H11, H14). Neither
/// host nor GPU waits while the pool has room (P01); if it has none, a
/// symmetric pool grows collectively, as the heap does (P05).
///
/// \param address gets a multiple of 256, null on failure. Null: invalid_value.
/// \param bytes   0 gives null.
/// \param stream  a CUstream (cudaStream_t); null for the default one. It must
///        live until a heap_trim() after its last use with pools, which ask it
///        whether its work has ended. Without a GPU it must be null: the order
///        is that of the calls.
/// \returns invalid_value; not_supported while the stream is being captured
///          (H16); out_of_memory (H17); internal.
Status malloc_async(void** address, std::size_t bytes,
                    void* stream = nullptr) noexcept;

/// The same from a given pool, which may be in other memory than the stream's
/// (H30, H31).
Status malloc_from_pool_async(void** address, std::size_t bytes, MemPool pool,
                              void* stream = nullptr) noexcept;

namespace Impl {

/// \param allocate called with the address of a void* for the result.
template <class T, class Allocate>
Status allocate_as(T** address, Allocate const& allocate) noexcept {
  void* block         = nullptr;
  Status const status = allocate(address == nullptr ? nullptr : &block);
  if (address != nullptr) *address = static_cast<T*>(block);
  return status;
}

}  // namespace Impl

/// The same for a pointer of any type; `bytes` are not elements.
template <class T>
Status malloc_async(T** address, std::size_t bytes,
                    void* stream = nullptr) noexcept {
  return Impl::allocate_as(address, [&](void** block) {
    return malloc_async(block, bytes, stream);
  });
}
template <class T>
Status malloc_from_pool_async(T** address, std::size_t bytes, MemPool pool,
                              void* stream = nullptr) noexcept {
  return Impl::allocate_as(address, [&](void** block) {
    return malloc_from_pool_async(block, bytes, pool, stream);
  });
}

/// Frees a block of any pool in the order of the stream (H20). This PE must
/// have ended its use of the block by that point of the stream, other PEs by
/// the next barrier after it.
/// \param address null: does nothing.
/// \returns invalid_value for an address that is no block of a pool, or freed
///          (H24); not_supported while the stream is being captured (H23).
Status free_async(void* address, void* stream = nullptr) noexcept;

/// Makes work put into `stream` from now on begin when all that is in `earlier`
/// now has ended. It records an event and waits for it in `stream`, and the
/// pools know of that order (H52, H53). The host does not wait. Local; if
/// symmetric pools are in use, all PEs call.
/// \returns not_supported while one of the streams is being captured; internal.
Status order_after(void* stream, void* earlier) noexcept;

/// \param value int* or uint64_t*, as the attribute says.
/// \returns invalid_value for null, an unknown attribute, no pool (H56).
Status mem_pool_get_attribute(MemPool pool, MemPoolAttribute attribute,
                              void* value) noexcept;
/// For a symmetric pool, all PEs call, with equal values.
Status mem_pool_set_attribute(MemPool pool, MemPoolAttribute attribute,
                              void const* value) noexcept;

/// Gives whole unused chunks back to the system, but keeps `min_bytes_to_hold`
/// (H60-H66). Waits for this PE's kernels. Collective for a symmetric pool.
Status mem_pool_trim_to(MemPool pool, std::size_t min_bytes_to_hold) noexcept;

// Access. The GPU of a PE reaches the memory of its pools, and so do the CPUs
// if it is host memory (H41). GPUs of other PEs reach it, at other addresses,
// if the pool is symmetric or they have imported it. Local.

/// Sets from where the pool is reached at the addresses of this PE (H70). Only
/// the present access can be set; any other is refused (H72).
/// \param list  null: invalid_value, unless count is 0.
/// \returns invalid_value, with the first that cannot be set; nothing changes.
Status mem_pool_set_access(MemPool pool, MemAccessDesc const* list,
                           std::size_t count) noexcept;
/// The access that a location has (H71); for an imported pool it is known from
/// the first mem_pool_import_pointer() on.
/// \returns invalid_value for null, no pool, no such GPU (H72).
Status mem_pool_get_access(MemAccessFlags* flags, MemPool pool,
                           MemLocation const* location) noexcept;

// Local pools shared between processes of a node, PEs of this job or others
// that use this library: one process exports the pool, and then blocks of it;
// others import both. All calls are local. They return invalid_value for null,
// before initialize() and after finalize().
//
// The program must order the uses of a block. Importers may use it when its
// allocation has completed in the exporter (H89). All importers free it before
// the exporter does (H90): their frees have completed before the exporter's
// does (H92), which may be *issued* earlier, on a stream that waits for theirs
// (H93).

/// Makes a handle of a pool for other processes (H80): a file descriptor.
/// \param shared_handle int*. The caller closes the descriptor, at any time; an
///        open one keeps the memory. SCM_RIGHTS, fork() or pidfd_getfd() pass
///        it to other processes (H83).
/// \param pool  with MemPoolProperties::handle_type `type` (H81); local, not
///        imported.
/// \param flags 0 (H82).
/// \returns invalid_value, out_of_memory (H84); internal.
Status mem_pool_export_to_shareable_handle(void* shared_handle, MemPool pool,
                                           MemPoolHandleType type,
                                           unsigned flags) noexcept;

/// Imports a pool of another process, to import pointers from (H85). It does
/// not allocate and cannot be the current one (H86); mem_pool_destroy() ends
/// it. Its attributes count imported memory as used and reserved. Its memory
/// stays while there are imported blocks, whatever the exporter does, and is
/// released at the collective call of the heap after that.
/// \param shared_handle int*; the caller still closes the descriptor.
/// \param flags 0 (H82).
/// \returns invalid_value, also for a descriptor that is no pool's;
///          out_of_memory (H84); internal.
Status mem_pool_import_from_shareable_handle(MemPool* pool, void* shared_handle,
                                             MemPoolHandleType type,
                                             unsigned flags) noexcept;

/// Describes a block for mem_pool_import_pointer(). The data are no handle, and
/// may be sent by any means (H87).
/// \param address of a block of an exported pool, as its allocation has
///        returned it.
/// \returns invalid_value (H87).
Status mem_pool_export_pointer(MemPoolPtrExportData* export_data,
                               void* address) noexcept;

/// Maps an exported block into this process. It is freed once for each import,
/// by free_async() on any stream, or by free(), which waits for the kernels of
/// this PE and is no collective call then (H91).
/// \param address gets the block's address here, null on failure.
/// \param pool    imported from the pool of the block.
/// \returns invalid_value, also for data of another pool or of none;
///          out_of_memory (H88); internal.
Status mem_pool_import_pointer(
    void** address, MemPool pool,
    MemPoolPtrExportData const* export_data) noexcept;

namespace Impl {

/// Throws UsageError, OutOfMemory or SystemError with last_error(), unless the
/// call was successful.
void throw_failed(Status status);

}  // namespace Impl

/// The owner of a pool. Its functions do what those above do, and throw
/// UsageError, OutOfMemory or SystemError with the text of last_error().
class UniqueMemPool {
 public:
  /// No pool.
  UniqueMemPool() = default;
  /// mem_pool_create().
  explicit UniqueMemPool(MemPoolProperties const& properties) {
    Impl::throw_failed(mem_pool_create(&m_pool, properties));
  }
  /// Takes over an existing pool, such as an imported one.
  explicit UniqueMemPool(MemPool pool) noexcept : m_pool(pool) {}

  UniqueMemPool(UniqueMemPool&& other) noexcept : m_pool(other.release()) {}
  UniqueMemPool& operator=(UniqueMemPool&& other) noexcept {
    UniqueMemPool(std::move(other)).swap(*this);
    return *this;
  }
  UniqueMemPool(UniqueMemPool const&)            = delete;
  UniqueMemPool& operator=(UniqueMemPool const&) = delete;
  /// mem_pool_destroy(): blocks stay until they are freed (H44). All PEs must
  /// destroy a symmetric pool at the same point of their sequence of calls.
  /// Does nothing after finalize().
  ~UniqueMemPool() {
    if (m_pool.is_valid()) static_cast<void>(mem_pool_destroy(m_pool));
  }

  [[nodiscard]] MemPool get() const noexcept { return m_pool; }
  operator MemPool() const noexcept { return m_pool; }
  /// Gives up ownership; the caller must destroy the pool.
  [[nodiscard]] MemPool release() noexcept {
    return std::exchange(m_pool, MemPool());
  }
  void swap(UniqueMemPool& other) noexcept { std::swap(m_pool, other.m_pool); }

  // Attributes: MemPoolAttribute says more.

  [[nodiscard]] std::uint64_t used() const {
    return number(MemPoolAttribute::used_mem_current);
  }
  [[nodiscard]] std::uint64_t used_high() const {
    return number(MemPoolAttribute::used_mem_high);
  }
  [[nodiscard]] std::uint64_t reserved() const {
    return number(MemPoolAttribute::reserved_mem_current);
  }
  [[nodiscard]] std::uint64_t reserved_high() const {
    return number(MemPoolAttribute::reserved_mem_high);
  }
  /// Restarts the high-water marks at the current amounts.
  void restart_highs() {
    set(MemPoolAttribute::used_mem_high, std::uint64_t{0});
    set(MemPoolAttribute::reserved_mem_high, std::uint64_t{0});
  }
  [[nodiscard]] std::uint64_t release_threshold() const {
    return number(MemPoolAttribute::release_threshold);
  }
  void set_release_threshold(std::uint64_t bytes) {
    set(MemPoolAttribute::release_threshold, bytes);
  }
  /// \param policy one of the three attributes about reuse.
  [[nodiscard]] bool allows(MemPoolAttribute policy) const {
    int value = 0;
    Impl::throw_failed(mem_pool_get_attribute(m_pool, policy, &value));
    return value != 0;
  }
  void allow(MemPoolAttribute policy, bool is_allowed) {
    set(policy, int{is_allowed});
  }

  void trim_to(std::size_t min_bytes_to_hold) {
    Impl::throw_failed(mem_pool_trim_to(m_pool, min_bytes_to_hold));
  }

 private:
  [[nodiscard]] std::uint64_t number(MemPoolAttribute attribute) const {
    std::uint64_t value = 0;
    Impl::throw_failed(mem_pool_get_attribute(m_pool, attribute, &value));
    return value;
  }
  template <class Value>
  void set(MemPoolAttribute attribute, Value value) {
    Impl::throw_failed(mem_pool_set_attribute(m_pool, attribute, &value));
  }

  MemPool m_pool;
};

}  // namespace symm

#endif
