// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Trace.hpp"

#include <algorithm>
#include <cerrno>

#include "../base/Interrupted.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

using Clock = std::chrono::steady_clock;

// The times at which this thread began its operation and began to wait for PEs.
thread_local Clock::time_point s_start;
thread_local Clock::time_point s_waits_since;

constexpr std::array<char const*, n_operation_kinds> names{
    "put",   "get",     "atomic",     "signal",     "wait",
    "quiet", "barrier", "collective", "allocation", "waiting"};

/// With more PEs than this, the table shows only the extremes.
constexpr std::size_t max_rows = 32;

void raise(std::atomic<std::uint64_t>& most, std::uint64_t value) noexcept {
  auto now = most.load(std::memory_order_relaxed);
  while (now < value &&
         !most.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}

std::uint64_t nanoseconds_since(Clock::time_point start) noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(Clock::now() - start).count());
}

double seconds_of(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace

/// One PE's counts and times, for the table.
struct Trace::Row {
  struct Sum {
    std::uint64_t n_calls;
    std::uint64_t bytes;
    std::uint64_t nanoseconds;
  };
  std::array<Sum, n_operation_kinds> kinds;
  std::uint64_t live_bytes;
};

void Trace::Tally::add(std::uint64_t its_bytes,
                       std::uint64_t its_time) noexcept {
  n_calls.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(its_bytes, std::memory_order_relaxed);
  nanoseconds.fetch_add(its_time, std::memory_order_relaxed);
  raise(longest, its_time);
}

Trace::Trace(Bootstrap& bootstrap, Heaps const& heaps, std::string_view prefix)
    : m_bootstrap(bootstrap),
      m_heaps(heaps),
      m_name(std::string(prefix) + "." + std::to_string(bootstrap.my_pe()) +
             ".json"),
      m_file(uninterrupted([&] { return std::fopen(m_name.c_str(), "w"); })),
      m_start(Clock::now()),
      m_peers(static_cast<std::size_t>(bootstrap.n_pes())) {
  if (m_file == nullptr) {
    int const error = errno;
    throw SystemError(
        "SYMM_TRACE=" + std::string(prefix) + ": creating " + m_name, "fopen",
        error);
  }
  look_at_heaps();
  ObserverList::add(*this);
}

Trace::~Trace() { ObserverList::remove(*this); }

void Trace::begin(Operation const& operation) noexcept {
  bool const is_waiting = operation.kind == OperationKind::waiting_for_pes;
  (is_waiting ? s_waits_since : s_start) = Clock::now();
}

void Trace::end(Operation const& operation) noexcept {
  if (operation.kind == OperationKind::waiting_for_pes) {
    of(operation.kind).add(0, nanoseconds_since(s_waits_since));
    return;
  }
  auto const time = nanoseconds_since(s_start);
  of(operation.kind).add(operation.bytes, time);
  auto const kind = static_cast<std::size_t>(operation.kind);
  auto const pe   = static_cast<std::size_t>(operation.pe);
  if (kind < n_peer_kinds && pe < m_peers.size()) {
    m_peers[pe][kind].add(operation.bytes, time);
  }
  if (operation.kind == OperationKind::allocation) look_at_heaps();
}

void Trace::look_at_heaps() noexcept {
  for (std::size_t kind = 0; kind < n_memory_kinds; ++kind) {
    if (m_heaps[kind] == nullptr) continue;
    auto const stats = m_heaps[kind]->stats();
    raise(m_live_bytes[kind], stats.live_bytes);
    raise(m_mapped_bytes[kind], stats.mapped_bytes);
  }
}

Trace::Row Trace::row() const {
  Row row{};
  for (std::size_t kind = 0; kind < n_operation_kinds; ++kind) {
    auto const& tally = m_kinds[kind];
    row.kinds[kind]   = {tally.n_calls, tally.bytes, tally.nanoseconds};
  }
  for (auto const& bytes : m_live_bytes) row.live_bytes += bytes;
  return row;
}

void Trace::end() {
  ObserverList::remove(*this);
  write_file(seconds_of(nanoseconds_since(m_start)));
  auto const rows = allgather(m_bootstrap, row());
  if (m_bootstrap.my_pe() == 0) print_table(rows);
}

void Trace::write_file(double seconds) const {
  auto* const file       = m_file.get();
  auto const print_tally = [&](Tally const& tally) {
    std::fprintf(file,
                 "\"calls\": %llu, \"bytes\": %llu, \"seconds\": %.9f, "
                 "\"longest\": %.9f}",
                 static_cast<unsigned long long>(tally.n_calls),
                 static_cast<unsigned long long>(tally.bytes),
                 seconds_of(tally.nanoseconds), seconds_of(tally.longest));
  };
  std::fprintf(file, "{\"symm_trace\": 1, \"pe\": %d, \"n_pes\": %d,\n",
               m_bootstrap.my_pe(), m_bootstrap.n_pes());
  std::fprintf(file, " \"seconds\": %.9f,\n \"operations\": {", seconds);
  for (std::size_t kind = 0; kind < n_operation_kinds; ++kind) {
    std::fprintf(file, "%s\n  \"%s\": {", kind == 0 ? "" : ",", names[kind]);
    print_tally(m_kinds[kind]);
  }
  std::fprintf(file, "},\n \"peers\": [");
  char const* separator = "";
  for (std::size_t pe = 0; pe < m_peers.size(); ++pe) {
    for (std::size_t kind = 0; kind < n_peer_kinds; ++kind) {
      if (m_peers[pe][kind].n_calls == 0) continue;
      std::fprintf(file, "%s\n  {\"pe\": %zu, \"operation\": \"%s\", ",
                   separator, pe, names[kind]);
      print_tally(m_peers[pe][kind]);
      separator = ",";
    }
  }
  std::fprintf(file, "],\n \"heaps\": [");
  separator = "";
  for (std::size_t kind = 0; kind < n_memory_kinds; ++kind) {
    if (m_heaps[kind] == nullptr) continue;
    std::fprintf(file,
                 "%s\n  {\"memory\": \"%s\", \"max_live_bytes\": %zu, "
                 "\"max_mapped_bytes\": %zu}",
                 separator, kind == 0 ? "host" : "device",
                 m_live_bytes[kind].load(), m_mapped_bytes[kind].load());
    separator = ",";
  }
  std::fprintf(file, "]}\n");
  if (std::fflush(file) == 0 && std::ferror(file) == 0) return;
  std::fprintf(stderr,
               "symm::finalize: PE %d: %s (SYMM_TRACE) could not be written "
               "completely\n",
               m_bootstrap.my_pe(), m_name.c_str());
}

void Trace::print_table(std::vector<Row> const& rows) const {
  constexpr double mib = 1 << 20U;
  auto const print_row = [](char const* name, Row const& row) {
    auto const of = [&](OperationKind kind) -> auto const& {
      return row.kinds[index_of(kind)];
    };
    using enum OperationKind;
    std::fprintf(stderr, "%7s", name);
    for (auto const kind : {put, get}) {
      std::fprintf(stderr, " %11llu %9.1f",
                   static_cast<unsigned long long>(of(kind).n_calls),
                   static_cast<double>(of(kind).bytes) / mib);
    }
    std::fprintf(stderr, " %11llu %9llu",
                 static_cast<unsigned long long>(of(atomic).n_calls),
                 static_cast<unsigned long long>(of(signal).n_calls));
    for (auto const kind :
         {put, get, barrier, collective, wait, waiting_for_pes}) {
      std::fprintf(stderr, " %9.3f", seconds_of(of(kind).nanoseconds));
    }
    std::fprintf(stderr, " %9.1f\n", static_cast<double>(row.live_bytes) / mib);
  };
  std::fprintf(
      stderr,
      "symm: SYMM_TRACE: host operations of %zu PEs in %.3f s; %s "
      "and its siblings list them by peer\n"
      "     PE        puts       MiB        gets       MiB     atomics   "
      "signals"
      "    puts s    gets s barrier s collect s    wait s for PEs s  heap "
      "MiB\n",
      rows.size(), seconds_of(nanoseconds_since(m_start)), m_name.c_str());
  for (std::size_t pe = 0; pe < rows.size() && rows.size() <= max_rows; ++pe) {
    print_row(std::to_string(pe).c_str(), rows[pe]);
  }
  if (rows.size() == 1) return;
  // The minimum and maximum of each column.
  auto least = rows[0];
  auto most  = rows[0];
  for (auto const& row : rows) {
    for (std::size_t kind = 0; kind < n_operation_kinds; ++kind) {
      for (auto const figure :
           {&Row::Sum::n_calls, &Row::Sum::bytes, &Row::Sum::nanoseconds}) {
        auto const value          = row.kinds[kind].*figure;
        least.kinds[kind].*figure = std::min(least.kinds[kind].*figure, value);
        most.kinds[kind].*figure  = std::max(most.kinds[kind].*figure, value);
      }
    }
    least.live_bytes = std::min(least.live_bytes, row.live_bytes);
    most.live_bytes  = std::max(most.live_bytes, row.live_bytes);
  }
  print_row("least", least);
  print_row("most", most);
}

}  // namespace symm::Impl
