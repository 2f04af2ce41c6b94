// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHARED_BUFFERS_HPP
#define SYMM_SHARED_BUFFERS_HPP

#include <cstddef>
#include <exception>
#include <type_traits>

#include "base/Types.hpp"
#include "shared_buffers/SharedBuffer.hpp"

/// Shares memory of the program that the symmetric heap cannot hold with peers
/// on the same node (symm::is_near): memory from cudaMalloc
/// (SharedDeviceBuffer), and from malloc or new (SharedHostBuffer). It has no
/// symmetric address, and operations on the heap do not take it; only the
/// functions of these types access it.
namespace symm {

namespace Impl {

/// The common part of SharedHostBuffer and SharedDeviceBuffer.
template <class T, MemoryKind kind>
class SharedElements {
 public:
  /// Collective: every PE passes memory of its own (GPU memory: on its own GPU,
  /// whose kernels this waits for). When it returns, every PE reaches the
  /// memory of every other PE of its node.
  ///
  /// \param data    this PE's elements, in memory of the kind; they must stay
  ///                in place until close().
  /// \param count   in elements; may differ between PEs; 0: none on this PE,
  ///                and `data` may be null.
  /// \param failure why this PE could not allocate its memory
  ///                (std::current_exception()), or null; all PEs throw its
  ///                text.
  /// \throws UsageError on every PE, if the memory of a PE is of another kind
  ///         or its first or last byte is not mapped, if the PEs' elements
  ///         differ in size, or if there are no GPUs for GPU memory.
  /// \throws SystemError on every PE, if a PE may not read a peer's memory or
  ///         cannot map it.
  SharedElements(T* data, std::size_t count,
                 std::exception_ptr const& failure = {})
      : m_core(kind, data, count, sizeof(T), failure) {}

  /// Collective: waits for the kernels of this PE, which may use GPU memory.
  /// When it returns, all PEs have closed the buffer, and the memory may be
  /// freed. The destructor waits and closes, too, but for this PE alone: free
  /// the memory after a barrier that follows the destructors of all PEs. (The
  /// effect of cudaFree on memory that is mapped elsewhere is undefined.) After
  /// finalize() a buffer can only be destroyed, which closes nothing: its
  /// mappings stay until the process ends.
  /// \throws UsageError on every PE, if it is closed or the PEs close different
  ///         buffers; nothing has changed then.
  void close() { m_core.close(); }

  /// Elements of `pe`. Local.
  /// \throws UsageError on this PE, if there is no such PE, or it is on another
  ///         node, or the buffer is closed.
  [[nodiscard]] std::size_t count(Pe pe) const { return m_core.count(pe); }

 protected:
  SharedBuffer m_core;
};

}  // namespace Impl

/// Host memory of every PE, allocated in any way (malloc, new, a View in
/// HostSpace). Peers copy to and from it by system calls (process_vm_writev,
/// process_vm_readv). It has no address in a peer's process, hence no peer(),
/// no kernels and no atomics.
///
/// \tparam T trivially copyable; const, if peers may only read it.
///
/// The system must let processes of one user reach each other's memory; the
/// constructor tests that.
template <class T>
class SharedHostBuffer : public Impl::SharedElements<T, MemoryKind::host> {
  static_assert(std::is_trivially_copyable_v<T>,
                "the elements of a shared buffer are copied as bytes: they "
                "must be trivially copyable");
  using Value = std::remove_const_t<T>;

 public:
  using Impl::SharedElements<T, MemoryKind::host>::SharedElements;

  /// Copies `count` elements to `pe`, the first to its element `dest_index`.
  /// Local.
  ///
  /// Ordering: the elements have arrived when it returns. A barrier must tell
  /// `pe` so, and another one must come before elements are overwritten that
  /// `pe` has yet to read.
  /// \param source in memory of this PE; may be null if count is 0.
  /// \throws UsageError on this PE, if there is no such PE or element, the PE
  ///         is on another node, or the buffer is closed.
  /// \throws SystemError on this PE, with the bytes copied before the system
  ///         refused the rest (the memory or the process of `pe` is gone).
  void put(std::size_t dest_index, T const* source, std::size_t count,
           Pe pe) const {
    static_assert(!std::is_const_v<T>,
                  "the elements of a SharedHostBuffer<T const> cannot be "
                  "written: there is no put");
    this->m_core.put(dest_index, source, count, pe);
  }

  /// Copies `count` elements of `pe`, from its element `source_index` on.
  /// Local; errors as of put().
  void get(Value* dest, std::size_t source_index, std::size_t count,
           Pe pe) const {
    this->m_core.get(dest, source_index, count, pe);
  }

  /// Does not compile; the error says why there is no peer().
  template <class U = T>
  U* peer(Pe /*pe*/) const {
    static_assert(!std::is_same_v<U, U>,
                  "a SharedHostBuffer has no peer(): no address leads to "
                  "another process' private memory. Use put() and get(), or a "
                  "View in symm::SymmetricHostSpace");
    return nullptr;
  }
};

template <class T>
SharedHostBuffer(T*, std::size_t, std::exception_ptr const& = {})
    -> SharedHostBuffer<T>;

/// GPU memory of every PE from cudaMalloc (a View in CudaSpace), which peers
/// map (CUDA IPC). Kernels and copies of this PE take the address that peer()
/// returns; the operations on the symmetric heap do not.
///
/// \tparam T const, if peers may only read it.
template <class T>
class SharedDeviceBuffer : public Impl::SharedElements<T, MemoryKind::device> {
 public:
  using Impl::SharedElements<T, MemoryKind::device>::SharedElements;

  /// The address of the elements of `pe` for kernels and copies of this PE;
  /// null if it has none. Valid until close(), or the destructor. Local.
  /// \throws UsageError on this PE, if there is no such PE, it is on another
  ///         node, or the buffer is closed.
  [[nodiscard]] T* peer(Pe pe) const {
    return static_cast<T*>(this->m_core.peer(pe));
  }
};

template <class T>
SharedDeviceBuffer(T*, std::size_t, std::exception_ptr const& = {})
    -> SharedDeviceBuffer<T>;

}  // namespace symm

#endif
