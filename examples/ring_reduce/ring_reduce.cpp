// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The symmetric heap without Kokkos. The PEs form a ring. Each PE puts values
// into the memory of its right neighbor, along with a signal that they have
// arrived, and waits for the values from its left neighbor. Then all PEs add up
// what they received.

#include <symm.hpp>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t count = 1000;

// The value differs for every sender and element.
long value(symm::Pe from, std::size_t i) {
  return 1000L * from + static_cast<long>(i);
}

template <class T>
T* allocate(std::size_t n) {
  auto* const memory = static_cast<T*>(symm::calloc(n, sizeof(T)));
  if (memory == nullptr) throw std::runtime_error(symm::last_error());
  return memory;
}

// Returns the number of wrong elements.
int run() {
  symm::Pe const me    = symm::my_pe();
  int const n_pes      = symm::n_pes();
  symm::Pe const right = (me + 1) % n_pes;
  symm::Pe const left  = (me + n_pes - 1) % n_pes;

  // Each pointer refers to the same symmetric object on every PE, by the
  // address of this PE's copy.
  long* const inbox            = allocate<long>(count);
  long* const sums             = allocate<long>(count);
  symm::Signal* const has_come = allocate<symm::Signal>(1);

  std::vector<long> outbox(count);
  for (std::size_t i = 0; i < count; ++i) outbox[i] = value(me, i);
  symm::put_signal(inbox, outbox.data(), count, has_come, 1,
                   symm::SignalOp::set, right);
  symm::signal_wait_until(has_come, symm::Compare::eq, 1);

  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += inbox[i] != value(left, i);

  // A sum over all PEs, element by element; every PE gets all sums.
  symm::reduce(symm::team_world(), sums, inbox, count, symm::Sum{});
  for (std::size_t i = 0; i < count; ++i) {
    long sum = 0;
    for (symm::Pe pe = 0; pe < n_pes; ++pe) sum += value(pe, i);
    wrong += sums[i] != sum;
  }
  std::printf("PE %d of %d: %zu values from PE %d and as many sums, %d wrong\n",
              me, n_pes, count, left, wrong);

  symm::free(has_come);
  symm::free(sums);
  symm::free(inbox);
  return wrong;
}

}  // namespace

int main() {
  symm::RuntimeGuard const guard;
  return run() == 0 ? 0 : 1;
}
