// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LIVE_VIEWS_HPP
#define SYMM_LIVE_VIEWS_HPP

#include <cstddef>
#include <cstdint>

// The Views of symmetric spaces that this PE has made and not destroyed yet:
// where Kokkos checks bounds, a GlobalView or RemoteView of another one is
// found. In other builds nothing is noted. On any thread.

namespace symm::Impl {

#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
/// A View has been made of that memory.
void note_live_view(void const* address, std::size_t bytes);
void forget_live_view(void const* address) noexcept;
/// The number of the View whose memory that is, which no other one has had; 0:
/// it is none's.
[[nodiscard]] std::uint64_t live_view_at(void const* address) noexcept;
#else
inline void note_live_view(void const*, std::size_t) {}
inline void forget_live_view(void const*) noexcept {}
#endif

}  // namespace symm::Impl

#endif
