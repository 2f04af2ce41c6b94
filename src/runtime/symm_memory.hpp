// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_HPP
#define SYMM_MEMORY_HPP

#include <cstddef>
#include <type_traits>

#include "base/Types.hpp"

/// The C-style memory functions of OpenSHMEM and NVSHMEM. Unlike most functions
/// of this library, they do not throw: they return null or a Status, and
/// last_error() returns the reason for a failure. Codes such as M06 and B01
/// refer to docs/requirements.md.
///
/// All PEs must call collective functions in the same order and with the same
/// arguments, each PE from a single thread. If the arguments differ or any PE
/// cannot complete its part, the call fails on every PE. last_error() then
/// names the PEs and the values, and the heap is unchanged (M27-M30, M34, M48).
/// If a second thread of a PE makes a collective call in the meantime, only
/// that thread's call fails, and it fails immediately.
namespace symm {

namespace Impl {

/// Satisfied only by void. Constrains function templates that are called
/// without a template argument, so T keeps its default, void.
template <class T>
concept NoType = std::is_void_v<T>;

}  // namespace Impl

/// Returns the reason why this thread's latest call to a function in this
/// header or in symm_pools.hpp failed; "" if it did not fail. The text is valid
/// until this thread's next such call.
[[nodiscard]] char const* last_error() noexcept;

// Symmetric memory. All PEs allocate collectively, at the same offset in their
// parts of the heap, and every PE can reach every copy. Memory comes from the
// heap in GPU memory if the PEs have devices, and otherwise from the heap in
// host memory. Functions that take an address find the heap that contains it.
//
// The functions named after C functions are templates so that their names do
// not clash after `using namespace symm`: an unqualified malloc() then still
// calls C's function. Callers pass a number of bytes and no template argument.

/// Allocates `bytes` bytes on every PE; the contents are indeterminate. The
/// call is collective, with a barrier on exit: every PE has the block when the
/// call returns on any PE, so a put may follow immediately (M22, M26).
/// \param bytes if 0, the call returns null, without a barrier (M06-M08).
/// \returns the symmetric address of this PE's copy, a multiple of 16 (M03,
///          M04); null on every PE on failure.
template <Impl::NoType T = void>
[[nodiscard]] void* malloc(std::size_t bytes) noexcept;

/// Allocates like malloc(), at an aligned address.
/// \param alignment in bytes: a power of two, a multiple of sizeof(void*), and
///        at most 1 GiB (M09-M14).
[[nodiscard]] void* align(std::size_t alignment, std::size_t bytes) noexcept;

/// Allocates like malloc() and zeroes the block: when the call returns on any
/// PE, all bits of the block are zero on every PE (C01-C15).
/// \param count, size number of objects and size of each in bytes; if either is
///        0, the call returns null, without a barrier.
template <Impl::NoType T = void>
[[nodiscard]] void* calloc(std::size_t count, std::size_t size) noexcept;

// Hints for malloc_with_hints(). Combine them with |.
inline constexpr long malloc_atomics_remote = 1;
inline constexpr long malloc_signal_remote  = 2;

/// Same as malloc(), for programs that pass hints about how they use the memory
/// (shmem_malloc_with_hints).
/// \param hints have no effect: atomics and signals work equally well in all
///        symmetric memory. Hints may differ between PEs.
[[nodiscard]] inline void* malloc_with_hints(
    std::size_t bytes, [[maybe_unused]] long hints) noexcept {
  return symm::malloc(bytes);
}

/// Changes the size of a block, which may move. The contents are preserved up
/// to the smaller of the old and new sizes (S01-S10). The call is collective.
/// \param address if null, the call acts like malloc(bytes).
/// \param bytes   if 0, the call acts like free(address) and returns null.
/// \returns the same as malloc(); null on failure, which leaves the block
///          unchanged.
template <Impl::NoType T = void>
[[nodiscard]] void* realloc(void* address, std::size_t bytes) noexcept;

/// Frees a block. The call is collective, with a barrier on entry: no PE's copy
/// is reused before all PEs have called free() (M24). The call fails if none of
/// the functions above returned `address`, or if `address` was already freed or
/// belongs to a View. A failed call frees nothing. Since free() returns no
/// value, a failed call also prints the reason to stderr.
/// \param address if null, the call does nothing, without a barrier (M16, M17).
template <Impl::NoType T = void>
void free(void* address) noexcept;

/// Returns the address of PE `pe`'s copy of the object at the symmetric address
/// `address`, for loads and stores by this process (shmem_ptr). The call is
/// local.
/// \returns null if `address` is not in the heap, if `pe` is not a valid PE
///          number, or if loads and stores cannot reach PE `pe` (see
///          is_near()).
[[nodiscard]] void* ptr(void const* address, Pe pe) noexcept;

/// ptr() for a typed pointer.
template <class T>
[[nodiscard]] T* ptr(T* address, Pe pe) noexcept {
  return static_cast<T*>(ptr(static_cast<void const*>(address), pe));
}

// Registration of the program's own memory: nvshmemx_buffer_register and
// related functions.

/// The result of functions that do not return an address, with the same values
/// as in NVSHMEM.
// clang-format off
enum class [[nodiscard]] Status : int {
  success       = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_supported = 3,
  internal      = 7,  // a call to the system or the driver failed
};
// clang-format on

// Local operands. Kernels on this PE can use a registered buffer as the source
// of a put or the destination of a get. Host memory must be registered before
// kernels use it. For other memory, registration has no effect or is rejected
// (see buffer_register()).

/// Registers the buffer [address, address + bytes). Page-locks host memory if
/// this PE has a GPU (B02). The call is local: a single PE may make it (B18),
/// from any thread.
///
/// The program must unregister the buffer before freeing it (B08). Peers cannot
/// reach a registered buffer (B05); for that, see buffer_register_symmetric().
/// One operation may span several adjacent registered buffers (B06).
///
/// \param bytes must be greater than 0; may exceed 2 GiB (B17).
/// \returns invalid_value for null or 0 bytes (B19), managed memory (B07),
///          memory in a symmetric heap (B03), memory that is not mapped, an
///          overlap with a registered buffer (B09), and before initialize() and
///          after finalize(); out_of_memory (B10); internal (B11). (If CUDA
///          knows both ends of the buffer, the call does not check whether
///          everything in between is mapped.)
Status buffer_register(void* address, std::size_t bytes) noexcept;

/// Ends the registration of the buffer that starts at `address` (B12). The call
/// is local.
/// \returns invalid_value if no registered buffer starts there (B13, B14);
///          internal.
Status buffer_unregister(void* address) noexcept;

/// Ends all registrations that this PE made with buffer_register() and
/// register_view(); symmetric registrations remain (B15, B16). The call is
/// local. Since it returns no value, it also prints any failure to stderr.
void buffer_unregister_all() noexcept;

// Registration of symmetric memory. Every PE passes its own buffer, and all PEs
// can reach all of these buffers.

/// Adds an allocation made with CUDA's virtual memory management API to the
/// symmetric heap in the same kind of memory. The physical memory is then also
/// mapped at the returned symmetric address, and stays mapped at the program's
/// own address (R01-R03). The call is collective, with a barrier on exit.
///
/// \param buffer start of one such shareable allocation, on this PE's GPU or on
///        the host (R05, R06, R15). The allocation must come from
///        symm::make_registrable_view, or from the program's own calls to the
///        cuMem* functions.
/// \param bytes  size of the whole allocation, the same on all PEs: a multiple
///        of 2 MiB; for a registrable View, the View's bytes rounded up to a
///        multiple of 2 MiB (R12).
/// \param flags  must be 0 (R04).
/// \returns the symmetric address, for put, get, atomics, signals, collectives
///          and ptr() (R01, R02); null on every PE on failure, in which case
///          nothing is mapped on any PE (R13).
[[nodiscard]] void* buffer_register_symmetric(void* buffer, std::size_t bytes,
                                              int flags) noexcept;

/// Removes the buffer from the heap. The symmetric address becomes invalid; the
/// program's own address remains valid (R18). The call is collective, with a
/// barrier on entry and exit.
/// \param address as returned by buffer_register_symmetric().
/// \param bytes   as passed to buffer_register_symmetric().
/// \returns invalid_value on every PE if any PE's `address` or `bytes` does not
///          match a registration (R19, R20), in which case nothing changes;
///          internal (R21).
Status buffer_unregister_symmetric(void* address, std::size_t bytes) noexcept;

}  // namespace symm

#endif
