// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LIVE_VIEWS_HPP
#define SYMM_LIVE_VIEWS_HPP

#include <cstddef>
#include <cstdint>

// These functions record this PE's live Views in symmetric spaces. In builds in
// which Kokkos checks bounds, the record shows whether the View of a GlobalView
// or RemoteView has been destroyed. Other builds record nothing. The functions
// are callable from any thread.

namespace symm::Impl {

#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
/// Records a new View whose memory begins at `address`.
void note_live_view(void const* address, std::size_t bytes);
void forget_live_view(void const* address) noexcept;
/// The number of the live View whose memory contains `address`, or 0 if there
/// is none. No two Views ever have the same number.
[[nodiscard]] std::uint64_t live_view_at(void const* address) noexcept;
#else
inline void note_live_view(void const*, std::size_t) {}
inline void forget_live_view(void const*) noexcept {}
#endif

}  // namespace symm::Impl

#endif
