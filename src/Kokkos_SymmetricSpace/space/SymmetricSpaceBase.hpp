// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SYMMETRIC_SPACE_BASE_HPP
#define SYMM_SYMMETRIC_SPACE_BASE_HPP

#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../../runtime/base/Types.hpp"
#include "../../runtime/symm_pools.hpp"
#include "ExecutionSpaceStream.hpp"

namespace symm {

/// How the end of a View's last copy frees its memory.
enum class Deallocate {
  /// Local. The block is reused once all PEs have destroyed their View, in any
  /// order; later allocations find out.
  retire,
  /// Collective, with a barrier of all PEs, which must destroy their Views in
  /// the same order. The memory is free at once. (If the orders differ: a
  /// message on stderr, then as retire.)
  collective
};

namespace Impl {

/// Tag: makes a space that allocates only headers of Views, in private memory
/// of this PE. Their data are elsewhere (register_symmetric_view()). Local.
struct HeadersOnly {};

/// The common part of all symmetric spaces, which differ in the kind of memory.
///
/// Constructing a View that allocates is collective: all PEs, with equal
/// extents, in the same order as their other collective calls. Afterwards every
/// PE reaches every PE's copy through global_view() and peer_view(). Copying
/// and, by default, destroying a View is local. Kernels, subview,
/// deep_copy, resize and mirrors work on these Views as on any other.
///
/// When a constructor returns on any PE, every PE has the memory, and has
/// filled it unless WithoutInitializing: a put may follow at once. This holds
/// with an execution space instance, too: the constructor waits for its fill.
///
/// resize, realloc, and create_mirror without a space (pass Kokkos::HostSpace{}
/// for a private mirror) are collective, too, since they allocate. resize()
/// copies the old elements, and realloc() to unchanged extents fills them,
/// without a barrier afterwards: call barrier_all() before the first put.
class SymmetricSpaceBase {
 public:
  using size_type = std::size_t;

  /// Called by Kokkos. Collective.
  /// \param label         of the View.
  /// \param bytes         to allocate, Kokkos' header included.
  /// \param logical_bytes of the View's data, which start 256-byte aligned
  ///        after the header, and are what messages show.
  /// \throws OutOfMemory, UsageError, SystemError on every PE; UsageError on
  ///         this PE before initialize() and after finalize().
  void* allocate(char const* label, std::size_t bytes,
                 std::size_t logical_bytes) const;
  /// In a pool: allocates in the order of `exec`, without waiting. This is not
  /// collective, but all PEs make the same calls (symm_pools.hpp).
  template <class ExecutionSpace>
  void* allocate(ExecutionSpace const& exec, char const* label,
                 std::size_t bytes, std::size_t logical_bytes) const {
    if (!has_pool()) return allocate(label, bytes, logical_bytes);
    void* const address =
        allocate_in_pool(stream_of(exec), label, bytes, logical_bytes);
    if constexpr (!runs_on_host_v<ExecutionSpace>) {
      // Kokkos is about to write the header on the host, while kernels may
      // still use the block as it was before.
      if (m_kind == MemoryKind::host) {
        exec.fence("symm: the header of a View in host memory");
      }
    }
    return address;
  }

  /// Called by Kokkos. Waits for kernels that may use the memory, then frees it
  /// as Deallocate says. In a pool: frees it in the order of the stream that it
  /// was allocated on, without waiting. After finalize() it leaves the memory
  /// alone.
  void deallocate(char const* label, void* address, std::size_t bytes,
                  std::size_t logical_bytes = 0) const noexcept;
  void deallocate(void* address, std::size_t bytes) const noexcept {
    deallocate("[unlabeled]", address, bytes);
  }

  [[nodiscard]] bool has_pool() const { return m_pool.has_value(); }

 protected:
  /// \throws OutOfMemory on this PE: the View has too many bytes to address.
  [[noreturn]] static void throw_too_large(char const* label);
  static void finish_view(MemoryKind kind, char const* label,
                          std::exception_ptr const& failure);

