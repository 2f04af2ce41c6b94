// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_REGISTRATION_HPP
#define SYMM_REGISTRATION_HPP

#include <cstddef>

#include "../base/LastError.hpp"

/// Registration of the program's own memory, by the functions of the NVSHMEM
/// document (nvshmemx_buffer_register and its siblings). last_error() says why
/// one has failed. Codes such as B01 are those of docs/requirements.md.
namespace symm {

/// What the functions that have a result to return return; the numbers are
/// NVSHMEM's.
enum class Status : int {
  success       = 0,
  invalid_value = 1,
  out_of_memory = 2,
  internal      = 7,  // the system or the driver has refused
};

// Local operands: this PE's kernels read and write the buffer, as the source of
// a put, the destination of a get. Needed for host memory that kernels use;
// for other memory it does nothing, or is refused (below).

/// Registers [address, address + bytes), page-locking host memory for the GPU
/// where there is one (B02). Local: one PE alone may call (B18), on any thread.
///
/// The buffer must be unregistered before it is freed (B08). Peers do not reach
/// it (B05): see buffer_register_symmetric(). One operation may go over several
/// registered buffers that are adjacent (B06): here the hardware does not mind.
///
/// \param bytes above 0; more than 2 GiB is as good (B17).
/// \returns invalid_value for null and 0 bytes (B19), managed memory (B07),
///          memory of a symmetric heap (B03), memory that is not mapped (where
///          CUDA knows both ends, nobody looks between them), an overlap with a
///          registered buffer (B09), and outside of initialize() and
///          finalize(). out_of_memory (B10), internal (B11).
[[nodiscard]] Status buffer_register(void* address, std::size_t bytes) noexcept;

/// Ends the registration of the buffer that starts at `address` (B12). Local.
/// \returns invalid_value if none does (B13, B14); internal.
Status buffer_unregister(void* address) noexcept;

/// Ends all registrations by buffer_register() and register_view() of this PE;
/// symmetric ones stay (B15, B16). Local. A failure is printed on stderr, too,
/// since nothing is returned.
void buffer_unregister_all() noexcept;

// Symmetric memory: every PE brings a buffer of its own, and all PEs reach all.

/// Makes memory of virtual memory management part of the symmetric heap in
/// memory of its kind: SymmetricHeap::register_memory(). Collective.
///
/// \param buffer start of memory that symm::make_registrable_view has made, or
///        the program itself with the cuMem* functions.
/// \param bytes  all of it, equal on all PEs: a multiple of 2 MiB, that of a
///        registrable View its bytes rounded up (R12).
/// \param flags  0 (R04).
/// \returns the symmetric address, for put, get, atomics, signals, collectives
///          and ptr() (R01, R02); null on every PE on failure (R13).
[[nodiscard]] void* buffer_register_symmetric(void* buffer, std::size_t bytes,
                                              int flags) noexcept;

/// Takes it out again: the symmetric address ends, the program's own stays
/// (R18). Collective.
/// \returns invalid_value on every PE, if `address` or `bytes` are not those of
///          the registration on any (R19, R20); internal (R21).
Status buffer_unregister_symmetric(void* address, std::size_t bytes) noexcept;

}  // namespace symm

#endif
