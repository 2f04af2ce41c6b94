// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_SIMULATED_PES_HPP
#define SYMM_TEST_SIMULATED_PES_HPP

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <runtime/heap/ChunkMap.hpp>
#include <runtime/heap/ChunkSource.hpp>
#include <runtime/heap/Poison.hpp>
#include <runtime/pools/Stream.hpp>
#include <runtime/pools/StreamOrder.hpp>
#include <runtime/pools/StreamPool.hpp>

/// PEs with streams in simulated time, all in one process, to run memory pools
/// on. A stream is no more than the time at which all that was put into it will
/// have ended: what is put into it begins then, or when the host puts it there.
namespace symm_test::simulated {

using Time = std::uint64_t;

/// What waits for all PEs. PEs that make the same calls meet in the same order.
struct Meeting {
  enum class Kind { barrier, all_ended };
  Kind kind;
  std::size_t stream       = 0;  // of a barrier
  std::uint64_t argument   = 0;  // equal on all PEs
  std::uint64_t argument_2 = 0;
  friend bool operator==(Meeting const&, Meeting const&) = default;
};

/// The time of one PE.
struct Clock {
  explicit Clock(std::size_t n_streams) : ready(n_streams, 0) {}

  /// When what is put into a stream now begins.
  [[nodiscard]] Time begin(std::size_t stream) const {
    return std::max(host, ready[stream]);
  }
  /// When everything will have ended.
  [[nodiscard]] Time all() const {
    return std::max(host, *std::max_element(ready.begin(), ready.end()));
  }

  Time host = 0;            // its program is here
  std::vector<Time> ready;  // of each stream
  std::vector<Meeting> meetings;
  // Pairs (later, earlier) of what the pools have made to wait.
  std::vector<std::array<std::size_t, 2>> waits;
};

class SimulatedStream final : public symm::Impl::Stream {
 public:
  SimulatedStream(Clock& clock, std::size_t stream)
      : m_clock(clock), m_stream(stream) {}

  [[nodiscard]] bool is_idle() override {
    return m_clock.ready[m_stream] <= m_clock.host;
  }
  void fence() override { m_clock.host = m_clock.begin(m_stream); }
  void wait_for(Stream& earlier) override {
    auto const other = static_cast<SimulatedStream&>(earlier).m_stream;
    m_clock.ready[m_stream] =
        std::max(m_clock.ready[m_stream], m_clock.ready[other]);
    m_clock.waits.push_back({m_stream, other});
  }
  void barrier() override {
    m_clock.meetings.push_back({Meeting::Kind::barrier, m_stream});
  }
  [[nodiscard]] bool is_on_gpu() const override { return true; }

 private:
  Clock& m_clock;
  std::size_t m_stream;
};

/// A heap of addresses without memory.
class SimulatedHeap final : public symm::Impl::ChunkSource {
 public:
  static constexpr std::size_t unit  = std::size_t{64} << 10U;
  static constexpr std::size_t limit = std::size_t{4} << 20U;

