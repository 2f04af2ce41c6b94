// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Hot plates that cool down. A separate PE team computes each plate, in strips
// of rows. A PE waits only for its two neighbors: each row that a PE puts into
// a neighbor's View comes with a signal. There is no barrier in the time loop,
// and the plates, which take different numbers of steps, never wait for each
// other. (See docs/memory_model.md for what a signal orders.)

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <array>
#include <common/step_time.hpp>
#include <cstdio>
#include <utility>

#include "options.hpp"
#include "plate.hpp"

namespace {

using namespace halo;
using Kokkos::ALL;
using Kokkos::subview;
using symm::Compare;
using symm::Signal;
using symm::SignalOp;

template <class Space>
using Signals = Kokkos::View<Signal[2], Space>;

// The exchange, implemented in four ways. Each object is constructed by all PEs
// and has
//
//   wait(step)     the neighbors' rows of that step are in my ghost rows
//   send(u, step)  puts my outermost rows of that step into theirs
//
// The value of a signal is the number of the step whose row has arrived; it
// only grows.
//
// With two Views, one signal per step and neighbor is enough. Step n waits for
// the neighbors' rows of step n - 1, reads them in u_old, writes u_new, and
// sends from there. So
// - What step n reads, the ghost rows of u_old, has arrived, because signal n -
//   1 says so.
// - What step n overwrites, the ghost row in a neighbor's u_new, was last read
//   by the neighbor's step n - 1, as u_old. That read is complete: the neighbor
//   sent signal n - 1 after the kernel that read the row, and this PE has
//   waited for this signal. So a signal that data have arrived also means that
//   there is room again.
// - A neighbor can be ahead by one step, but not by two, and may already have
//   sent its signal for the next step. So wait for >=, not for ==.

// Performs the exchange in stream order, after the program's kernels. The host
// does not wait for any PE.
class InStream {
 public:
  explicit InStream(Strip const& strip) : m_strip(strip) {}

  void wait(Signal step) const {
    symm::wait_until_all(Exec(), m_strip.raised_here(m_signals), Compare::ge,
                         step);
  }
  void send(Field const& u, Signal step) {
    for (auto const& [pe, row, ghost, signal] : m_strip.neighbors)
      m_rows.add(subview(u, ghost, ALL), subview(u, row, ALL),
                 subview(m_signals, signal), step, SignalOp::set, pe);
    m_rows.enqueue(Exec());
  }

 private:
  Strip const& m_strip;
  Signals<symm::SymmetricSpace> m_signals{"signals"};
  symm::PutSignals m_rows;
};

// The host sends after the kernels have finished, and the host also waits. Use
// this if the host has other work to do in the meantime, or if its next action
// depends on which rows have arrived (symm::test).
class ByHost {
 public:
  explicit ByHost(Strip const& strip) : m_strip(strip) {}

  void wait(Signal step) const {
    symm::wait_until_all(m_strip.raised_here(m_signals), Compare::ge, step);
  }
  void send(Field const& u, Signal step) const {
    Exec().fence("halo: rows to send");
    for (auto const& [pe, row, ghost, signal] : m_strip.neighbors)
      symm::put_signal(subview(u, ghost, ALL), subview(u, row, ALL),
                       subview(m_signals, signal), step, SignalOp::set, pe);
  }

 private:
  Strip const& m_strip;
  Signals<symm::SymmetricHostSpace> m_signals{"signals"};  // which the host can
                                                           // poll
};

// For comparison: all PEs of the plate wait for each other.
class ByBarrier {
 public:
  explicit ByBarrier(Strip const& strip) : m_strip(strip) {}

  void wait(Signal /*step*/) const { symm::barrier(Exec(), m_strip.team); }
  void send(Field const& u, Signal /*step*/) const {
    for (auto const& [pe, row, ghost, signal] : m_strip.neighbors)
      symm::put(Exec(), subview(u, ghost, ALL).data(),
                subview(u, row, ALL).data(), u.extent(1), pe);
  }

 private:
  Strip const& m_strip;
};

// For comparison: messages with an MPI that need not be GPU-aware. (A rank in
// MPI_COMM_WORLD is the PE number.)
class ByMessages {
 public:
  explicit ByMessages(Strip const& strip) : m_strip(strip) {
    if (!Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                    Field::memory_space>::accessible)
      throw UsageError(
          "--exchange mpi: requires Views in host memory, but they are in GPU "
          "memory in this build");
  }

  void wait(Signal /*step*/) {
    MPI_Waitall(m_count, m_requests.data(), MPI_STATUSES_IGNORE);
    m_count = 0;
  }
  void send(Field const& u, Signal /*step*/) {
    Exec().fence("halo: rows to send");
    auto const count = u.extent_int(1);
    for (auto const& [pe, row, ghost, signal] : m_strip.neighbors) {
      int const mine = signal == 0 ? m_strip.own + 1 : 0;  // my ghost row
      MPI_Irecv(&u(mine, 0), count, MPI_DOUBLE, pe, 0, MPI_COMM_WORLD, next());
      MPI_Isend(&u(row, 0), count, MPI_DOUBLE, pe, 0, MPI_COMM_WORLD, next());
    }
  }

