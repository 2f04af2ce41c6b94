// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_NETWORK_NETWORK_HPP
#define SYMM_NETWORK_NETWORK_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>

#include "../base/Types.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../memory/GpuAccessQueue.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../transport/GpuStaging.hpp"
#include "../transport/LostPe.hpp"
#include "../transport/ProxyServer.hpp"
#include "../transport/Transport.hpp"
#include "../transport/TransportTarget.hpp"

namespace symm::Impl {

class Rendezvous;
class Transport_Messages;

/// Owns a multi-node job's transport and gives the transport access to this
/// PE's memory.
class Network final : public TransportTarget {
 public:
  /// Collective.
  /// \param bootstrap Must outlive this object.
  /// \throws SystemError, UsageError on every PE.
  Network(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm);
  Network(Network const&)            = delete;
  Network& operator=(Network const&) = delete;
  /// If close() has not been called, other PEs may consider this PE lost.
  ~Network() override;

  [[nodiscard]] Transport& transport() const;

  /// Makes `heap` accessible to far PEs. No PE may access it before all PEs
  /// have called open(). Local.
  void open(SymmetricHeap& heap);
  /// Like open(), but for the PE teams' words in this PE's part of `map`.
  void open_team_words(MemoryKind kind, HeapMap const& map) {
    m_team_words_maps[index_of(kind)] = map;
    m_team_words[index_of(kind)]      = &m_team_words_maps[index_of(kind)];
  }
  /// Must be called before open() and open_team_words() for GPU memory. Local.
  /// \param provider The provider of that memory. Must stay valid until close()
  ///        returns.
  /// \throws SystemError, OutOfMemory on this PE.
  void open_gpu(MemoryProvider& provider);
  /// Enables kernels to access far PEs' memory. Must be called after all memory
  /// has been opened. Local.
  /// \throws SystemError, OutOfMemory on this PE.
  void open_ring(MemoryProvider& provider);
  /// The queue through which kernels send requests for far PEs; null before
  /// open_ring().
  [[nodiscard]] ProxyQueue* ring() const {
    return m_ring == nullptr ? nullptr : m_ring->ring();
  }
  /// For host operations on far PEs' GPU memory; null before open_gpu().
  [[nodiscard]] GpuStaging* staging() { return m_staging.get(); }

  /// Makes call(), progress() and lost_pe() take their results from
  /// `rendezvous`, which must stay valid until close() returns.
  void open_rendezvous(Rendezvous& rendezvous);

  [[nodiscard]] char* find(Segment segment, std::size_t offset,
                           std::size_t bytes) noexcept override;
  [[nodiscard]] MemoryRange find_around(Segment segment, std::size_t offset,
                                        std::size_t bytes) noexcept override;
  [[nodiscard]] std::optional<std::ptrdiff_t> distance_to_near(
      int number) noexcept override;
  [[nodiscard]] GpuAccessQueue* gpu() noexcept override { return m_gpu.get(); }
  [[nodiscard]] std::string_view host_of(Pe pe) const noexcept override;
  [[nodiscard]] char const* call() const noexcept override;
  [[nodiscard]] PeProgress progress() const noexcept override;
  [[nodiscard]] LostPeRecord* lost_pe() noexcept override { return m_lost_pe; }

  /// Collective. After this call, no PE accesses memory on other nodes, and the
  /// memory may be freed.
  /// \throws SystemError on every PE.
  void close();

 private:
  /// Finds the object on `pe` that corresponds to `address`. Returns false if
  /// there is none.
  [[nodiscard]] bool find_remote(void const* address, std::size_t bytes, Pe pe,
                                 PeMemory& found) const noexcept;
  void close_ring();

  Bootstrap& m_bootstrap;
  Nodes const m_nodes;
  std::array<std::atomic<SymmetricHeap const*>, n_memory_kinds> m_heaps{};
  std::array<HeapMap, n_memory_kinds> m_team_words_maps;
  std::array<std::atomic<HeapMap const*>, n_memory_kinds> m_team_words{};
  std::unique_ptr<GpuAccessQueue> m_gpu;  // used by the transport
  std::unique_ptr<GpuStaging> m_staging;
  MemoryProvider* m_gpu_memory = nullptr;  // passed to open_ring()
  std::atomic<Rendezvous const*> m_rendezvous{nullptr};
  std::atomic<LostPeRecord*> m_lost_pe{nullptr};
  std::unique_ptr<Transport_Messages> m_transport;
  // Destroyed first, because its thread uses the transport.
  std::unique_ptr<ProxyServer> m_ring;
};

}  // namespace symm::Impl

#endif
