// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHARED_BUFFERS_HPP
#define SYMM_SHARED_BUFFERS_HPP

#include <cstddef>
#include <exception>
#include <type_traits>

#include "base/Types.hpp"
#include "shared_buffers/SharedBuffer.hpp"

/// Shared buffers give peers on the same node (symm::is_near) access to memory
/// that cannot be in the symmetric heap: memory allocated with cudaMalloc
/// (SharedDeviceBuffer), or with malloc or new (SharedHostBuffer). This memory
/// has no symmetric address, and operations on the heap do not accept it. Peers
/// access it only through the member functions of these classes.
namespace symm {

namespace Impl {

/// The common base of SharedHostBuffer and SharedDeviceBuffer.
template <class T, MemoryKind kind>
class SharedElements {
 public:
  /// Shares memory between PEs. The call is collective: every PE passes its own
  /// memory (GPU memory must be on its own GPU, and the call waits for that
  /// GPU's kernels). When the call returns, every PE can reach the memory of
  /// every other PE on the same node.
  ///
  /// \param data    this PE's elements, in memory of the buffer's kind, which
  ///        must stay in place until close().
  /// \param count   number of elements, which may differ between PEs; if 0,
  ///        this PE has no elements, and `data` may be null.
  /// \param failure the exception that kept this PE from allocating its memory
  ///        (std::current_exception()), or null. All PEs then throw an
  ///        exception with the same text.
  /// \throws UsageError on every PE if any PE's memory is not of the buffer's
  ///         kind, or if its first or last byte is not mapped; if the element
  ///         size differs between PEs; or if the buffer is for GPU memory but
  ///         there are no GPUs.
  /// \throws SystemError on every PE if any PE is not permitted to read a
  ///         peer's memory or cannot map it.
  SharedElements(T* data, std::size_t count,
                 std::exception_ptr const& failure = {})
      : m_core(kind, data, count, sizeof(T), failure) {}

  /// Closes the buffer. The call is collective and waits for this PE's kernels,
  /// which may be using GPU memory. When the call returns, all PEs have closed
  /// the buffer, and the program may free the memory. The destructor also waits
  /// and closes, but only on this PE: free the memory after a barrier that
  /// follows the destructors on all PEs. (cudaFree on memory that another
  /// process has mapped has undefined behavior.) After finalize(), a buffer can
  /// only be destroyed. The destructor then closes nothing, and the buffer's
  /// mappings remain until the process ends.
  /// \throws UsageError on every PE if the buffer is already closed or the PEs
  ///         close different buffers, in which case nothing changes.
  void close() { m_core.close(); }

  /// Returns the number of elements that `pe` shares. The call is local.
  /// \throws UsageError on this PE if `pe` is not a valid PE number, if `pe` is
  ///         on another node, or if the buffer is closed.
  [[nodiscard]] std::size_t count(Pe pe) const { return m_core.count(pe); }

 protected:
  SharedBuffer m_core;
};

}  // namespace Impl

/// Shares host memory that each PE allocated in any way (malloc, new, a View in
/// HostSpace). Peers copy to and from this memory with system calls
/// (process_vm_writev, process_vm_readv). The memory has no address in a peer's
/// process, so there is no peer(), and kernels and atomics cannot reach a
/// peer's memory.
///
/// \tparam T trivially copyable; const if peers may only read the memory.
///
/// The system must let processes of the same user access each other's memory;
/// the constructor tests whether it does.
template <class T>
class SharedHostBuffer : public Impl::SharedElements<T, MemoryKind::host> {
  static_assert(std::is_trivially_copyable_v<T>,
                "the elements of a shared buffer must be trivially "
                "copyable, because they are copied as bytes");
  using Value = std::remove_const_t<T>;

 public:
  using Impl::SharedElements<T, MemoryKind::host>::SharedElements;

  /// Copies `count` elements from `source` to `pe`, starting at element
  /// `dest_index` on `pe`. The call is local.
  ///
  /// Ordering: the elements have arrived when put() returns. Use a barrier to
  /// notify `pe` that they have arrived, and another barrier before the caller
  /// overwrites elements that `pe` may not have read yet.
  /// \param source an address in this PE's memory; may be null if `count` is 0.
  /// \throws UsageError on this PE if no such PE or element exists, if the PE
  ///         is on another node, or if the buffer is closed.
  /// \throws SystemError on this PE if the system stops the copy because the
  ///         memory or the process of `pe` no longer exists. The message gives
  ///         the number of bytes copied before the failure.
  void put(std::size_t dest_index, T const* source, std::size_t count,
           Pe pe) const {
    static_assert(!std::is_const_v<T>,
                  "a SharedHostBuffer<T const> is read-only: it has no put(). "
                  "Use a SharedHostBuffer<T>");
    this->m_core.put(dest_index, source, count, pe);
  }

  /// Copies `count` elements from `pe`, starting at element `source_index` on
  /// `pe`. The call is local; it throws the same errors as put().
  void get(Value* dest, std::size_t source_index, std::size_t count,
           Pe pe) const {
    this->m_core.get(dest, source_index, count, pe);
  }

  /// Does not compile if called; the error message says why there is no peer().
  template <class U = T>
  U* peer(Pe /*pe*/) const {
    static_assert(!std::is_same_v<U, U>,
                  "a SharedHostBuffer has no peer(): the private memory of "
                  "another process has no address in this one. Use put() and "
                  "get(), or a View in symm::SymmetricHostSpace");
    return nullptr;
  }
};

template <class T>
SharedHostBuffer(T*, std::size_t, std::exception_ptr const& = {})
    -> SharedHostBuffer<T>;

/// Shares GPU memory that each PE allocated with cudaMalloc (a View in
/// CudaSpace). Peers map this memory (CUDA IPC). Kernels and copies on this PE
/// use the address that peer() returns; operations on the symmetric heap do not
/// accept it.
///
/// \tparam T const if peers may only read the memory.
template <class T>
class SharedDeviceBuffer : public Impl::SharedElements<T, MemoryKind::device> {
 public:
  using Impl::SharedElements<T, MemoryKind::device>::SharedElements;

  /// Returns the address of the elements that `pe` shares, for kernels and
  /// copies on this PE; null if `pe` has no elements. The address is valid
  /// until close() or the destructor. The call is local.
  /// \throws UsageError on this PE if `pe` is not a valid PE number, if `pe` is
  ///         on another node, or if the buffer is closed.
  [[nodiscard]] T* peer(Pe pe) const {
    return static_cast<T*>(this->m_core.peer(pe));
  }
};

template <class T>
SharedDeviceBuffer(T*, std::size_t, std::exception_ptr const& = {})
    -> SharedDeviceBuffer<T>;

}  // namespace symm

#endif
