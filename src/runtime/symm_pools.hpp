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

/// Memory pools, which allocate in stream order without blocking the host or
/// the GPU. The functions mirror the stream-ordered allocators of CUDA and HIP
/// (cudaMallocAsync, hipMallocAsync, ...). Like the functions in
/// symm_memory.hpp, they return a Status, and last_error() returns the reason
/// for a failure. Codes such as H10 and P03 refer to docs/requirements.md.
///
/// A *stream* is a sequence of work: a stream of CUDA or HIP, or a Kokkos
/// execution space instance (Kokkos_SymmetricSpace_Pools.hpp declares the calls
/// that take an instance). Work enqueued on a block's stream may use the block
/// between malloc_async() and free_async() (H01). Work on another stream may
/// use the block if order_after() orders that work after the allocation and
/// before the release.
///
/// A pool is either symmetric or local:
/// - *symmetric*: the pool's memory is in the symmetric heap, and a block is at
///   the same offset on all PEs (P02). All PEs must make the same sequence of
///   calls on symmetric pools, on corresponding streams, and in the same order
///   relative to their other collective calls. The PEs do not wait for each
///   other. If the sequences differ, the next collective call fails on every PE
///   and names the first call that differs (P04). From then on, the existing
///   symmetric pools allocate nothing more (the default pools start over). Once
///   all PEs have freed these pools' blocks, heap_trim() returns the pools'
///   memory to the system. Peers may use a block after a barrier over all PEs
///   that follows the allocation in stream order. A block is reused only after
///   such a barrier has followed its release (P03): barrier_all(exec),
///   barrier(exec, team) with all PEs, or a collective heap call.
/// - *local*: the pool's memory belongs to this PE alone. Peers cannot reach
///   this memory, and other PEs need not make the same calls.
///
/// Any thread of a PE may make calls on local pools, but only one thread of a
/// PE at a time may make calls on symmetric pools. UniqueMemPool wraps the same
/// functions in a C++ interface that throws on failure.
namespace symm {

enum class MemPoolKind : std::uint32_t { symmetric, local };

/// How a pool may be shared with other processes (H42).
enum class MemPoolHandleType : std::uint32_t { none, posix_file_descriptor };

struct MemPoolProperties {
  MemPoolKind kind = MemPoolKind::symmetric;
  /// The kind of memory that the pool uses. The default is GPU memory if the
  /// PEs have devices, and host memory otherwise.
  MemoryKind memory = default_memory_kind();
  /// The handle type, for local pools only. posix_file_descriptor requires a
  /// max_bytes greater than 0, and the pool takes that many bytes from the
  /// system when it is created.
  MemPoolHandleType handle_type = MemPoolHandleType::none;
  /// Maximum number of bytes (per PE) that the pool takes from the system,
  /// rounded up to whole chunks (2 MiB); 0 means that only the heap limits the
  /// pool.
  std::size_t max_bytes = 0;

  /// Returns the kind of memory that malloc() uses. The call is local; before
  /// initialize(), it returns MemoryKind::host.
  [[nodiscard]] static MemoryKind default_memory_kind() noexcept;
};

/// A handle to a pool, passed by value. All copies refer to the same pool.
class MemPool {
 public:
  /// Creates a handle that refers to no pool.
  MemPool() = default;

  [[nodiscard]] bool is_valid() const { return m_number != 0; }
  friend bool operator==(MemPool, MemPool) = default;

  /// For use by the library only. \param number must be greater than 0.
  static MemPool make(std::uint64_t number) {
    MemPool pool;
    pool.m_number = number;
    return pool;
  }
  [[nodiscard]] std::uint64_t number() const { return m_number; }

