// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Waiting.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../access/Access.hpp"
#include "../access/PeOperations.hpp"
#include "../base/Failure.hpp"
#include "../base/Observer.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../job/Runtime.hpp"
#include "../memory/HeapMap.hpp"
#include "../symm_errors.hpp"
#include "HostWait.hpp"

namespace symm::Impl {

namespace {

/// Returns the operator as text, such as "==".
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

/// Describes the first few variables that `set` is still waiting for, for an
/// error message.
template <class T>
Text text_of(WaitSet<T> const& set) {
  Text result;
  int n_told = 0;
  for (std::size_t i = 0; i < set.count && n_told < 4; ++i) {
    if (!set.counts(i) || set.is_met(i)) continue;
    // (The unary + turns char32_t and wchar_t into numbers.)
    result.append("\n  variable ", i, " at ", set.ivars + i, ", now ",
                  +poll(set.ivars + i), ", to become ", text_of(set.compare),
                  " ", +set.wanted(i));
    ++n_told;
  }
  return result;
}

}  // namespace

void check_variable(char const* call, void const* address, std::size_t bytes) {
  auto const& heap = Runtime::instance(call).heap();
  poll_far();
  if (address == nullptr) {
    throw UsageError(std::string(call) +
                     ": the address of the variable is null");
  }
  check_aligned(address, bytes, call);
  if (heap.memory() == MemoryKind::device && heap.map().overlaps(address, 1)) {
    throw UsageError(std::string(call) + ": " + address_text(address) +
                     " is in GPU memory, where the host cannot wait; call it "
                     "in a kernel, or use SymmetricHostSpace");
  }
}

std::uint64_t scatter() {
  static std::atomic<std::uint64_t> s_calls{0};
  std::uint64_t x = s_calls.fetch_add(1, std::memory_order_relaxed);
  // Mixes like splitmix64, but without its second multiplication. If the
  // counter were not mixed, two alternating callers would get only even and
  // only odd numbers, respectively.
  x = (x + 1) * 0x9e37'79b9'7f4a'7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  return x ^ (x >> 31U);
}

template <class Poll>
void wait_on_host(char const* call, Poll& is_done) {
  Observed const observed([=] { return Operation{OperationKind::wait, call}; });
  HostWait wait(call);
  while (!is_done()) {
    if (!wait.pause()) continue;
    auto const why = wait.reason_to_give_up();
    if (is_done()) return;  // other PEs may have stored before they exited
    if (wait.must_report(why)) wait.report(why, "", text_of(is_done.set));
  }
}

// All types that satisfy Waitable:
#define SYMM_WAIT_FOR(T)                                \
  template void wait_on_host(char const*, PollOne<T>&); \
  template void wait_on_host(char const*, PollAll<T>&); \
  template void wait_on_host(char const*, PollAny<T>&); \
  template void wait_on_host(char const*, PollSome<T>&);
SYMM_WAIT_FOR(int)
SYMM_WAIT_FOR(unsigned)
SYMM_WAIT_FOR(long)
SYMM_WAIT_FOR(unsigned long)
SYMM_WAIT_FOR(long long)
SYMM_WAIT_FOR(unsigned long long)
SYMM_WAIT_FOR(wchar_t)
SYMM_WAIT_FOR(char32_t)
#undef SYMM_WAIT_FOR

}  // namespace symm::Impl
