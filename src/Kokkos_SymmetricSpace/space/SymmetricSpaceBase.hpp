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

/// How a View's memory is freed when the last copy of the View is destroyed.
enum class Deallocate {
  /// Local. The block can be reused once all PEs have destroyed their Views, in
  /// any order; later allocations detect this.
  retire,
  /// Collective, with a barrier over all PEs. All PEs must destroy their Views
  /// in the same order. The memory is free when the destructor returns. (If the
  /// orders differ, a message is printed to stderr, and the memory is freed as
  /// with `retire`.)
  collective
};

namespace Impl {

/// Tag for a space that allocates only View headers, in this PE's private
/// memory. The elements are elsewhere (register_symmetric_view()). Allocation
/// is local.
struct HeadersOnly {};

/// The base class of all symmetric spaces, which differ in their kind of
/// memory.
///
/// Constructing a View that allocates is collective: all PEs construct it with
/// equal extents, in the same order relative to their other collective calls.
/// Afterward, every PE can access every PE's copy through global_view() and
/// peer_view(). Copying a View is local. By default, destroying a View is
/// local, too. Kernels, subview, deep_copy, resize and mirrors work on these
/// Views as on any others.
///
/// When a constructor returns on any PE, every PE has allocated and filled the
/// memory (unless WithoutInitializing is passed). A put may follow immediately.
/// This holds even with an execution space instance: the constructor waits for
/// the fill.
///
/// Calls that allocate are collective, too: resize, realloc, and create_mirror
/// without a space (pass Kokkos::HostSpace{} for a private mirror). After
/// resize() has copied the old elements, or realloc() has filled a View with
/// unchanged extents, there is no barrier: call barrier_all() before the first
/// put.
class SymmetricSpaceBase {
 public:
  using size_type = std::size_t;

  /// Called by Kokkos. Collective.
  /// \param label         the View's label.
  /// \param bytes         number of bytes to allocate, including Kokkos'
  ///        header.
  /// \param logical_bytes number of bytes in the View's elements, which follow
  ///        the header and are aligned to 256 bytes.
  /// \throws OutOfMemory, UsageError, SystemError on every PE. UsageError on
  ///         this PE before initialize() and after finalize().
  void* allocate(char const* label, std::size_t bytes,
                 std::size_t logical_bytes) const;
  /// Also called by Kokkos. With a pool, allocates in stream order on `exec`,
  /// normally without waiting (see SymmetricSpaceIn(MemPool)). This is not
  /// collective, but all PEs must make the same calls on a symmetric pool
  /// (symm_pools.hpp).
  template <class ExecutionSpace>
  void* allocate(ExecutionSpace const& exec, char const* label,
                 std::size_t bytes, std::size_t logical_bytes) const {
    if (!has_pool()) return allocate(label, bytes, logical_bytes);
    void* const address =
        allocate_in_pool(stream_of(exec), label, bytes, logical_bytes);
    if constexpr (!runs_on_host_v<ExecutionSpace>) {
      // Next, Kokkos writes the header on the host. Earlier kernels may still
      // be using the block.
      if (m_kind == MemoryKind::host) {
        exec.fence("symm: the header of a View in host memory");
      }
    }
    return address;
  }

  /// Called by Kokkos. Waits for any kernels that may still use the memory,
  /// then frees the memory as `Deallocate` specifies. Memory from a pool is
  /// freed without waiting, in stream order, on the stream that allocated it.
  /// Does nothing after finalize().
  void deallocate(char const* label, void* address, std::size_t bytes,
                  std::size_t logical_bytes = 0) const noexcept;
  void deallocate(void* address, std::size_t bytes) const noexcept {
    deallocate("[unlabeled]", address, bytes);
  }

  [[nodiscard]] bool has_pool() const { return m_pool.has_value(); }

 protected:
  /// \throws OutOfMemory on this PE because the View has too many bytes to
  ///         address.
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
  std::optional<MemPool> m_pool;  // if not valid, allocations fail
  bool m_has_headers_only = false;
  char const* m_name;
};

/// The members that Kokkos requires, for one kind of memory.
/// \tparam Space the derived class, which must have a static function name().
template <class Space, class ExecutionSpace, MemoryKind kind>
class SymmetricSpaceIn : public SymmetricSpaceBase {
 public:
  using memory_space    = Space;
  using execution_space = ExecutionSpace;
  using device_type     = Kokkos::Device<execution_space, memory_space>;

  static constexpr MemoryKind memory_kind = kind;

  /// Also called by Kokkos. With a pool, allocates in stream order on the
  /// default instance; Kokkos then waits for that instance.
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
  /// Views in this space are allocated from `pool`, which must be in this kind
  /// of memory. They are constructed and destroyed in stream order on an
  /// execution space instance, without waiting. (Exception: constructing a View
  /// in host memory with a GPU instance waits for the instance, because Kokkos
  /// writes the View's header on the host.)
  ///
  ///     Kokkos::View<double*, symm::SymmetricSpace> t(
  ///         Kokkos::view_alloc(exec, symm::SymmetricSpace(pool), "t"), n);
  explicit SymmetricSpaceIn(MemPool pool)
      : SymmetricSpaceBase(kind, Space::name(), pool) {}
  explicit SymmetricSpaceIn(HeadersOnly tag)
      : SymmetricSpaceBase(kind, Space::name(), tag) {}

  /// Called once Kokkos has filled a View. Collective, with a barrier on exit.
  /// \param failure the reason why this PE could not fill the View, or null. If
  ///        any PE passes a failure, all PEs throw it.
  static void finish_view(char const* label,
                          std::exception_ptr const& failure) {
    SymmetricSpaceBase::finish_view(kind, label, failure);
  }
  using SymmetricSpaceBase::throw_too_large;
};

}  // namespace Impl

/// Whether a memory space's Views are in the symmetric heap.
template <class MemorySpace>
inline constexpr bool is_symmetric_space_v =
    std::is_base_of_v<Impl::SymmetricSpaceBase, MemorySpace>;

}  // namespace symm

#endif
