// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_NETWORK_HPP
#define SYMM_JOB_NETWORK_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/Nodes.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../memory/HeapMap.hpp"
#include "../transport/Transport.hpp"
#include "../transport/TransportTarget.hpp"

namespace symm::Impl {

/// What a job of several nodes has besides: the transport between them, and
/// where on this PE the memory is that it reaches.
class Network final : public TransportTarget {
 public:
  /// Collective; the transport is Transport::instance() from now on.
  /// \param bootstrap outlives it.
  /// \throws SystemError, UsageError on every PE.
  Network(Bootstrap& bootstrap, Nodes const& nodes);
  Network(Network const&)            = delete;
  Network& operator=(Network const&) = delete;
  /// Without close(), other PEs may take this one for lost.
  ~Network() override;

  [[nodiscard]] Transport& transport() { return *m_transport; }

  /// What other nodes reach from now on, in host memory. Local; no PE uses it
  /// before all have said so.
  void open(SymmetricHeap const& heap) { m_heap = &heap; }
  /// All of a part of the map.
  void open_team_words(HeapMap const& map) {
    m_team_words_map = map;
    m_team_words     = &m_team_words_map;
  }

  [[nodiscard]] char* find(Segment segment, std::size_t offset,
                           std::size_t bytes) noexcept override;

  /// Collective: no PE reaches another node any more. The memory can go then.
  /// \throws SystemError on every PE.
  void close();

 private:
  [[noreturn]] void end_job() noexcept;

  Bootstrap& m_bootstrap;
  std::atomic<SymmetricHeap const*> m_heap{nullptr};
  HeapMap m_team_words_map;
  std::atomic<HeapMap const*> m_team_words{nullptr};
  std::unique_ptr<Transport> m_transport;  // ends first
};

}  // namespace symm::Impl

#endif
