// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_EXCHANGE_BLOCKS_HPP
#define SYMM_PERF_EXCHANGE_BLOCKS_HPP

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <numeric>
#include <vector>

#include "harness/MpiCheck.hpp"

namespace perf {

using Counts = std::vector<std::int64_t>;

/// The index at which each block begins, followed by the end of the last block.
inline Counts starts_of(Counts const& counts) {
  Counts starts(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
  return starts;
}
inline Counts alltoall(Counts const& mine) {
  Counts theirs(mine.size());
  check_mpi(MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1,
                         MPI_INT64_T, MPI_COMM_WORLD),
            "MPI_Alltoall");
  return theirs;
}

/// Exchanges one block of `T` with each PE, packed into messages: pack(k)
/// returns the k-th element to send, and unpack(k, t) accepts the k-th element
/// received. This is what a program would write with MPI and persistent
/// requests.
template <class T>
class MpiBlocks {
 public:
  explicit MpiBlocks(Counts const& out) {
    auto const in     = alltoall(out);
    auto const starts = starts_of(out), in_starts = starts_of(in);
    m_out.resize(static_cast<std::size_t>(starts.back()));
    m_in.resize(static_cast<std::size_t>(in_starts.back()));
    for (std::size_t pe = 0; pe < out.size(); ++pe) {
      add(MPI_Recv_init, m_in.data() + in_starts[pe], in[pe], pe);
      add(MPI_Send_init, m_out.data() + starts[pe], out[pe], pe);
    }
  }
  MpiBlocks(MpiBlocks const&)            = delete;
  MpiBlocks& operator=(MpiBlocks const&) = delete;
  ~MpiBlocks() {
    for (auto& request : m_requests) MPI_Request_free(&request);
  }

  template <class Pack, class Unpack>
  void operator()(Pack const& pack, Unpack const& unpack) {
    for (std::size_t k = 0; k < m_out.size(); ++k) m_out[k] = pack(k);
    auto const n = static_cast<int>(m_requests.size());
    check_mpi(MPI_Startall(n, m_requests.data()), "MPI_Startall");
    check_mpi(MPI_Waitall(n, m_requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
    for (std::size_t k = 0; k < m_in.size(); ++k) unpack(k, m_in[k]);
  }

 private:
  template <class Init, class Buffer>
  void add(Init const& init, Buffer* buffer, std::int64_t count,
           std::size_t pe) {
    if (count == 0) return;
    m_requests.emplace_back();
    check_mpi(init(buffer, static_cast<int>(count * std::int64_t{sizeof(T)}),
                   MPI_BYTE, static_cast<int>(pe), 0, MPI_COMM_WORLD,
                   &m_requests.back()),
              "MPI_Send_init, MPI_Recv_init");
  }

  std::vector<T> m_out;
  std::vector<T> m_in;
  std::vector<MPI_Request> m_requests;
};

/// The same with put_signal and an inbox of two halves, as a program could
/// write it for its own elements.
template <class T>
class HandBlocks {
 public:
  explicit HandBlocks(Counts const& out) {
    auto const in     = alltoall(out);
    auto const starts = starts_of(out), in_starts = starts_of(in);
    auto const theirs = alltoall({in_starts.begin(), in_starts.end() - 1});
    auto const n      = static_cast<std::size_t>(symm::n_pes());
    m_capacity        = static_cast<std::size_t>(
        symm::reduce(symm::team_world(), in_starts.back(), symm::Max{}));
    m_inbox   = decltype(m_inbox)("inbox", 2 * m_capacity);
    m_signals = decltype(m_signals)("signals", n);
    m_outbox.resize(static_cast<std::size_t>(starts.back()));
    for (std::size_t pe = 0; pe < n; ++pe) {
      if (out[pe] + in[pe] == 0) continue;
      auto const at = [](std::int64_t k) {
        return static_cast<std::size_t>(k);
      };
      m_neighbors.push_back({static_cast<int>(pe), at(starts[pe]), at(out[pe]),
                             at(theirs[pe]), at(in_starts[pe]), at(in[pe])});
    }
  }

  template <class Pack, class Unpack>
  void operator()(Pack const& pack, Unpack const& unpack) {
    ++m_step;
    T* const inbox = m_inbox.data() + (m_step % 2) * m_capacity;
    for (auto const& [pe, first, count, theirs, got_first, got] : m_neighbors) {
      T* const there = symm::ptr(inbox + theirs, pe);
      T* const to    = there != nullptr ? there : m_outbox.data() + first;
      for (std::size_t k = 0; k < count; ++k) to[k] = pack(first + k);
      auto* const signal = &m_signals(static_cast<std::size_t>(symm::my_pe()));
      if (there != nullptr) {
        symm::fence();
        symm::signal_op(signal, m_step, symm::SignalOp::set, pe);
      } else {
        symm::put_signal(inbox + theirs, to, count, signal, m_step,
                         symm::SignalOp::set, pe);
      }
    }
    for (auto const& [pe, first, count, theirs, got_first, got] : m_neighbors) {
      symm::wait_until(&m_signals(static_cast<std::size_t>(pe)),
                       symm::Compare::ge, m_step);
      for (std::size_t k = 0; k < got; ++k)
        unpack(got_first + k, inbox[got_first + k]);
    }
  }

 private:
  struct Neighbor {
    int pe;
    std::size_t first, count, theirs, got_first, got;
  };

  std::size_t m_capacity = 0;
  Kokkos::View<T*, symm::SymmetricHostSpace> m_inbox;
  Kokkos::View<symm::Signal*, symm::SymmetricHostSpace> m_signals;
  std::vector<T> m_outbox;
  std::vector<Neighbor> m_neighbors;
  symm::Signal m_step = 0;
};

}  // namespace perf

#endif
