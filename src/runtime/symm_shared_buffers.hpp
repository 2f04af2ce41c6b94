// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHARED_BUFFERS_HPP
#define SYMM_SHARED_BUFFERS_HPP

#include <cstddef>
#include <exception>
#include <type_traits>

#include "base/Types.hpp"
#include "job/SharedBuffer.hpp"

/// Memory of the program that the symmetric heap cannot hold, for peers on the
/// same node (symm::is_reachable): what
/// cudaMalloc gave (SharedDeviceBuffer) and what malloc or new gave
/// (SharedHostBuffer). It has no symmetric address and is no operand of the
/// operations on the heap; each type has what can be done with it, and nothing
/// else compiles.
namespace symm {

namespace Impl {

/// What SharedHostBuffer and SharedDeviceBuffer have alike.
template <class T, MemoryKind kind>
class SharedElements {
 public:
  /// Collective: every PE passes memory of its own (on a GPU: on its own, and
  /// its kernels are waited for). When it returns, every PE reaches every
  /// other's.
  ///
  /// \param data    this PE's elements, in memory of the kind; they stay in
  ///                place until close().
  /// \param count   in elements; may differ between PEs; 0: none on this PE,
  ///                and `data` may be null.
  /// \param failure why this PE has none, if it was to have some
  ///                (std::current_exception()); all PEs throw its text.
  /// \throws UsageError on every PE: memory of another kind on a PE, or whose
  ///         first or last byte is not there; elements of different sizes; no
  ///         GPUs for GPU memory.
  /// \throws SystemError on every PE, if a PE may not read a peer's memory or
  ///         cannot map it.
  SharedElements(T* data, std::size_t count,
                 std::exception_ptr const& failure = {})
      : m_core(kind, data, count, sizeof(T), failure) {}

  /// Collective: waits for the kernels of this PE that may use GPU memory; all
  /// PEs have closed it when it returns, and the memory may be freed. The
  /// destructor waits and closes it, too, for this PE alone: free the memory
  /// when all PEs have destroyed theirs, behind a barrier. (What cudaFree does
  /// to memory that is mapped elsewhere is undefined.) After finalize() a
  /// buffer can only be destroyed, which closes nothing: what is open then
  /// stays so until the process ends. \throws UsageError on every PE, if it is
  /// closed or the PEs close different
  ///         ones; nothing has changed then.
  void close() { m_core.close(); }

  /// Elements of `pe`. Local.
  /// \throws UsageError on this PE, if there is no such PE, or it is on another
  ///         node, or the buffer is closed.
  [[nodiscard]] std::size_t count(Pe pe) const { return m_core.count(pe); }

 protected:
  SharedBuffer m_core;
};

}  // namespace Impl

/// Host memory of every PE that the program has from wherever it likes (malloc,
/// new, a View in HostSpace): peers copy to and from it, through the system
/// (process_vm_writev, process_vm_readv). There is no address of a peer's
/// memory, hence no peer(), no kernels and no atomics.
///
/// \tparam T trivially copyable; const, if it is only to be read by peers.
///
/// The system must let processes of one user reach each other's memory, which
/// the constructor tries out.
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
  /// Ordering: the elements are there when it returns. A barrier is what tells
  /// `pe` so; another one is needed before elements that `pe` has yet to read
  /// are overwritten.
  /// \param source of this PE; null if count is 0.
  /// \throws UsageError on this PE, if there is no such PE or element, or it is
  ///         closed.
  /// \throws SystemError on this PE, with what was copied before the system
  ///         refused the rest (the memory or the process of `pe` is gone).
  void put(std::size_t dest_index, T const* source, std::size_t count,
           Pe pe) const {
    static_assert(!std::is_const_v<T>,
                  "the elements of a SharedHostBuffer<T const> cannot be "
                  "written: there is no put");
    this->m_core.put(dest_index, source, count, pe);
  }

  /// Copies `count` elements of `pe`, from its element `source_index` on.
  /// Local; as put(), the other way round.
  void get(Value* dest, std::size_t source_index, std::size_t count,
           Pe pe) const {
    this->m_core.get(dest, source_index, count, pe);
  }

  /// Does not compile: says why there is none.
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

/// GPU memory of every PE that cudaMalloc has made (a View in CudaSpace): peers
/// map it (CUDA IPC). Kernels and copies of this PE take the address that
/// peer() gives; the operations on the symmetric heap do not.
///
/// \tparam T const, if it is only to be read by peers.
template <class T>
class SharedDeviceBuffer : public Impl::SharedElements<T, MemoryKind::device> {
 public:
  using Impl::SharedElements<T, MemoryKind::device>::SharedElements;

  /// Where the elements of `pe` are for kernels and copies of this PE; null if
  /// it has none. Valid until close(), or the destructor. Local.
  /// \throws UsageError on this PE, if there is no such PE, or it is closed.
  [[nodiscard]] T* peer(Pe pe) const {
    return static_cast<T*>(this->m_core.peer(pe));
  }
};

template <class T>
SharedDeviceBuffer(T*, std::size_t, std::exception_ptr const& = {})
    -> SharedDeviceBuffer<T>;

}  // namespace symm

#endif