 private:
  std::uint64_t m_number = 0;  // numbers are never reused
};

/// A place from which a pool is accessed: the CPUs, or a GPU's kernels.
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

/// Describes a block of an exported pool to other processes. The bytes are
/// valid on this node only.
struct MemPoolPtrExportData {
  std::array<std::byte, 64> bytes{};
};

enum class MemPoolAttribute : std::uint32_t {
  /// int: whether an allocation may reuse a block freed on another stream if
  /// order_after() orders the allocation's stream after that release. The
  /// initial value is 1 (H52).
  reuse_follow_event_dependencies = 1,
  /// int: whether an allocation may reuse a block freed on any other stream if
  /// that release has completed. In a local pool, the release must have
  /// completed on this PE at the time of the call; in a symmetric pool, on all
  /// PEs at their latest barrier_all(). The initial value is 1 (H54).
  reuse_allow_opportunistic = 2,
  /// int: whether an allocation that finds no other free memory may make its
  /// stream wait for other streams. In a symmetric pool, that requires a
  /// barrier over all PEs in stream order. The initial value is 1 (H55).
  reuse_allow_internal_dependencies = 3,
  /// uint64_t: bytes of unused memory to keep. The pool returns the rest to the
  /// system at the next collective heap call other than a barrier. The initial
  /// value is 0 (H50, H51).
  release_threshold = 4,
  // The following attributes are uint64_t, in bytes. A high-water mark can only
  // be set to 0, which resets it to the current amount.
  reserved_mem_current = 5,  // bytes taken from the system
  reserved_mem_high    = 6,
  used_mem_current     = 7,  // bytes allocated and not freed
  used_mem_high        = 8
};

/// Creates a pool (H40). For a symmetric pool, all PEs must make the call, but
/// they do not wait for each other.
/// \param pool receives the pool; if null, the call returns invalid_value.
/// \returns invalid_value if the properties contradict each other, or if there
///          is no heap in that kind of memory; out_of_memory; internal.
Status mem_pool_create(MemPool* pool,
                       MemPoolProperties const& properties) noexcept;

/// Destroys a pool and returns immediately. The pool's blocks remain valid
/// until they are freed; the next collective heap call after that releases the
/// pool's memory (H44). If device_set_mem_pool() had made the pool current, the
/// default pool becomes current (H45).
/// \returns invalid_value if `pool` refers to no pool, to a pool that has been
///          destroyed, or to a default pool (H46).
Status mem_pool_destroy(MemPool pool) noexcept;

/// Gets the default pool for the given kind of memory. This is a symmetric pool
/// that the program need not create. The call is local.
Status device_get_default_mem_pool(MemPool* pool, MemoryKind memory) noexcept;
/// Gets the pool that malloc_async() uses: the default pool, unless
/// device_set_mem_pool() has set another one. The call is local.
Status device_get_mem_pool(MemPool* pool, MemoryKind memory) noexcept;
/// Sets the pool that malloc_async() uses.
/// \returns invalid_value for a pool in a different kind of memory, or an
///          imported pool (H86).
Status device_set_mem_pool(MemoryKind memory, MemPool pool) noexcept;

/// Allocates from the current pool of GPU memory if the PEs have devices, and
/// otherwise from the current pool of host memory. The contents are
/// indeterminate. The call returns the address immediately; the program may use
/// the memory in stream order (H10, H11, H14). Neither the host nor the GPU
/// waits while the pool has room (P01). A symmetric pool that runs out of room
/// grows collectively, as the heap does (P05).
///
/// \param address receives the address, a multiple of 256, or null on failure.
///        If `address` itself is null, the call returns invalid_value.
/// \param bytes   if 0, `*address` becomes null.
/// \param stream a cudaStream_t or hipStream_t; null means the default stream.
///        After its last use with pools, the stream must exist until the next
///        heap_trim(), because the pools query whether its work has completed.
///        Without a GPU, `stream` must be null, and the stream order is the
///        order of the calls.
/// \returns invalid_value; not_supported while the stream is being captured
///          (H16); out_of_memory (H17); internal.
Status malloc_async(void** address, std::size_t bytes,
                    void* stream = nullptr) noexcept;

/// Like malloc_async(), but allocates from the given pool. The pool's kind of
/// memory may differ from the stream's (H30, H31).
Status malloc_from_pool_async(void** address, std::size_t bytes, MemPool pool,
                              void* stream = nullptr) noexcept;

namespace Impl {

/// Calls `allocate` and stores the resulting address in `*address`.
/// \param allocate called with the address of a void* that receives the result,
///        or with null if `address` is null.
template <class T, class Allocate>
Status allocate_as(T** address, Allocate const& allocate) noexcept {
  void* block         = nullptr;
  Status const status = allocate(address == nullptr ? nullptr : &block);
  if (address != nullptr) *address = static_cast<T*>(block);
  return status;
}

}  // namespace Impl

/// Like the malloc_async() above, but for a pointer of any type. `bytes` is a
/// number of bytes, not of elements.
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

/// Frees a block of any pool in stream order (H20). This PE must have finished
/// using the block by that point in the stream, and other PEs by the next
/// barrier after that point.
/// \param address if null, the call does nothing.
/// \returns invalid_value for an address that is not the address of a pool
///          block, or was already freed (H24); not_supported while the stream
///          is being captured (H23).
Status free_async(void* address, void* stream = nullptr) noexcept;

/// Orders two streams: work enqueued on `stream` after the call starts only
/// once all work enqueued on `earlier` before the call has completed. The call
/// records an event and makes `stream` wait for it; the pools take this order
/// into account (H52, H53). The host does not wait. The call is local, but if
/// symmetric pools are in use, all PEs must make it.
/// \returns not_supported while one of the streams is being captured; internal.
Status order_after(void* stream, void* earlier) noexcept;

/// Gets the value of a pool attribute.
/// \param value receives the value: an int* or uint64_t*, depending on the
///        attribute.
/// \returns invalid_value for a null `value`, an unknown attribute, or a handle
///          that refers to no pool (H56).
Status mem_pool_get_attribute(MemPool pool, MemPoolAttribute attribute,
                              void* value) noexcept;
/// Sets an attribute. For a symmetric pool, all PEs must make the call, with
/// the same values on every PE.
Status mem_pool_set_attribute(MemPool pool, MemPoolAttribute attribute,
                              void const* value) noexcept;

/// Returns whole unused chunks to the system, but keeps at least
/// `min_bytes_to_hold` bytes (H60-H66). The call waits for this PE's kernels.
/// For a symmetric pool, it is collective.
Status mem_pool_trim_to(MemPool pool, std::size_t min_bytes_to_hold) noexcept;

// Access to pools. A PE's GPU can access the memory in the PE's pools; the CPUs
// can access only host memory (H41). Other PEs' GPUs can access the memory, at
// other addresses, if the pool is symmetric or if those PEs have imported it.
// The functions that set and get access are local.

/// Checks which locations can access the pool at this PE's addresses (H70).
/// Access is fixed when the pool is created, so a setting that does not match
/// the current access is rejected (H72).
/// \param list  if null, the call returns invalid_value, unless `count` is 0.
/// \returns invalid_value if any access in the list cannot be set, in which
///          case nothing changes.
Status mem_pool_set_access(MemPool pool, MemAccessDesc const* list,
                           std::size_t count) noexcept;
/// Gets a location's access to the pool (H71). For an imported pool, the access
/// is known only after the first mem_pool_import_pointer().
/// \returns invalid_value for a null argument, a handle that refers to no pool,
///          or a GPU that does not exist (H72).
Status mem_pool_get_access(MemAccessFlags* flags, MemPool pool,
                           MemLocation const* location) noexcept;

// Local pools can be shared between processes on a node: PEs of this job, or
// other processes that use this library. One process exports the pool and then
// some of its blocks; other processes import the pool and the blocks. All calls
// that share pools are local. They return invalid_value for null arguments,
// before initialize() and after finalize().
//
// The program must order the uses of a shared block. Importers may use a block
// once its allocation has completed in the exporter (H89). All importers must
// free the block before the exporter does (H90): their frees must complete
// before the exporter's free does (H92). The exporter may *issue* its free
// earlier, on a stream that waits for the importers' frees (H93).

/// Creates a handle to a pool, a file descriptor, for other processes (H80).
/// \param shared_handle int* that receives the descriptor. The caller must
///        close it, and may do so at any time; an open descriptor keeps the
///        memory alive. Pass the descriptor to other processes with SCM_RIGHTS,
///        fork() or pidfd_getfd() (H83).
/// \param pool  a local pool, not an imported one, whose
///        MemPoolProperties::handle_type is `type` (H81).
/// \param flags must be 0 (H82).
/// \returns invalid_value, out_of_memory (H84); internal.
Status mem_pool_export_to_shareable_handle(void* shared_handle, MemPool pool,
                                           MemPoolHandleType type,
                                           unsigned flags) noexcept;

/// Imports a pool from another process so that its blocks can be imported
/// (H85). An imported pool cannot allocate and cannot be the current pool
/// (H86); destroy it with mem_pool_destroy(). The pool's attributes count
/// imported memory as used and reserved. The pool's memory remains valid as
/// long as imported blocks exist, no matter what the exporter does; the next
/// collective heap call after that releases it.
/// \param shared_handle int* to the descriptor, which the caller must still
///        close.
/// \param flags must be 0 (H82).
/// \returns invalid_value, including for a descriptor that does not belong to a
///          pool; out_of_memory (H84); internal.
Status mem_pool_import_from_shareable_handle(MemPool* pool, void* shared_handle,
                                             MemPoolHandleType type,
                                             unsigned flags) noexcept;

/// Describes a block for mem_pool_import_pointer(). The description is not a
/// handle, so a program may send it by any means (H87).
/// \param address a block of an exported pool, as returned by the allocation.
/// \returns invalid_value (H87).
Status mem_pool_export_pointer(MemPoolPtrExportData* export_data,
                               void* address) noexcept;

/// Maps an exported block into this process. The program must free the block
/// once for each import, with free_async() on any stream or with free(). For an
/// imported block, free() waits for this PE's kernels and is not collective
/// (H91).
/// \param address receives the block's address in this process, or null on
///        failure.
/// \param pool    the imported pool that the block belongs to.
/// \returns invalid_value, including for data from another pool or from no
///          pool; out_of_memory (H88); internal.
Status mem_pool_import_pointer(
    void** address, MemPool pool,
    MemPoolPtrExportData const* export_data) noexcept;

namespace Impl {

/// Unless `status` is success, throws UsageError, OutOfMemory or SystemError
/// with the text of last_error().
void throw_failed(Status status);

}  // namespace Impl

/// Owns a pool. The member functions do the same as the functions above, but on
/// failure they throw UsageError, OutOfMemory or SystemError with the text of
/// last_error().
class UniqueMemPool {
 public:
  /// Creates an object that owns no pool.
  UniqueMemPool() = default;
  /// Creates a pool with mem_pool_create().
  explicit UniqueMemPool(MemPoolProperties const& properties) {
    Impl::throw_failed(mem_pool_create(&m_pool, properties));
  }
  /// Takes ownership of an existing pool, such as an imported one.
  explicit UniqueMemPool(MemPool pool) noexcept : m_pool(pool) {}

  UniqueMemPool(UniqueMemPool&& other) noexcept : m_pool(other.release()) {}
  UniqueMemPool& operator=(UniqueMemPool&& other) noexcept {
    UniqueMemPool(std::move(other)).swap(*this);
    return *this;
  }
  UniqueMemPool(UniqueMemPool const&)            = delete;
  UniqueMemPool& operator=(UniqueMemPool const&) = delete;
  /// Calls mem_pool_destroy(): the pool's blocks remain valid until they are
  /// freed (H44). All PEs must destroy a symmetric pool at the same point in
  /// their sequence of calls. After finalize(), the destructor does nothing.
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

  // Pool attributes; see MemPoolAttribute.

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
  /// Resets the high-water marks to the current amounts.
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
  /// Whether `policy` allows the pool to reuse blocks. \param policy one of the
  /// three reuse_... attributes.
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