  SymmetricSpaceBase(MemoryKind kind, char const* name, Deallocate deallocate)
      : m_kind(kind), m_deallocate(deallocate), m_name(name) {}
  SymmetricSpaceBase(MemoryKind kind, char const* name, MemPool pool)
      : m_kind(kind), m_pool(pool), m_name(name) {}
  SymmetricSpaceBase(MemoryKind kind, char const* name, HeadersOnly)
      : m_kind(kind), m_has_headers_only(true), m_name(name) {}
  ~SymmetricSpaceBase()                                    = default;
  SymmetricSpaceBase(SymmetricSpaceBase const&)            = default;
  SymmetricSpaceBase& operator=(SymmetricSpaceBase const&) = default;

 private:
  void* allocate_in_pool(StreamName const& stream, char const* label,
                         std::size_t bytes, std::size_t logical_bytes) const;
  void* tell_tools(char const* label, void* address, std::size_t bytes,
                   std::size_t logical_bytes) const;

  MemoryKind m_kind;
  Deallocate m_deallocate = Deallocate::retire;
  std::optional<MemPool> m_pool;  // may hold "no pool": allocation fails
  bool m_has_headers_only = false;
  char const* m_name;
};

/// The members that Kokkos asks for, in one kind of memory.
/// \tparam Space the class that derives from this one; has a name().
template <class Space, class ExecutionSpace, MemoryKind kind>
class SymmetricSpaceIn : public SymmetricSpaceBase {
 public:
  using memory_space    = Space;
  using execution_space = ExecutionSpace;
  using device_type     = Kokkos::Device<execution_space, memory_space>;

  static constexpr MemoryKind memory_kind = kind;

  /// Called by Kokkos, too. In a pool: allocates in the order of the default
  /// instance, for which Kokkos waits.
  void* allocate(char const* label, std::size_t bytes,
                 std::size_t logical_bytes) const {
    if (has_pool()) {
      return allocate(execution_space(), label, bytes, logical_bytes);
    }
    return SymmetricSpaceBase::allocate(label, bytes, logical_bytes);
  }
  void* allocate(char const* label, std::size_t bytes) const {
    return allocate(label, bytes, bytes);
  }
  void* allocate(std::size_t bytes) const {
    return allocate("[unlabeled]", bytes);
  }
  using SymmetricSpaceBase::allocate;

  SymmetricSpaceIn() : SymmetricSpaceIn(Deallocate::retire) {}
  explicit SymmetricSpaceIn(Deallocate deallocate)
      : SymmetricSpaceBase(kind, Space::name(), deallocate) {}
  /// Its Views live in `pool`, which must be in memory of this kind. They are
  /// constructed with an execution space instance, and destroyed, in the order
  /// of that instance, without waiting. (Except: in host memory, construction
  /// in the order of a GPU's instance waits for it, since Kokkos writes the
  /// header of the View on the host.)
  ///
  ///     Kokkos::View<double*, symm::SymmetricSpace> t(
  ///         Kokkos::view_alloc(exec, symm::SymmetricSpace(pool), "t"), n);
  explicit SymmetricSpaceIn(MemPool pool)
      : SymmetricSpaceBase(kind, Space::name(), pool) {}
  explicit SymmetricSpaceIn(HeadersOnly tag)
      : SymmetricSpaceBase(kind, Space::name(), tag) {}

  /// Called when Kokkos has filled a View. Collective, with a barrier on exit.
  /// \param failure why this PE has not filled it, or null; all PEs throw it.
  static void finish_view(char const* label,
                          std::exception_ptr const& failure) {
    SymmetricSpaceBase::finish_view(kind, label, failure);
  }
  using SymmetricSpaceBase::throw_too_large;
};

}  // namespace Impl

/// Whether Views of a memory space live in the symmetric heap.
template <class MemorySpace>
inline constexpr bool is_symmetric_space_v =
    std::is_base_of_v<Impl::SymmetricSpaceBase, MemorySpace>;

}  // namespace symm

#endif
