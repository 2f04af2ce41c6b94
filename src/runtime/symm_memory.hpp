// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_HPP
#define SYMM_MEMORY_HPP

#include <cstddef>
#include <type_traits>

#include "base/Types.hpp"

/// Memory by the C-like functions of the OpenSHMEM and NVSHMEM documents.
/// Unlike most functions of this library they do not throw: they return null or
/// a Status, and last_error() says why. Codes such as M06 and B01 are those of
/// docs/requirements.md.
///
/// All PEs call collective functions in the same order and with equal
/// arguments, by one thread of each. If the arguments differ or any PE cannot
/// do its part, the call fails on every PE, last_error() names PEs and values,
/// and the heap is as before (M27-M30, M34, M48). If a second thread of a PE
/// calls meanwhile, only its call fails, and at once.
namespace symm {

namespace Impl {

/// For functions that are templates but are called without a type.
template <class T>
concept NoType = std::is_void_v<T>;

}  // namespace Impl

/// Why this thread's latest call of a function here or in symm_pools.hpp has
/// failed; "" if it has not. Valid until the next such call.
[[nodiscard]] char const* last_error() noexcept;

// Symmetric memory: all PEs allocate together, at the same offset of their
// parts of the heap, and every PE reaches every copy. The heap is the one in
// GPU memory if the PEs have devices, else the one in host memory; functions
// that take an address find its heap.
//
// The functions with names of C's are templates, so that they do not clash with
// those after `using namespace symm`: an unqualified malloc() is C's there.
// They take bytes, and no type.

/// Allocates `bytes` on every PE; contents are indeterminate. Collective, with
/// a barrier on exit: every PE has the block when the call returns on any PE,
/// so a put may follow at once (M22, M26).
/// \param bytes 0: null, without a barrier (M06-M08).
/// \returns the symmetric address of this PE's copy, a multiple of 16 (M03,
///          M04); null on every PE on failure.
template <Impl::NoType T = void>
[[nodiscard]] void* malloc(std::size_t bytes) noexcept;

/// As malloc().
/// \param alignment of the address, in bytes: a power of two, a multiple of
///        sizeof(void*), at most 1 GiB (M09-M14).
[[nodiscard]] void* align(std::size_t alignment, std::size_t bytes) noexcept;

/// As malloc(), all bits zero on every PE when it returns on any (C01-C15).
/// \param count, size number of objects and bytes of each; if either is 0,
///        null without a barrier.
template <Impl::NoType T = void>
[[nodiscard]] void* calloc(std::size_t count, std::size_t size) noexcept;

// Hints of malloc_with_hints(), to be combined by |.
inline constexpr long malloc_atomics_remote = 1;
inline constexpr long malloc_signal_remote  = 2;

/// malloc() for programs that say how they use the memory
/// (shmem_malloc_with_hints).
/// \param hints do not matter: atomics and signals reach all symmetric memory
///        alike. They may differ between PEs.
[[nodiscard]] inline void* malloc_with_hints(
    std::size_t bytes, [[maybe_unused]] long hints) noexcept {
  return symm::malloc(bytes);
}

/// Changes the size of a block, which may move; its contents up to the smaller
/// size are kept (S01-S10). Collective.
/// \param address null: as malloc(bytes).
/// \param bytes   0: as free(address), and null.
/// \returns as malloc(); null on failure, and the block is unchanged.
template <Impl::NoType T = void>
[[nodiscard]] void* realloc(void* address, std::size_t bytes) noexcept;

/// Frees a block. Collective, with a barrier on entry: no PE's copy is reused
/// before all PEs have called (M24). It fails if no function above has returned
/// `address`, or it was freed already, or belongs to a View. Nothing is freed
/// then; the reason is printed on stderr, too, since nothing is returned.
/// \param address null: does nothing, without a barrier (M16, M17).
template <Impl::NoType T = void>
void free(void* address) noexcept;

/// The address of PE `pe`'s copy of the object at the symmetric address
/// `address`, for loads and stores of this process (shmem_ptr). Local.
/// \returns null if `address` is not in the heap, there is no such PE, or loads
///          and stores do not reach it (is_near()).
[[nodiscard]] void* ptr(void const* address, Pe pe) noexcept;

/// The same for a typed pointer.
template <class T>
[[nodiscard]] T* ptr(T* address, Pe pe) noexcept {
  return static_cast<T*>(ptr(static_cast<void const*>(address), pe));
}

// Registration of the program's own memory: nvshmemx_buffer_register and its
// siblings.

/// The result of functions that return no address; the numbers are NVSHMEM's.
// clang-format off
enum class [[nodiscard]] Status : int {
  success       = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_supported = 3,
  internal      = 7,  // the system or the driver has refused
};
// clang-format on

// Local operands: this PE's kernels read and write the buffer, as the source of
// a put or the destination of a get. Registration is needed for host memory
// that kernels use; for other memory it does nothing, or is refused (below).

/// Registers [address, address + bytes), page-locking host memory for the GPU
/// where there is one (B02). Local: one PE alone may call (B18), on any thread.
///
/// The buffer must be unregistered before it is freed (B08). Peers do not reach
/// it (B05): see buffer_register_symmetric(). One operation may span several
/// adjacent registered buffers (B06).
///
/// \param bytes above 0; may be more than 2 GiB (B17).
/// \returns invalid_value for null and 0 bytes (B19), managed memory (B07),
///          memory of a symmetric heap (B03), memory that is not mapped (if
///          CUDA knows both ends, the range between is not checked), an overlap
///          with a registered buffer (B09), and before initialize() and after
///          finalize(). out_of_memory (B10), internal (B11).
Status buffer_register(void* address, std::size_t bytes) noexcept;

/// Ends the registration of the buffer that starts at `address` (B12). Local.
/// \returns invalid_value if none does (B13, B14); internal.
Status buffer_unregister(void* address) noexcept;

/// Ends all registrations by buffer_register() and register_view() of this PE;
/// symmetric ones stay (B15, B16). Local. A failure is printed on stderr, too,
/// since nothing is returned.
void buffer_unregister_all() noexcept;

// Symmetric memory: every PE passes a buffer of its own, and all PEs reach all
// of them.

/// Makes an allocation of virtual memory management part of the symmetric heap
/// in memory of its kind. The same physical memory is then at the returned
/// symmetric address, too, and stays at the program's own address (R01-R03).
/// Collective, with a barrier on exit.
///
/// \param buffer start of one such allocation that can be shared, on this PE's
///        GPU or the host (R05, R06, R15): made by symm::make_registrable_view,
///        or by the program itself with the cuMem* functions.
/// \param bytes  size of the whole allocation, equal on all PEs: a multiple of
///        2 MiB, for a registrable View its bytes rounded up to that (R12).
/// \param flags  0 (R04).
/// \returns the symmetric address, for put, get, atomics, signals, collectives
///          and ptr() (R01, R02); null on every PE on failure, and nothing is
///          mapped on any (R13).
[[nodiscard]] void* buffer_register_symmetric(void* buffer, std::size_t bytes,
                                              int flags) noexcept;

/// Takes it out of the heap again: the symmetric address becomes invalid, the
/// program's own stays (R18). Collective, with a barrier on entry and exit.
/// \param address as buffer_register_symmetric() has returned it.
/// \param bytes   as passed to that.
/// \returns invalid_value on every PE, if on any PE `address` or `bytes` are
///          not those of a registration (R19, R20), and nothing changes;
///          internal (R21).
Status buffer_unregister_symmetric(void* address, std::size_t bytes) noexcept;

}  // namespace symm

#endif
