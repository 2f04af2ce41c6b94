// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What PE 0 does with the memory of a PE of another node, the first that it
// does not reach by loads and stores (of PE 1, if there is none): puts, gets
// and atomic operations of 8 bytes, and blocks.
//
// Beside it, sample by sample, UCX's own one-sided calls, as ucx_perftest makes
// them, and MPI's messages. Each target waits in the library that is measured,
// which answers best then. A put is complete at the target when its time ends:
// 8 bytes by a quiet or flush each, blocks and rates by one behind a sample.
// MPI sends a sample of blocks and gets one empty message back; for a get, the
// target sends. UCX has one large put under way at a time, since it collapses
// with several.

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "baselines/UcxPair.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/Pattern.hpp"
#include "harness/PrivateBuffer.hpp"
#include "harness/Session.hpp"
#include "nodes/PairSampler.hpp"

namespace perf::over_nodes_benchmark {
namespace {

constexpr std::size_t kib = std::size_t{1} << 10U;
constexpr std::size_t mib = std::size_t{1} << 20U;

using Words = Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace>;

int far_pe(Session const& session) {
  int target = 0;
  if (session.my_pe() == 0) {
    while (target < session.n_pes() && symm::is_near(target)) ++target;
    if (target == session.n_pes()) target = session.n_pes() > 1 ? 1 : 0;
  }
  check_mpi(MPI_Bcast(&target, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return target;
}

std::vector<std::size_t> block_sizes(bool quick) {
  if (quick) return {64 * kib, mib};
  return {64 * kib, 256 * kib, mib, 4 * mib, 16 * mib};
}

/// Two words of the target, that PE 0 changes, and blocks. Made and destroyed
/// collectively.
class Measurement {
 public:
  explicit Measurement(Session& session)
      : m_session(session),
        m_pairs(session, far_pe(session)),
        m_target(m_pairs.target()),
        m_most(block_sizes(session.quick()).back()),
        m_words("words", n_words),
        m_block("block", m_most / sizeof(std::uint64_t)),
        m_private(m_most),
        m_got(m_most) {
    fill_pattern(m_private.words(), session.my_pe(), 0);
    if (m_pairs.is_target())
      fill_pattern(std::span(m_block.data(), m_block.extent(0)),
                   session.my_pe(), 0);
    if (UcxPair::available()) {
      m_ucx = std::make_unique<UcxPair>(0, m_target, m_most);
      if (m_pairs.is_target())
        fill_pattern(std::span(m_ucx->words(), m_block.extent(0)),
                     session.my_pe(), 0);
    }
    if (symm::is_near(m_target) && session.my_pe() == 0)
      session.report().note("over_nodes: all PEs are on one node");
    symm::barrier_all();
  }

  void run() {
    measure_latency();
    measure_rates();
    verify_words();
    for (auto const bytes : block_sizes(m_session.quick())) measure_gets(bytes);
    for (auto const bytes : block_sizes(m_session.quick())) measure_puts(bytes);
  }

 private:
  enum : std::size_t { ended, put_here, counter, n_words };
  using All = std::vector<PairContestant>;

  [[nodiscard]] SamplingPlan plan(int samples, double seconds) const {
    if (m_session.quick())
      return {.warm_up = 0, .samples = 10, .sample_seconds = 1e-4};
    return {.warm_up = 2, .samples = samples, .sample_seconds = seconds};
  }

  template <class Run>
  void add_symm(All& all, std::string const& what, std::string baseline,
                Run run) {
    all.push_back(
        {what + ", symm", std::move(baseline), std::move(run),
         [this] {
           symm::atomic_add(&m_words(ended), std::uint64_t{1}, m_target);
           symm::quiet();
         },
         [this](std::int64_t) {
           symm::wait_until(&m_words(ended), symm::Compare::ge, ++m_n_ended);
         }});
  }

  template <class Run>
  void add_ucx(All& all, std::string const& what, Run run) {
    if (!m_ucx) return;
    all.push_back({what + ", UCX", "", std::move(run), [this] { m_ucx->end(); },
                   [this](std::int64_t) { m_ucx->serve(); }});
  }

  /// MPI messages of `bytes` from one to the other, and an empty one back.
  void add_mpi(All& all, std::string const& what, std::size_t bytes,
               bool is_put) {
    auto const send = [this, bytes](int to) {
      return [this, bytes, to](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          check_mpi(MPI_Send(m_private.data(), static_cast<int>(bytes),
                             MPI_BYTE, to, 1, MPI_COMM_WORLD),
                    "MPI_Send");
        check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, to, 2, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE),
                  "MPI_Recv");
      };
    };
    auto const receive = [this, bytes](int from) {
      return [this, bytes, from](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          check_mpi(MPI_Recv(m_got.data(), static_cast<int>(bytes), MPI_BYTE,
                             from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    "MPI_Recv");
        check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, from, 2, MPI_COMM_WORLD),
                  "MPI_Send");
      };
    };
    if (is_put) {
      all.push_back({what + ", MPI", "", send(m_target), {}, receive(0)});
    } else {
      all.push_back({what + ", MPI", "", receive(m_target), {}, send(0)});
    }
  }

  /// There and back, as often as asked for.
  void add_mpi_ping_pong(All& all) {
    auto const ping = [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        check_mpi(MPI_Send(m_private.data(), 8, MPI_BYTE, m_target, 3,
                           MPI_COMM_WORLD),
                  "MPI_Send");
        check_mpi(MPI_Recv(m_got.data(), 8, MPI_BYTE, m_target, 3,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  "MPI_Recv");
      }
    };
    auto const pong = [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        check_mpi(MPI_Recv(m_got.data(), 8, MPI_BYTE, 0, 3, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE),
                  "MPI_Recv");
        check_mpi(MPI_Send(m_private.data(), 8, MPI_BYTE, 0, 3, MPI_COMM_WORLD),
                  "MPI_Send");
      }
    };
    all.push_back({"there and back, MPI", "", ping, {}, pong});
  }

