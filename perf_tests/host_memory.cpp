// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Host memory that kernels reach, made in two ways: SymmetricHostSpace (memory
// of the CUDA driver's virtual memory management, on a NUMA node) and a memfd
// that every process maps and registers with CUDA. The design takes the one
// that measures better.
//
// PE 0 copies between its GPU's memory and PE 1's host memory: a kernel (loads
// and stores of 16 bytes) and a copy that the host starts; and between a
// private block (pinned, so that kernels can fill and check it) and PE 1's host
// memory with its CPU: memcpy, and a loop over words. Every way has a block of
// its own in either memory; "again" is the memfd once more.

#include <cuda_runtime_api.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/RegisteredMemfd.hpp"
#include "harness/Access.hpp"
#include "harness/CudaCheck.hpp"
#include "harness/Session.hpp"
#include "kernels/CopyKernels.hpp"
#include "kernels/Lanes.hpp"

namespace perf::host_memory_benchmark {
namespace {

using Words    = std::uint64_t*;
using HostView = Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace>;

using PinnedView = Kokkos::View<std::uint64_t*, Kokkos::CudaHostPinnedSpace>;

constexpr std::size_t mib = std::size_t{1} << 20U;

/// `copy(target, source, bytes)`, which may return before the copy is done.
using Copy = void (*)(Words, std::uint64_t const*, std::size_t);

void copy_by_kernel(Words target, std::uint64_t const* source,
                    std::size_t bytes) {
  constexpr int blocks = 264;
  copy_with_teams(Kokkos::Cuda{}, Plain<Quad>{reinterpret_cast<Quad*>(target)},
                  Plain<Quad const>{reinterpret_cast<Quad const*>(source)},
                  bytes / sizeof(Quad), blocks);
}

void copy_by_engine(Words target, std::uint64_t const* source,
                    std::size_t bytes) {
  check_cuda(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault,
                             Kokkos::Cuda{}.cuda_stream()),
             "cudaMemcpyAsync");
}

void copy_by_memcpy(Words target, std::uint64_t const* source,
                    std::size_t bytes) {
  std::memcpy(target, source, bytes);
  clobber_memory();
}

/// A loop that the compiler does not replace by memcpy.
[[gnu::noinline]] void copy_by_loop(Words target, std::uint64_t const* source,
                                    std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) {
    auto const word = source[i];
    asm volatile("" ::"r"(word));
    target[i] = word;
  }
}

/// Fills Lanes with one way to copy, between near memory and all kinds of far
/// memory, which it has.
class HostMemory {
 public:
  HostMemory(Session const& session, Lanes& lanes, std::size_t bytes,
             std::string const& way, bool is_near_on_gpu, Copy copy)
      : m_lanes(lanes),
        m_bytes(bytes),
        m_is_near_on_gpu(is_near_on_gpu),
        m_copy(copy) {
    std::string const baseline = way + ", registered memfd";
    add_memfd(session, baseline, "");
    add_memfd(session, baseline + ", again", baseline);
    add_symmetric(way + ", SymmetricHostSpace", baseline);
  }

 private:
  [[nodiscard]] Words make_near() {
    std::size_t const bytes = m_lanes.pair().is_active() ? m_bytes : 0;
    if (!m_is_near_on_gpu)
      return m_pinned.emplace_back(uninitialized<PinnedView>("near", bytes))
          .data();
    return m_near
        .emplace_back(uninitialized<NearView<std::uint64_t>>("near", bytes))
        .data();
  }

  /// \param far  as PE 0 and as its owner see it: each in its own process.
  void add(std::string const& name, std::string const& baseline, Words theirs,
           Words mine) {
    auto* const near   = make_near();
    Words const target = m_lanes.is_put() ? theirs : near;
    Words const source = m_lanes.is_put() ? near : theirs;
    m_lanes.add(name, baseline, words_of(near, m_bytes),
                words_of(mine, m_bytes),
                [copy = m_copy, target, source](Lanes::Shape const& shape,
                                                std::int64_t iterations) {
                  for (std::int64_t n = 0; n < iterations; ++n)
                    copy(target, source, shape.bytes);
                  Kokkos::Cuda{}.fence();
                });
  }

  void add_memfd(Session const& session, std::string const& name,
                 std::string const& baseline) {
    auto* const words =
        m_memfds.emplace_back(m_lanes.pair().peer(), session.my_pe(), m_bytes)
            .data();
    add(name, baseline, words, words);
  }

  void add_symmetric(std::string const& name, std::string const& baseline) {
    auto const far = m_far.emplace_back(uninitialized<HostView>(name, m_bytes));
    add(name, baseline, symm::peer_view(far, m_lanes.pair().peer()).data(),
        far.data());
  }

  Lanes& m_lanes;
  std::size_t m_bytes;
  bool m_is_near_on_gpu;
  Copy m_copy;
  std::deque<PinnedView> m_pinned;
  std::deque<NearView<std::uint64_t>> m_near;
  std::deque<HostView> m_far;
  std::deque<RegisteredMemfd> m_memfds;
};

void measure_way(Session& session, std::string const& way, bool is_near_on_gpu,
                 Copy copy) {
  std::size_t const size = session.quick() ? mib : 256 * mib;
  auto const bytes       = static_cast<std::int64_t>(size);
  for (Direction const direction : {Direction::put, Direction::get}) {
    Lanes lanes(OneSided(session), direction);
    HostMemory const memory(session, lanes, size, way, is_near_on_gpu, copy);
    lanes.measure(
        session,
        {{{"bytes", bytes}, {"put", direction == Direction::put ? 1 : 0}},
         bytes},
        {size});
  }
}

void measure(Session& session) {
  measure_way(session, "kernel", true, copy_by_kernel);
  measure_way(session, "cudaMemcpyAsync", true, copy_by_engine);
  measure_way(session, "memcpy", false, copy_by_memcpy);
  measure_way(session, "CPU loop", false, copy_by_loop);
}

Registered const registered{"host_memory", measure};

}  // namespace
}  // namespace perf::host_memory_benchmark
