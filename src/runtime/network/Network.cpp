// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Network.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "../engines/MessageEngines.hpp"
#include "../pes/Rendezvous.hpp"
#include "../symm_errors.hpp"
#include "../transport/Transport_Messages.hpp"

namespace symm::Impl {

namespace {

/// The address of [offset, offset + bytes) in this PE's part; null if the range
/// extends beyond the part.
char* find_in(HeapMap const& map, std::size_t offset, std::size_t bytes) {
  bool const is_there = offset < map.stride && bytes <= map.stride - offset;
  return is_there ? map.part(map.my_pe) + offset : nullptr;
}

void check_equal(Bootstrap& bootstrap, MessageEngineOptions const& options) {
  auto const other = difference_of(bootstrap, options.peer_timeout);
  if (!other) return;
  std::array<char, 128> values{};
  static_cast<void>(std::snprintf(values.data(), values.size(),
                                  "%g on PE 0, %g on PE %d", other->of_first,
                                  other->value, other->pe));
  throw UsageError(Text("SYMM_PEER_TIMEOUT differs between PEs: ",
                        values.data(), "; start all PEs with the same value"));
}

}  // namespace

Network::Network(Bootstrap& bootstrap, FdExchange& exchange, Vmm& vmm)
    : m_bootstrap(bootstrap), m_nodes(exchange.nodes()) {
  auto const agree = agree_through(bootstrap);
  MessageEngineOptions options;
  all_or_none(agree, "reading the settings of messages between nodes",
              [&] { options = MessageEngineOptions::from_environment(); });
  check_equal(bootstrap, options);
  auto const& kind = choose_message_engine(bootstrap, m_nodes.n());
  auto engine      = kind.make(bootstrap, exchange, vmm, options);
  all_or_none(agree, "starting the transport between nodes", [&] {
    m_transport = std::make_unique<Transport_Messages>(
        bootstrap.my_pe(), bootstrap.n_pes(), std::move(engine), *this,
        [&bootstrap] { bootstrap.abort(); }, Transport_Messages::Options{});
  });
}

Network::~Network() = default;

Transport& Network::transport() const { return *m_transport; }

void Network::open(SymmetricHeap& heap) {
  m_heaps[index_of(heap.memory())] = &heap;
  if (heap.memory() != MemoryKind::host) return;
  heap.tell_before_removal(
      [this](std::size_t offset) { m_transport->forget_chunk(offset); });
}

void Network::open_rendezvous(Rendezvous& rendezvous) {
  m_lost_pe    = rendezvous.lost_pe();
  m_rendezvous = &rendezvous;
}

std::string_view Network::host_of(Pe pe) const noexcept {
  return m_nodes.host_of(pe);
}

char const* Network::call() const noexcept {
  auto const* const rendezvous = m_rendezvous.load();
  return rendezvous == nullptr ? nullptr : rendezvous->call();
}

PeProgress Network::progress() const noexcept {
  auto const* const rendezvous = m_rendezvous.load();
  return rendezvous == nullptr ? PeProgress{} : rendezvous->progress();
}

void Network::open_gpu(MemoryProvider& provider) {
  m_gpu =
      std::make_unique<GpuAccessQueue>(provider, GpuAccessQueue::Changes::some);
  m_staging = std::make_unique<GpuStaging>(provider);
}

char* Network::find(Segment segment, std::size_t offset,
                    std::size_t bytes) noexcept {
  auto const kind =
      index_of(is_of_gpu(segment) ? MemoryKind::device : MemoryKind::host);
  if (segment == Segment::host_team_words ||
      segment == Segment::device_team_words) {
    auto const* const map = m_team_words[kind].load();
    return map == nullptr ? nullptr : find_in(*map, offset, bytes);
  }
  if (segment != Segment::host_heap && segment != Segment::device_heap) {
    return nullptr;
  }
  auto const* const heap = m_heaps[kind].load();
  if (heap == nullptr) return nullptr;
  char* const address = find_in(heap->map(), offset, bytes);
  bool const is_there = address != nullptr && heap->is_mapped(address, bytes);
  return is_there ? address : nullptr;
}

MemoryRange Network::find_around(Segment segment, std::size_t offset,
                                 std::size_t bytes) noexcept {
  bool const is_heap =
      segment == Segment::host_heap || segment == Segment::device_heap;
  auto const* const heap =
      is_heap ? m_heaps[index_of(is_of_gpu(segment) ? MemoryKind::device
                                                    : MemoryKind::host)]
                    .load()
              : nullptr;
  if (heap == nullptr)
    return TransportTarget::find_around(segment, offset, bytes);
  auto const around = heap->mapped_around(offset, bytes);
  if (around.bytes == 0) return {};
  auto const& map = heap->map();
  return {map.part(map.my_pe) + around.offset, around.offset, around.bytes};
}

std::optional<std::ptrdiff_t> Network::distance_to_near(int number) noexcept {
  auto const* const heap = m_heaps[index_of(MemoryKind::host)].load();
  bool const is_there =
      static_cast<unsigned>(number) < static_cast<unsigned>(m_nodes.n_near());
  if (heap == nullptr || !is_there) return std::nullopt;
  return heap->map().distance(m_nodes.first_near() + number);
}

bool Network::find_remote(void const* address, std::size_t bytes, Pe pe,
                          PeMemory& found) const noexcept {
  constexpr std::array heaps{Segment::host_heap, Segment::device_heap};
  constexpr std::array team_words{Segment::host_team_words,
                                  Segment::device_team_words};
  auto const find = [&](HeapMap const& map, Segment segment) {
    auto const offset = map.offset_of(address);
    found             = {pe, segment, offset};
    return bytes <= map.stride - offset && 0 <= pe && pe < map.n_pes;
  };
  for (auto const kind : {MemoryKind::host, MemoryKind::device}) {
    auto const* const heap = m_heaps[index_of(kind)].load();
    if (heap != nullptr && heap->map().contains(address)) {
      return find(heap->map(), heaps[index_of(kind)]) &&
             heap->is_mapped(address, bytes);
    }
    auto const* const words = m_team_words[index_of(kind)].load();
    if (words != nullptr && words->contains(address)) {
      return find(*words, team_words[index_of(kind)]);
    }
  }
  return false;
}

void Network::open_ring(MemoryProvider& provider) {
  m_gpu_memory = &provider;
  m_ring       = std::make_unique<ProxyServer>(
      m_bootstrap.my_pe(), m_bootstrap.n_pes(), *m_transport, provider, *this,
      [this](void const* address, std::size_t bytes, Pe pe, PeMemory& found) {
        return find_remote(address, bytes, pe, found);
      },
      [this] { m_bootstrap.abort(); });
  m_transport->set_kernel_requests(m_ring.get());
  provider.run_in_context([this] { set_ring_of_kernels(m_ring->ring()); });
}

void Network::close_ring() {
  if (m_ring == nullptr) return;
  m_ring->drain(nullptr);
  m_transport->set_kernel_requests(nullptr);
  m_gpu_memory->run_in_context([] { set_ring_of_kernels(nullptr); });
  m_ring = nullptr;
}

void Network::close() {
  auto const failure = failure_of([&] {
    close_ring();
    m_transport->close();
  });
  m_ring             = nullptr;
  m_staging          = nullptr;
  m_gpu              = nullptr;
  auto const failed  = agree(m_bootstrap, failure);
  if (failed) {
    throw_failure({failed->failure.kind,
                   Text("closing the transport between nodes: PE ", failed->pe,
                        ": ", failed->failure.message)});
  }
}

}  // namespace symm::Impl