  void measure_latency() {
    All all;
    std::string const baseline = m_ucx ? "fetch_add, UCX" : "";
    add_ucx(all, "fetch_add", [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) keep(m_ucx->fetch_add(1));
    });
    add_ucx(all, "put + quiet", [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        m_ucx->put(m_private.data(), 8);
        m_ucx->flush();
      }
    });
    add_ucx(all, "get", [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) m_ucx->get(m_got.data(), 8);
    });
    add_mpi_ping_pong(all);
    add_symm(all, "put + quiet", baseline, [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        symm::put(&m_words(put_here), m_private.data(), 1, m_target);
        symm::quiet();
      }
    });
    add_symm(all, "get", baseline, [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i)
        symm::get(m_got.data(), &m_words(put_here), 1, m_target);
    });
    add_symm(all, "fetch_add", baseline, [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i)
        keep(symm::atomic_fetch_add(&m_words(counter), std::uint64_t{1},
                                    m_target));
      m_n_added += static_cast<std::uint64_t>(n);
    });
    if (m_ucx) {
      add_ucx(all, "fetch_add, again", all[0].run);
      all.back().name     = "fetch_add, UCX, again";
      all.back().baseline = baseline;
    }
    m_pairs.compare({{{"bytes", 8}}}, all, plan(31, 1e-3));
  }

  void measure_rates() {
    All all;
    std::string const of_put = m_ucx ? "puts, UCX" : "";
    std::string const of_add = m_ucx ? "adds, UCX" : "";
    add_ucx(all, "puts", [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) m_ucx->post(m_private.data(), 8);
      m_ucx->flush();
    });
    add_symm(all, "puts", of_put, [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i)
        symm::put_nbi(&m_words(put_here), m_private.data(), 1, m_target);
      symm::quiet();
    });
    add_ucx(all, "adds", [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) m_ucx->post_add(1);
      m_ucx->flush();
    });
    add_symm(all, "adds", of_add, [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i)
        symm::atomic_add(&m_words(counter), std::uint64_t{1}, m_target);
      symm::quiet();
      m_n_added += static_cast<std::uint64_t>(n);
    });
    add_symm(all, "gets", "", [this](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i)
        symm::get_nbi(m_got.data(), &m_words(put_here), 1, m_target);
      symm::quiet();
    });
    m_pairs.compare({{{"bytes", 8}}}, all, plan(15, 3e-3));
  }

  void measure_puts(std::size_t bytes) {
    All all;
    auto const count = bytes / sizeof(std::uint64_t);
    add_mpi(all, "put", bytes, true);
    add_ucx(all, "put", [this, bytes](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        m_ucx->put(m_private.data(), bytes);
        m_ucx->flush();
      }
    });
    add_symm(all, "put", "put, MPI", [this, count](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i)
        symm::put(m_block.data(), m_private.data(), count, m_target);
      symm::quiet();
    });
    compare_blocks(bytes, all);
    std::int64_t wrong = 0;
    if (m_pairs.is_target())
      wrong += count_wrong(std::span(m_block.data(), count), 0, 0) +
               count_wrong(m_got.words().first(count), 0, 0);
    m_session.verify("blocks put", wrong);
  }

  void measure_gets(std::size_t bytes) {
    All all;
    auto const count = bytes / sizeof(std::uint64_t);
    add_mpi(all, "get", bytes, false);
    add_ucx(all, "get", [this, bytes](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) m_ucx->get(m_got.data(), bytes);
    });
    add_symm(all, "get", "get, MPI", [this, count](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i)
        symm::get(m_got.data(), m_block.data(), count, m_target);
    });
    compare_blocks(bytes, all);
    std::int64_t wrong = 0;
    if (m_pairs.is_active())
      wrong += count_wrong(m_got.words().first(count), m_target, 0);
    m_session.verify("blocks got", wrong);
  }

  void compare_blocks(std::size_t bytes, All const& all) {
    auto const size = static_cast<std::int64_t>(bytes);
    m_pairs.compare({{{"bytes", size}}, size}, all, plan(11, 4e-3));
  }

  void verify_words() {
    symm::barrier_all();
    std::uint64_t n_added = m_n_added;
    check_mpi(MPI_Bcast(&n_added, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD),
              "MPI_Bcast");
    std::int64_t wrong = 0;
    if (m_pairs.is_target())
      wrong += (m_words(put_here) != pattern(0, 0, 0) ? 1 : 0) +
               (m_words(counter) != n_added ? 1 : 0);
    if (m_pairs.is_active()) {
      symm::get(m_got.data(), &m_words(put_here), 1, m_target);
      wrong += m_got.words()[0] != pattern(0, 0, 0) ? 1 : 0;
    }
    m_session.verify("words", wrong);
    // UCX has counted in its block.
    if (m_ucx && m_pairs.is_target())
      m_ucx->words()[0] = pattern(m_target, 0, 0);
  }

  Session& m_session;
  PairSampler m_pairs;
  int m_target;
  std::size_t m_most;
  Words m_words;
  Words m_block;
  PrivateBuffer m_private;
  PrivateBuffer m_got;
  std::unique_ptr<UcxPair> m_ucx;
  std::uint64_t m_n_ended = 0;
  std::uint64_t m_n_added = 0;
};

void measure(Session& session) { Measurement(session).run(); }

Registered const registered{"over_nodes", measure};

}  // namespace
}  // namespace perf::over_nodes_benchmark