  /// \param all_ended what follows when all PEs have waited and met.
  SimulatedHeap(symm::Pe my_pe, int n_pes, Clock& clock,
                std::function<void()> all_ended)
      : m_clock(clock),
        m_all_ended(std::move(all_ended)),
        m_bytes(limit * static_cast<std::size_t>(n_pes)),
        m_places(limit, unit) {
    void* const base =
        ::mmap(nullptr, m_bytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw std::runtime_error("mmap");
    m_map = {static_cast<char*>(base), limit, my_pe, n_pes};
  }
  SimulatedHeap(SimulatedHeap const&)            = delete;
  SimulatedHeap& operator=(SimulatedHeap const&) = delete;
  ~SimulatedHeap() override {
    for (symm::Pe pe = 0; pe < m_map.n_pes; ++pe) {
      symm::Impl::set_poisoned({m_map.base, limit, pe, m_map.n_pes}, 0, limit,
                               false);
    }
    ::munmap(m_map.base, m_bytes);
  }

  [[nodiscard]] symm::HeapMap const& map() const override { return m_map; }

  void meet(std::uint64_t argument, std::uint64_t argument_2 = 0) {
    m_clock.meetings.push_back(
        {Meeting::Kind::all_ended, 0, argument, argument_2});
    m_all_ended();
  }

  void grow(symm::Impl::Rendezvous::Call& call, symm::Impl::HeapBlocks& blocks,
            symm::Impl::HeapBlocks::Request const& request,
            std::size_t max_bytes,
            std::function<bool()> const& is_enough) override {
    blocks.prepare();
    m_places.prepare();
    meet(call.arguments[0], call.arguments[1]);
    if (is_enough()) return;
    auto const place = m_places.place_for(
        [&](std::size_t offset) {
          return blocks.missing_bytes(offset, request);
        },
        [&](std::size_t offset) { return blocks.free_bytes_at(offset); });
    if (request.bytes > limit || !place || place->needed > max_bytes) {
      throw symm::OutOfMemory("no room");
    }
    auto const bytes = std::min(place->wanted, max_bytes);
    m_places.add({place->offset, bytes});
    blocks.add_range(place->offset, bytes);
  }

  std::size_t trim(symm::Impl::Rendezvous::Call& call,
                   symm::Impl::HeapBlocks& blocks,
                   std::function<std::size_t()> const& max_bytes) override {
    meet(call.arguments[0], call.arguments[1]);
    return trim_step(blocks, max_bytes());
  }

  void prepare_to_trim(symm::Impl::HeapBlocks& blocks,
                       std::size_t n_ranges) override {
    blocks.prepare_to_remove(n_ranges + m_places.size() + 1);
  }

  std::size_t trim_step(symm::Impl::HeapBlocks& blocks,
                        std::size_t max_bytes) override {
    std::size_t removed = 0;
    for (auto i = m_places.size(); i > 0; --i) {
      auto const chunk = m_places.chunk(i - 1);
      if (chunk.bytes > max_bytes - removed) continue;
      if (!blocks.remove_range(chunk.offset, chunk.bytes)) continue;
      removed += chunk.bytes;
      m_places.remove(chunk.offset);
    }
    return removed;
  }

  [[nodiscard]] std::size_t mapped_bytes() const {
    return m_places.mapped_bytes();
  }

 private:
  Clock& m_clock;
  std::function<void()> m_all_ended;
  std::size_t m_bytes;
  symm::HeapMap m_map;
  symm::Impl::ChunkMap m_places;
};

/// What a PE has of pools, with the calls that Pools makes of them.
class SimulatedPe {
 public:
  SimulatedPe(symm::Pe my_pe, int n_pes, std::size_t n_streams)
      : clock(n_streams),
        order(n_pes),
        heap(my_pe, n_pes, clock, [this] { order.all_ended(); }) {
    for (std::size_t stream = 0; stream < n_streams; ++stream) {
      m_ids.push_back({this, stream});
    }
  }
  SimulatedPe(SimulatedPe const&)            = delete;
  SimulatedPe& operator=(SimulatedPe const&) = delete;

  [[nodiscard]] symm::Impl::StreamName name(std::size_t stream) const {
    return {&m_ids[stream],
            [](void const* what) -> std::unique_ptr<symm::Impl::Stream> {
              auto const& id = *static_cast<Id const*>(what);
              return std::make_unique<SimulatedStream>(id.pe->clock, id.stream);
            },
            &m_ids[stream], [](void const*) { return false; }};
  }
  std::uint32_t number_of(std::size_t stream) {
    return order.number_of(name(stream));
  }

  void make_pool(symm::MemPoolProperties const& properties) {
    pools.push_back(std::make_unique<symm::Impl::StreamPool>(
        ++m_n_pools, properties, heap, order));
  }

  void catch_up() {
    auto const ended = order.ended_here();
    if (ended == m_collected_to) return;
    m_collected_to       = ended;
    std::uint64_t in_use = 0;
    for (auto const& pool : pools) {
      pool->prepare_to_collect();
      pool->collect();
      in_use |= pool->streams_in_use();
    }
    order.forget_all_but(in_use);
  }

  char* malloc(std::size_t pool, std::size_t stream, std::size_t bytes,
               std::size_t phase) {
    catch_up();
    auto& its     = *pools[pool];
    auto* address = its.take(number_of(stream), bytes, phase, "");
    if (address != nullptr) return address;
    try {
      its.grow(bytes, phase);
    } catch (symm::OutOfMemory const&) {
      return nullptr;
    }
    catch_up();
    return its.take(number_of(stream), bytes, phase, "");
  }

  void free(std::size_t pool, std::size_t stream, std::size_t offset) {
    catch_up();
    pools[pool]->free(number_of(stream),
                      heap.map().part(heap.map().my_pe) + offset, false);
  }

  /// All that `earlier` has precedes what `later` gets.
  void order_after(std::size_t later, std::size_t earlier) {
    SimulatedStream(clock, later)
        .wait_for(*name(earlier).make(name(earlier).what));
    clock.waits.clear();
    catch_up();
    auto const first = number_of(later);
    order.order_after(first, number_of(earlier));
  }

  void barrier(std::size_t stream) {
    SimulatedStream(clock, stream).barrier();
    catch_up();
    order.barrier(number_of(stream));
  }

  /// A collective call of the heap.
  void call_heap() {
    heap.meet(0);
    catch_up();
    for (auto const& pool : pools) pool->release();
  }

  Clock clock;
  symm::Impl::StreamOrder order;
  SimulatedHeap heap;
  std::vector<std::unique_ptr<symm::Impl::StreamPool>> pools;

 private:
  struct Id {
    SimulatedPe* pe;
    std::size_t stream;
  };
  std::vector<Id> m_ids;
  std::uint64_t m_n_pools                          = 0;
  symm::Impl::StreamOrder::Position m_collected_to = 0;
};

}  // namespace symm_test::simulated

#endif
