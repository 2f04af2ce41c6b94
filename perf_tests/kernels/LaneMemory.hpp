// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_LANE_MEMORY_HPP
#define SYMM_PERF_LANE_MEMORY_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "harness/Access.hpp"
#include "kernels/Lanes.hpp"

namespace perf {

/// Adds to Lanes several ways to copy elements of type T with kernels. Owns
/// their memory, which must outlive the measurements.
template <class T>
class LaneMemory {
 public:
  /// \param bytes  of each source and target.
  LaneMemory(Lanes& lanes, std::size_t bytes)
      : m_lanes(lanes), m_bytes(bytes) {}

  /// `copy(target, source, shape)` starts a copy. Targets and sources are of
  /// the types in Access.hpp; the peer's are accessed with a plain pointer.
  template <class Copy>
  void add_plain(std::string const& name, std::string const& baseline,
                 Copy const& copy) {
    add(name, baseline, copy, [](FarView<T> const& far, int peer) {
      return Plain<T>{symm::peer_view(far, peer).data()};
    });
  }

  /// The same, with a global_view and with a peer_view.
  template <class Copy>
  void add_views(std::string const& baseline, Copy const& copy) {
    add("global_view", baseline, copy,
        [](FarView<T> const& far, int peer) { return on_pe(far, peer); });
    add("peer_view", baseline, copy, [](FarView<T> const& far, int peer) {
      auto const theirs = symm::peer_view(far, peer);
      return InView<std::remove_const_t<decltype(theirs)>>{theirs};
    });
  }

  /// `put` and `get` are called as copy(target, source, shape, pe, stream).
  template <class Put, class Get>
  void add_nvshmem(std::string const& name, std::string const& baseline,
                   Put const& put, Get const& get) {
    auto* const near  = m_nvshmem.allocate<T>(m_bytes);
    auto* const far   = m_nvshmem.allocate<T>(m_bytes);
    int const peer    = m_lanes.pair().peer();
    bool const is_put = m_lanes.is_put();
    m_lanes.add(name, baseline, words_of(near, m_bytes), words_of(far, m_bytes),
                [=](Lanes::Shape const& shape, std::int64_t iterations) {
                  Kokkos::Cuda const cuda;
                  for (std::int64_t n = 0; n < iterations; ++n)
                    if (is_put)
                      put(far, near, shape, peer, cuda.cuda_stream());
                    else
                      get(near, far, shape, peer, cuda.cuda_stream());
                  cuda.fence();
                });
  }

 private:
  template <class Copy, class MakeFar>
  void add(std::string const& name, std::string const& baseline,
           Copy const& copy, MakeFar const& make_far) {
    auto const far  = uninitialized<FarView<T>>(name, m_bytes);
    auto const near = uninitialized<NearView<T>>(
        name, m_lanes.pair().is_active() ? m_bytes : 0);
    m_far.push_back(far);
    m_near.push_back(near);
    Plain<T> const here{near.data()};
    auto const there  = make_far(far, m_lanes.pair().peer());
    bool const is_put = m_lanes.is_put();
    m_lanes.add(name, baseline, words_of(near.data(), m_bytes),
                words_of(far.data(), m_bytes),
                [=](Lanes::Shape const& shape, std::int64_t iterations) {
                  for (std::int64_t n = 0; n < iterations; ++n)
                    if (is_put)
                      copy(there, here, shape);
                    else
                      copy(here, there, shape);
                  Kokkos::Cuda{}.fence();
                });
  }

  Lanes& m_lanes;
  std::size_t m_bytes;
  std::vector<FarView<T>> m_far;
  std::vector<NearView<T>> m_near;
  NvshmemBlocks m_nvshmem;
};

}  // namespace perf

#endif
