// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_TRACE_HPP
#define SYMM_JOB_TRACE_HPP

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../base/Observer.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

class Bootstrap;
class SymmetricHeap;

/// Counts and times the operations of this PE's host, by kind and by peer, from
/// the start of the job to finalize() (SYMM_TRACE).
///
/// Of nested operations (the barriers of a collective operation), only the
/// outermost counts. Waiting for other PEs is counted wherever it happens.
class Trace final : public Observer {
 public:
  using Heaps = std::array<SymmetricHeap const*, n_memory_kinds>;

  /// Observes from now on, until it ends.
  /// \param bootstrap outlives this, as the heaps do.
  /// \param heaps     by kind of memory; null: there is none.
  /// \param prefix    of the file's name.
  /// \throws SystemError on this PE, if the file cannot be created; OutOfMemory
  ///         for 96 bytes a PE of the job.
  Trace(Bootstrap& bootstrap, Heaps const& heaps, std::string_view prefix);
  ~Trace() override;

  void begin(Operation const& operation) noexcept override;
  void end(Operation const& operation) noexcept override;

  /// Collective, once, through the bootstrap: stops, writes this PE's file (if
  /// that fails, says so on stderr), and prints all PEs' table on PE 0.
  void end();

 private:
  struct Tally {
    std::atomic<std::uint64_t> n_calls{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> nanoseconds{0};
    std::atomic<std::uint64_t> longest{0};

    void add(std::uint64_t its_bytes, std::uint64_t its_time) noexcept;
  };
  /// The kinds that have one peer: put, get, atomic, signal.
  static constexpr std::size_t n_peer_kinds = 4;
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  struct Row;

  [[nodiscard]] Tally& of(OperationKind kind) {
    return m_kinds[index_of(kind)];
  }
  [[nodiscard]] Row row() const;
  void look_at_heaps() noexcept;
  void write_file(double seconds) const;
  void print_table(std::vector<Row> const& rows) const;

  Bootstrap& m_bootstrap;
  Heaps m_heaps;
  std::string m_name;
  std::unique_ptr<std::FILE, Close> m_file;
  std::chrono::steady_clock::time_point m_start;
  std::array<Tally, n_operation_kinds> m_kinds;
  std::vector<std::array<Tally, n_peer_kinds>> m_peers;
  // The most so far, by kind of memory, read after the calls that change it.
  std::array<std::atomic<std::size_t>, n_memory_kinds> m_live_bytes{};
  std::array<std::atomic<std::size_t>, n_memory_kinds> m_mapped_bytes{};
};

}  // namespace symm::Impl

#endif
