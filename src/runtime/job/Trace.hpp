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

/// Counts and times the operations that this PE's host performs, by kind and by
/// peer, from the start of the job until finalize() (SYMM_TRACE).
///
/// If operations are nested (as barriers are in a collective operation), only
/// the outermost operation is counted. Waits for other PEs are counted even
/// inside another operation.
class Trace final : public Observer {
 public:
  using Heaps = std::array<SymmetricHeap const*, n_memory_kinds>;

  /// Observes operations until end() or destruction.
  /// \param bootstrap Must outlive this object.
  /// \param heaps The heap for each kind of memory, or null. All must outlive
  ///        this object.
  /// \param prefix The start of the file name.
  /// \throws SystemError on this PE if the file cannot be created;
  ///         std::bad_alloc if there is no memory for the counters (128 bytes
  ///         for each PE of the job).
  Trace(Bootstrap& bootstrap, Heaps const& heaps, std::string_view prefix);
  ~Trace() override;

  void begin(Operation const& operation) noexcept override;
  void end(Operation const& operation) noexcept override;

  /// Stops observing and writes this PE's file. On PE 0, also prints the table
  /// for all PEs. If the file cannot be written, prints an error message to
  /// stderr. Collective, through the bootstrap; must be called only once.
  void end();

 private:
  struct Tally {
    std::atomic<std::uint64_t> n_calls{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> nanoseconds{0};
    std::atomic<std::uint64_t> longest{0};

    void add(std::uint64_t its_bytes, std::uint64_t its_time) noexcept;
  };
  /// The kinds of operations that have a single peer: put, get, atomic, signal.
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
  // The highest value so far for each kind of memory, sampled after each
  // allocation call.
  std::array<std::atomic<std::size_t>, n_memory_kinds> m_live_bytes{};
  std::array<std::atomic<std::size_t>, n_memory_kinds> m_mapped_bytes{};
};

}  // namespace symm::Impl

#endif
