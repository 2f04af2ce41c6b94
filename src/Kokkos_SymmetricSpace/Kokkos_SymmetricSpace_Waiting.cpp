// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_Waiting.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>

#include "../runtime/Error.hpp"
#include "../runtime/HeapMap.hpp"
#include "../runtime/Rendezvous.hpp"
#include "../runtime/Runtime.hpp"
#include "../runtime/SymmetricHeap.hpp"

namespace symm {

namespace {

char const* text_of(Compare compare) {
  switch (compare) {
    case Compare::eq: return "==";
    case Compare::ne: return "!=";
    case Compare::gt: return ">";
    case Compare::ge: return ">=";
    case Compare::lt: return "<";
    case Compare::le: return "<=";
  }
  return "?";
}

/// Whether `address` is in any PE's part.
bool is_in_any_part(HeapMap const& map, void const* address) {
  return reinterpret_cast<std::size_t>(address) -
             reinterpret_cast<std::size_t>(map.base) <
         static_cast<std::size_t>(map.n_pes) * map.stride;
}

}  // namespace

HostWait::HostWait(char const* call, void const* address)
    : m_call(call),
      m_backoff(Runtime::instance(call).rendezvous().spins()),
      m_next_look(Rendezvous::health_interval),
      m_next_report(Runtime::instance(call).rendezvous().timeout()) {
  check(call, address);
}

void HostWait::check(char const* call, void const* address) {
  auto const& heap = Runtime::instance(call).heap();
  if (address == nullptr) {
    throw UsageError(std::string(call) +
                     ": the address of the variable is null");
  }
  if (heap.memory() == MemoryKind::device &&
      is_in_any_part(heap.map(), address)) {
    throw UsageError(std::string(call) + ": " + address_text(address) +
                     " is in GPU memory, where the host cannot wait: call it "
                     "in a kernel, or use SymmetricHostSpace");
  }
}

std::optional<Pe> HostWait::find_gone() {
  auto const result = Runtime::instance("symm::wait_until").find_gone();
  // The kernel tells of the end of a process after its last store.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return result;
}

void HostWait::look_after(std::optional<Pe> gone,
                          std::string const& waits_for) {
  m_next_look   = m_waited + Rendezvous::health_interval;
  auto& runtime = Runtime::instance(m_call);
  if (gone) {
    std::fprintf(stderr,
                 "symm: PE %d waits in %s, but the process of PE %d is gone. "
                 "Ending the job. It waits for%s\n",
                 runtime.my_pe(), m_call, *gone, waits_for.c_str());
    runtime.abort();
  }
  auto const timeout = runtime.rendezvous().timeout();
  if (timeout.count() <= 0 || m_waited < m_next_report) return;
  m_next_report = m_waited + timeout;
  std::fprintf(
      stderr,
      "symm: PE %d has waited %ld s in %s for%s\n  Still waiting "
      "(SYMM_TIMEOUT sets the seconds between reports, 0: none).\n",
      runtime.my_pe(),
      static_cast<long>(std::chrono::duration<double>(m_waited).count()),
      m_call, waits_for.c_str());
}

std::uint64_t HostWait::scatter() {
  static std::atomic<std::uint64_t> s_calls{0};
  std::uint64_t x = s_calls.fetch_add(1, std::memory_order_relaxed);
  // Half of splitmix64: calls that take turns do not get even numbers only.
  x = (x + 1) * 0x9e37'79b9'7f4a'7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  return x ^ (x >> 31U);
}

std::string HostWait::line(std::size_t index, void const* address,
                           std::string const& now, Compare compare,
                           std::string const& value) {
  return "\n  variable " + std::to_string(index) + " at " +
         address_text(address) + ", now " + now + ", to become " +
         text_of(compare) + " " + value;
}

}  // namespace symm
