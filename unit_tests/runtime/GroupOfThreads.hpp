// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_GROUPOFTHREADS_HPP
#define SYMM_TEST_GROUPOFTHREADS_HPP

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <runtime/groups/Group.hpp>

namespace symm_test {

/// Threads of this process, which share the work of an operation.
class Threads : public symm::Impl::SharedLoops<Threads> {
 public:
  Threads(std::size_t rank, std::size_t size, std::atomic<std::size_t>& arrived)
      : m_rank(rank), m_size(size), m_arrived(&arrived) {}

  [[nodiscard]] std::size_t rank() const { return m_rank; }
  [[nodiscard]] std::size_t size() const { return m_size; }
  void barrier() const {
    std::size_t const mine = m_arrived->fetch_add(1);
    while (*m_arrived < (mine / m_size + 1) * m_size) std::this_thread::yield();
  }

 private:
  std::size_t m_rank;
  std::size_t m_size;
  std::atomic<std::size_t>* m_arrived;
};
static_assert(symm::Impl::Group<Threads>);

/// Calls body(group) on `size` threads.
template <class Body>
void on_threads(std::size_t size, Body const& body) {
  std::atomic<std::size_t> arrived{0};
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] { body(Threads(rank, size, arrived)); });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace symm_test

#endif