 private:
  MPI_Request* next() {
    return &m_requests[static_cast<std::size_t>(m_count++)];
  }

  Strip const& m_strip;
  std::array<MPI_Request, 4> m_requests{};
  int m_count = 0;
};

// The largest value on the plate: a reduction over its PE team, enqueued after
// the kernels. The host then looks at the result.
using Number = Kokkos::View<double, symm::SymmetricSpace>;
double largest_of(Field const& u, Strip const& strip, Number const& mine,
                  Number const& all) {
  Kokkos::parallel_reduce(
      "halo: largest",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(
          {1, 1}, {strip.own + 1, strip.size + 1}),
      KOKKOS_LAMBDA(int i, int j, double& largest) {
        largest = Kokkos::max(largest, Kokkos::abs(u(i, j)));
      },
      Kokkos::Max<double, symm::SymmetricSpace>(mine));
  symm::reduce(Exec(), strip.team, all, mine, symm::Max{});
  double result = 0;
  Kokkos::deep_copy(Exec(), result, all);
  Exec().fence("halo: largest");
  return result;
}

// Returns whether the result is correct.
template <class Exchange>
bool solve(Strip const& strip, Options const& options, char const* name) {
  // Collective over all PEs, with equal extents: room for the largest number of
  // rows.
  auto const rows    = static_cast<std::size_t>(strip.most) + 2;
  auto const columns = static_cast<std::size_t>(strip.size) + 2;
  Field u_old("u_old", rows, columns);
  Field u_new("u_new", rows, columns);
  Number const mine("largest of mine");
  Number const all("largest of all");
  Exchange exchange(strip);
  start(u_old, strip);
  symm::barrier(Exec(), strip.team);  // all PEs have filled their ghost rows

  int const own     = strip.own;
  bool const speaks = strip.team.my_pe() == 0;
  int steps         = 0;
  double largest    = 1;
  Kokkos::Timer timer;
  double told = 0;
  while (largest > options.until) {
    for (int n = 0; n < options.look_every; ++n) {
      exchange.wait(static_cast<Signal>(steps));
      // My outermost rows come first, so that they are in flight while the
      // other rows are being updated.
      update(u_old, u_new, strip.size, 1, own - 1, own == 1 ? 1 : 2);
      ++steps;
      exchange.send(u_new, static_cast<Signal>(steps));
      update(u_old, u_new, strip.size, 2, 1, own - 2);
      std::swap(u_old, u_new);
    }
    largest = largest_of(u_old, strip, mine, all);
    if (speaks && timer.seconds() > told + 2) {
      told = timer.seconds();
      std::printf("plate %d: step %d, largest value %.4f\n", strip.plate, steps,
                  largest);
    }
  }
  exchange.wait(static_cast<Signal>(steps));  // nothing is in flight anymore
  Exec().fence("halo: last step");
  double seconds = timer.seconds();

  auto const [error, checksum] = check(u_old, strip, steps);
  double const worst           = symm::reduce(strip.team, error, symm::Max{});
  std::uint64_t const sum = symm::reduce(strip.team, checksum, symm::Sum{});
  seconds                 = symm::reduce(strip.team, seconds, symm::Max{});
  // Each step rounds a few times, at values of at most 1.
  bool const is_correct = worst <= 1e-15 * (steps + 10.0);
  if (speaks) {
    double const points = 1.0 * strip.size * strip.size * steps;
    std::printf(
        "plate %d: %d x %d points, %d steps: max. error %.1e, checksum "
        "%016llx: %s\n",
        strip.plate, strip.size, strip.size, steps, worst,
        static_cast<unsigned long long>(sum), is_correct ? "correct" : "WRONG");
    std::printf("plate %d: %d PEs, %s: %s, %.0f million points/s\n",
                strip.plate, strip.team.n_pes(), name,
                examples::step_time_text(seconds, steps).c_str(),
                1e-6 * points / seconds);
  }
  return is_correct;
}

int run(int argc, char* argv[]) {
  auto const options = parse_options(argc, argv);
  if (options.help) {
    if (symm::my_pe() == 0) std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  Strip strip(options);
  bool is_correct = false;
  switch (options.way) {
    case Way::stream:
      is_correct = solve<InStream>(strip, options, "signals in the stream");
      break;
    case Way::host:
      is_correct = solve<ByHost>(strip, options, "signals of the host");
      break;
    case Way::barrier:
      is_correct = solve<ByBarrier>(strip, options, "barriers");
      break;
    case Way::mpi:
      is_correct = solve<ByMessages>(strip, options, "messages of MPI");
      break;
  }
  symm::team_destroy(strip.team);
  return is_correct ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    try {
      return run(argc, argv);
    } catch (UsageError const& error) {
      if (symm::my_pe() == 0)
        std::fprintf(stderr, "halo_signals: %s; see --help\n", error.what());
      return 2;
    }
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "halo_signals: %s\n", error.what());
    return 1;
  }
}
