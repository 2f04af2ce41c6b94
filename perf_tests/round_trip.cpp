// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A word to another PE and back: PE 0 writes a word of PE 1, which waits for it
// and answers. Twice the way of a cache line between two cores, and what each
// interface adds to it.

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "baselines/OpenShmem.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/OneSided.hpp"
#include "harness/Session.hpp"

namespace perf::round_trip_benchmark {
namespace {

/// Waits for the word; gives the core away now and then, for there may be more
/// PEs than cores.
void wait_until(std::uint64_t const& word, std::uint64_t value) {
  auto& shared = const_cast<std::uint64_t&>(word);
  for (int spins = 1; std::atomic_ref<std::uint64_t>(shared).load(
                          std::memory_order_acquire) != value;
       ++spins)
    if (spins % 10'000 == 0) std::this_thread::yield();
}

void post(std::uint64_t& word, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(word).store(value, std::memory_order_release);
}

/// PE 0 posts to PE 1 and waits for the answer; PE 1 the other way round. The
/// value grows by 1 each time, over all calls.
template <class Post, class Wait>
std::function<void(std::int64_t)> round_trips(OneSided const& pair,
                                              std::uint64_t& value,
                                              Post post_to_other,
                                              Wait wait_for_other) {
  return [=, &pair, &value](std::int64_t iterations) {
    if (!pair.is_active() && !pair.is_target()) return;
    for (std::int64_t n = 0; n < iterations; ++n) {
      ++value;
      if (pair.is_active()) post_to_other(value);
      wait_for_other(value);
      if (!pair.is_active()) post_to_other(value);
    }
  };
}

void send_word(std::uint64_t value, int to) {
  check_mpi(MPI_Send(&value, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD),
            "MPI_Send");
}

void receive_word(std::uint64_t value, int from) {
  std::uint64_t received = 0;
  check_mpi(MPI_Recv(&received, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE),
            "MPI_Recv");
  if (received != value) throw std::runtime_error("wrong word received");
}

void measure(Session& session) {
  OneSided const pair(session);
  if (session.n_pes() < 2) {
    session.report().note("one PE: no round trip");
    return;
  }
  int const other = pair.is_active() ? pair.peer() : 0;
  Words const words("word", 1);
  auto const everywhere     = symm::global_view(words);
  std::uint64_t value       = 0;
  std::uint64_t value_mpi   = 0;
  std::uint64_t value_shmem = 0;
  std::vector<Contestant> contestants{
      {"MPI_Send, MPI_Recv", "",
       round_trips(
           pair, value_mpi, [=](std::uint64_t x) { send_word(x, other); },
           [=](std::uint64_t x) { receive_word(x, other); })},
      {"global_view store, wait", "MPI_Send, MPI_Recv",
       round_trips(
           pair, value, [=](std::uint64_t x) { post(everywhere(other, 0), x); },
           [=](std::uint64_t x) { wait_until(words(0), x); })}};
  std::uint64_t* shmem_word = nullptr;
  if (openshmem::available()) {
    shmem_word =
        static_cast<std::uint64_t*>(openshmem::allocate(sizeof(value)));
    *shmem_word = 0;
    openshmem::barrier();
    contestants.push_back(
        {"OpenSHMEM p, wait_until", "",
         round_trips(
             pair, value_shmem,
             [=](std::uint64_t x) {
               openshmem::post_word(shmem_word, x, other);
             },
             [=](std::uint64_t x) { openshmem::wait_word(shmem_word, x); })});
    contestants[1].baseline = contestants.back().name;
  }
  session.compare({{{"round trip bytes", 8}}}, contestants);
  bool const took_part = pair.is_active() || pair.is_target();
  session.verify("last word", took_part && words(0) != value ? 1 : 0);
  if (shmem_word != nullptr) openshmem::deallocate(shmem_word);
}

Registered const registered{"round_trip", measure};

}  // namespace
}  // namespace perf::round_trip_benchmark
