// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Checker's member functions for messages sent by other libraries.

#include <mutex>

#include "Checker.hpp"
#ifdef SYMM_HAS_MPI
#include "MpiStart.hpp"
#endif

namespace symm::Impl::check {

/// Collective.
void Checker::begin_messages([[maybe_unused]] Bootstrap& bootstrap) {
#ifdef SYMM_HAS_MPI
  begin_mpi(bootstrap);
#endif
}

// send() and receive() hold the lock, because another thread may be in
// finish().

void Checker::send(std::uint64_t key, int n_receivers) noexcept {
  if (n_receivers == 0) return;
  {
    std::lock_guard const lock(m_mutex);
    if (!is_on()) return;
    auto const message = m_memory.message(key, true);
    if (message.known != nullptr) {
      message.n_receivers->store(static_cast<std::uint32_t>(n_receivers));
      return clocks.tell(message.known, Tells::done);
    }
    note_limit(Limit::messages);
    clocks.tell(m_memory.message_of_many().known, Tells::done);
  }
  name_races();
}

void Checker::receive(std::uint64_t key, bool is_only_there) noexcept {
  std::lock_guard const lock(m_mutex);
  if (!is_on()) return;
  auto const message = m_memory.message(key, false);
  if (message.known == nullptr) {
    return clocks.learn(m_memory.message_of_many().known);
  }
  clocks.learn(message.known);
  if (is_only_there) return;
  auto const all_but_one = ~std::uint32_t{0};  // adding this subtracts 1
  if (message.n_receivers->fetch_add(all_but_one) == 1) {
    m_memory.end_message(message);
  }
}

}  // namespace symm::Impl::check
