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

// How kernels write to a ProxyQueue. `Ring` is ProxyQueue: functions that are
// no templates are compiled in each source that includes them.

namespace symm::Impl {

template <class Ring>
SYMM_FUNCTION void expect_ring([[maybe_unused]] Ring const* ring) {
  // (No KernelText, which takes room on every thread's stack.)
  SYMM_IF_ON_DEVICE((if (ring == nullptr) {
    InKernel::abort(
        "symm: an operation of a kernel on a PE of another node: the kernel's "
        "library was loaded while the job could not tell it how");
  }))
}

/// Between two looks at a word that others change: helps this PE's GPU, which
/// may have no room for the kernel that far PEs wait for, or pauses.
template <class Ring>
SYMM_FUNCTION void help_or_pause(Ring* ring) {
  if (take_part(ring->board)) return;
  SYMM_IF_ON_DEVICE((__nanosleep(500);))
}

/// Waits until the ticket has room. Each thread that has drawn one calls it.
///
/// The first thread without room reads `freed` from the host's memory, the
/// others read its result. (The host's stores to a GPU's memory wait while tens
/// of thousands of threads read the host's, for ever if these wait for one.)
template <class Ring, class Tickets>
SYMM_FUNCTION void wait_for_ring(Ring* ring, Tickets& tickets,
                                 std::uint64_t ticket, std::uint64_t size) {
  for (auto limit = load_relaxed(&tickets.limit); ticket >= limit;
       limit      = load_relaxed(&tickets.limit)) {
    if (ticket == limit) {
      auto const freed = load_relaxed(tickets.freed) + size;
      if (freed > limit) fetch_max_word(&tickets.limit, freed);
    }
    help_or_pause(ring);
  }
}

/// In kernels one thread draws for those of its warp that call together: they
/// need not be all. It must not wait before the others have their tickets (as
/// it once did for room: they went on with wrong ones).
template <class Tickets>
SYMM_FUNCTION std::uint64_t draw_ticket(Tickets& tickets) {
  SYMM_IF_ON_HOST((return fetch_add_word(&tickets.next, std::uint64_t{1});))
  SYMM_IF_ON_DEVICE((InKernel::Together const threads; std::uint64_t first = 0;
                     if (threads.rank() == 0) first = fetch_add_word(
                         &tickets.next, std::uint64_t{threads.count()});
                     return threads.of_first(first) + threads.rank();))
}

/// Writes an update. One thread; waits while the ring is full.
/// \param kind of Update.
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
  Update const its{address, value, pe, kind};
  for (std::size_t i = 0; i < 3; ++i)
    store_relaxed(place.word(i), place.bits(its, i));
}

/// Writes a fence: what the thread knows to be requested before comes before
/// its later updates and requests.
template <class Ring>
[[gnu::noinline]] SYMM_FUNCTION void post_fence(Ring* ring) {
  expect_ring(ring);
  fence_words();
  post_update(ring, 0, load_relaxed(&ring->tickets.next), 0, Update::fence);
}

}  // namespace symm::Impl

#endif
