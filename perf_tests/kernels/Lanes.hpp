// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_LANES_HPP
#define SYMM_PERF_LANES_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/OneSided.hpp"
#include "harness/Session.hpp"

namespace perf {

[[nodiscard]] inline std::string text_of(Direction direction) {
  return direction == Direction::put ? "put" : "get";
}

/// Private GPU memory of PE 0: the near end of a copy.
template <class T>
using NearView = Kokkos::View<T*, Kokkos::CudaSpace>;
/// Symmetric memory. The copy on PE 0's peer is the far end.
template <class T>
using FarView = Kokkos::View<T*, symm::SymmetricCudaSpace>;

template <class T>
[[nodiscard]] DeviceWords words_of(T* first, std::size_t bytes) {
  return DeviceWords(reinterpret_cast<std::uint64_t*>(first),
                     bytes / sizeof(std::uint64_t));
}

/// Several ways to copy between PE 0 and its peer. Each has its own source and
/// target, so that none finds another's data.
class Lanes {
 public:
  /// What one measurement copies, and with how many thread blocks.
  struct Shape {
    std::size_t bytes;
    int blocks = 0;
  };
  using Run = std::function<void(Shape const&, std::int64_t iterations)>;

  Lanes(OneSided const& pair, Direction direction)
      : m_pair(pair), m_direction(direction) {}

  /// \param near  used only on PE 0.
  /// \param far   this PE's copy; only the copy on PE 0's peer is used.
  /// \param run   copies and waits; called only on PE 0.
  void add(std::string name, std::string baseline, DeviceWords near,
           DeviceWords far, Run run) {
    m_lanes.push_back(
        {std::move(name), std::move(baseline), near, far, std::move(run)});
  }

  /// Writes the pattern into the first `bytes` of all sources and zeros into
  /// the targets, measures, and counts wrong elements in the targets.
  /// Collective.
  void measure(Session& session, Case const& measured, Shape const& shape) {
    for (Lane const& lane : m_lanes) reset(lane, shape.bytes);
    symm::barrier_all(Kokkos::Cuda{});
    std::vector<Contestant> contestants;
    for (Lane const& lane : m_lanes)
      contestants.push_back({lane.name, lane.baseline,
                             m_pair.active([&lane, shape](std::int64_t n) {
                               lane.run(shape, n);
                             })});
    session.compare(measured, contestants);
    symm::barrier_all(Kokkos::Cuda{});
    std::int64_t wrong = 0;
    if (m_pair.has_target(m_direction))
      for (Lane const& lane : m_lanes)
        wrong += count_wrong(part(target(lane), shape.bytes),
                             m_pair.from(m_direction), m_pair.to(m_direction));
    session.verify(text_of(m_direction) + ", " + std::to_string(shape.bytes) +
                       " bytes, " + std::to_string(shape.blocks) + " blocks",
                   wrong);
  }

  [[nodiscard]] OneSided const& pair() const { return m_pair; }
  [[nodiscard]] bool is_put() const { return m_direction == Direction::put; }

 private:
  struct Lane {
    std::string name;
    std::string baseline;
    DeviceWords near;
    DeviceWords far;
    Run run;
  };

  [[nodiscard]] DeviceWords source(Lane const& lane) const {
    return is_put() ? lane.near : lane.far;
  }
  [[nodiscard]] DeviceWords target(Lane const& lane) const {
    return is_put() ? lane.far : lane.near;
  }
  [[nodiscard]] static DeviceWords part(DeviceWords const& words,
                                        std::size_t bytes) {
    return DeviceWords(words.data(), bytes / sizeof(std::uint64_t));
  }

  void reset(Lane const& lane, std::size_t bytes) const {
    if (m_pair.has_source(m_direction))
      fill_pattern(part(source(lane), bytes), m_pair.from(m_direction),
                   m_pair.to(m_direction));
    if (m_pair.has_target(m_direction))
      Kokkos::deep_copy(part(target(lane), bytes), 0);
  }

  OneSided m_pair;
  Direction m_direction;
  std::deque<Lane> m_lanes;
};

/// Blocks in NVSHMEM's heap that are freed together. Allocation and destruction
/// are collective.
class NvshmemBlocks {
 public:
  NvshmemBlocks() = default;
  ~NvshmemBlocks() {
    for (void* block : m_blocks) nvshmem::deallocate(block);
  }
  NvshmemBlocks(NvshmemBlocks const&)            = delete;
  NvshmemBlocks& operator=(NvshmemBlocks const&) = delete;

  template <class T>
  [[nodiscard]] T* allocate(std::size_t bytes) {
    m_blocks.reserve(m_blocks.size() + 1);
    return static_cast<T*>(m_blocks.emplace_back(nvshmem::allocate(bytes)));
  }

 private:
  std::vector<void*> m_blocks;
};

template <class View>
[[nodiscard]] View uninitialized(std::string const& label, std::size_t bytes) {
  return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
              bytes / sizeof(typename View::value_type));
}

}  // namespace perf

#endif
