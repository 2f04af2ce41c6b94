// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_PROXYUPDATES_HPP
#define SYMM_ACCESS_PROXYUPDATES_HPP

#include <cstddef>
#include <cstdint>

#include <symm_gpu/KernelAbort.hpp>
#include <symm_gpu/KernelWords.hpp>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../memory/AtomicBatch.hpp"
#include "../memory/UpdateLog.hpp"
#include "../memory/WordAtomics.hpp"
#include "../memory/Words.hpp"

// Functions with which kernels write to a ProxyQueue. `Ring` is always
// ProxyQueue. The functions are templates so that only the source files that
// call them compile them.

namespace symm::Impl {

template <class Ring>
SYMM_FUNCTION void expect_ring([[maybe_unused]] Ring const* ring) {
  // (KernelText would cost every thread stack space.)
#ifdef SYMM_FOR_DEVICE
  if (ring == nullptr) {
    InKernel::abort(
        "symm: a kernel cannot access PEs on other nodes, because the setup of "
        "its library failed when the library was loaded");
  }
#endif
}

/// Performs some of the incoming atomic operations, or pauses if there are
/// none. Called between two polls of a word. (The GPU may have no room for the
/// kernel that would otherwise perform them, and far PEs may be waiting for
/// them.)
template <class Ring>
SYMM_FUNCTION void help_or_pause(Ring* ring) {
  if (take_part(ring->board)) return;
  SYMM_IF_ON_DEVICE((InKernel::pause();))
}

/// Waits until the ring has a slot for `ticket`. Must be called by each thread
/// that has drawn a ticket.
///
/// The thread with the lowest ticket that has no slot reads `freed` from host
/// memory. The other threads read `limit`, which that thread updates. (Tens of
/// thousands of threads that read host memory would delay the host's stores to
/// GPU memory. Threads that are waiting for such a store would then wait
/// forever.)
template <class Ring, class Tickets>
SYMM_FUNCTION void wait_for_ring(Ring* ring, Tickets& tickets,
                                 std::uint64_t ticket, std::uint64_t size) {
  for (auto limit = load_relaxed(&tickets.limit); ticket >= limit;
       limit      = load_relaxed(&tickets.limit)) {
    if (ticket == limit) {
      auto const freed = load_relaxed(tickets.freed) + size;
      if (freed > limit) max_word(&tickets.limit, freed);
    }
    help_or_pause(ring);
  }
}

/// Draws a ticket. In kernels, one thread draws the tickets for all threads in
/// its warp that make the call together, which may be only part of the warp.
/// That thread must not block (for example, to wait for a free slot) until the
/// other threads have received their tickets; otherwise, they would continue
/// with the wrong tickets.
template <class Tickets>
SYMM_FUNCTION std::uint64_t draw_ticket(Tickets& tickets) {
#ifdef SYMM_FOR_DEVICE
  InKernel::Together const threads;
  std::uint64_t first = 0;
  if (threads.rank() == 0)
    first = fetch_add_word(&tickets.next, std::uint64_t{threads.count()});
  return threads.of_first(first) + threads.rank();
#else
  return fetch_add_word(&tickets.next, std::uint64_t{1});
#endif
}

/// Writes an update to the ring. Called by one thread; waits while the ring is
/// full.
/// \param kind an Update::Kind, or the code of a WordOp.
template <class Ring>
[[gnu::noinline]] SYMM_FUNCTION void post_update(Ring* ring,
                                                 std::uint64_t address,
                                                 std::uint64_t value, Pe pe,
                                                 std::uint8_t kind) {
  expect_ring(ring);
  auto& tickets     = ring->update_tickets;
  auto const ticket = draw_ticket(tickets);
  wait_for_ring(ring, tickets, ticket, UpdateWords::size);
  UpdateWords const place(ring->updates, ticket);
  Update const update{address, value, pe, kind};
  for (std::size_t i = 0; i < 3; ++i)
    store_relaxed(place.word(i), place.bits(update, i));
}

/// Writes a fence to the ring. Requests and updates that this thread has made,
/// or that happened before this call, are performed before this thread's later
/// updates and requests.
template <class Ring>
[[gnu::noinline]] SYMM_FUNCTION void post_fence(Ring* ring) {
  expect_ring(ring);
  fence_words();
  post_update(ring, 0, load_relaxed(&ring->tickets.next), 0, Update::fence);
}

}  // namespace symm::Impl

#endif
