// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Copies between GPUs that the host starts: Kokkos::deep_copy to and from a
// peer_view against the CUDA runtime's calls.
//
// PE 0 copies between a View in CudaSpace and memory of PE 1. Baselines are
// cudaMemcpyPeerAsync and cudaMemcpyAsync, on memory of cudaMalloc that PE 0
// reaches by an interprocess handle ("IPC") and on the heap's own memory
// ("mapped"): the fastest of the four is the one to compare with. CUDA promises
// none of them for memory of another process that is mapped here: each is tried
// first, and left out, with a note, where CUDA refuses it.
//
// deep_copy with an execution space starts a copy as those calls do, and a
// sample waits once, for its last copy. deep_copy without one waits for each.

#include <cuda_runtime_api.h>
#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "baselines/IpcBlock.hpp"
#include "baselines/Nvshmem.hpp"
#include "harness/CudaCheck.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/Session.hpp"
#include "kernels/Lanes.hpp"

namespace perf::copy_bandwidth_benchmark {
namespace {

using Near = NearView<std::uint64_t>;
using Far  = FarView<std::uint64_t>;

constexpr std::size_t kib = std::size_t{1} << 10U;
constexpr std::size_t mib = std::size_t{1} << 20U;

std::vector<std::size_t> sizes(bool quick) {
  if (quick) return {4 * kib, mib + 8};
  return {64 * kib, mib, 16 * mib, 1024 * mib};
}

/// The GPU that CUDA takes the memory for one of; this PE's if it has no
/// number for it.
int device_of(void const* address) {
  cudaPointerAttributes attributes{};
  check_cuda(cudaPointerGetAttributes(&attributes, address),
             "cudaPointerGetAttributes");
  return attributes.device >= 0 ? attributes.device
                                : Kokkos::Cuda().cuda_device();
}

Lanes::Run run_async(std::uint64_t* target, std::uint64_t const* source) {
  return [=](Lanes::Shape const& shape, std::int64_t iterations) {
    Kokkos::Cuda const cuda;
    auto* const stream = cuda.cuda_stream();
    for (std::int64_t n = 0; n < iterations; ++n)
      check_cuda(cudaMemcpyAsync(target, source, shape.bytes, cudaMemcpyDefault,
                                 stream),
                 "cudaMemcpyAsync");
    cuda.fence();
  };
}

Lanes::Run run_peer_async(std::uint64_t* target, std::uint64_t const* source) {
  return [=, to = device_of(target), from = device_of(source)](
             Lanes::Shape const& shape, std::int64_t iterations) {
    Kokkos::Cuda const cuda;
    auto* const stream = cuda.cuda_stream();
    for (std::int64_t n = 0; n < iterations; ++n)
      check_cuda(
          cudaMemcpyPeerAsync(target, to, source, from, shape.bytes, stream),
          "cudaMemcpyPeerAsync");
    cuda.fence();
  };
}

/// The first `bytes` of a View.
template <class View>
auto part_of(View const& view, std::size_t bytes) {
  return Kokkos::subview(
      view, std::make_pair(std::size_t{0}, bytes / sizeof(std::uint64_t)));
}

template <class Target, class Source>
Lanes::Run run_deep_copy(Target const& target, Source const& source) {
  return [=](Lanes::Shape const& shape, std::int64_t iterations) {
    auto const to   = part_of(target, shape.bytes);
    auto const from = part_of(source, shape.bytes);
    for (std::int64_t n = 0; n < iterations; ++n) Kokkos::deep_copy(to, from);
  };
}

template <class Target, class Source>
Lanes::Run run_deep_copy_async(Target const& target, Source const& source) {
  return [=](Lanes::Shape const& shape, std::int64_t iterations) {
    Kokkos::Cuda const cuda;
    auto const to   = part_of(target, shape.bytes);
    auto const from = part_of(source, shape.bytes);
    for (std::int64_t n = 0; n < iterations; ++n)
      Kokkos::deep_copy(cuda, to, from);
    cuda.fence();
  };
}

/// Fills Lanes, and has their memory, which must outlive the measurements.
class CopyMemory {
 public:
  CopyMemory(Session& session, Lanes& lanes, std::size_t bytes)
      : m_session(session), m_lanes(lanes), m_bytes(bytes) {
    std::string const first = "cudaMemcpyPeerAsync, IPC";
    add_ipc(first, "", run_peer_async);
    add_ipc(first + ", again", first, run_peer_async);
    add_ipc("cudaMemcpyAsync, IPC", first, run_async);
    add_mapped("cudaMemcpyPeerAsync, mapped", first, run_peer_async);
    add_mapped("cudaMemcpyAsync, mapped", first, run_async);
    add_views("deep_copy(cuda, ...), peer_view", first,
              [](auto const& target, auto const& source) {
                return run_deep_copy_async(target, source);
              });
    add_views("deep_copy, peer_view", first,
              [](auto const& target, auto const& source) {
                return run_deep_copy(target, source);
              });
    if (nvshmem::available()) add_nvshmem(first);
  }

 private:
  using MakeRun = Lanes::Run (*)(std::uint64_t*, std::uint64_t const*);

  [[nodiscard]] Near make_near() {
    return m_near.emplace_back(
        uninitialized<Near>("near", m_lanes.pair().is_active() ? m_bytes : 0));
  }

  [[nodiscard]] Far make_far() {
    return m_far.emplace_back(uninitialized<Far>("far", m_bytes));
  }

  /// On PE 0, what copies between `near` and `far`, the addresses that it uses.
  [[nodiscard]] Lanes::Run run_of(MakeRun make_run, std::uint64_t* near,
                                  std::uint64_t* far) const {
    if (!m_lanes.pair().is_active()) return {};
    return m_lanes.is_put() ? make_run(far, near) : make_run(near, far);
  }

  /// Whether the copy that PE 0 has works at all; if not, a note. Collective.
  [[nodiscard]] bool works(std::string const& name, Lanes::Run const& run) {
    int works = 1;
    try {
      if (run) run({m_bytes}, 1);
    } catch (std::runtime_error const& error) {
      works = 0;
      static_cast<void>(cudaGetLastError());  // so that no other call has it
      m_session.report().note(name + ": " + error.what());
    }
    check_mpi(MPI_Bcast(&works, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
    return works != 0;
  }

  void add(std::string const& name, std::string const& baseline,
           DeviceWords const& near, DeviceWords const& far,
           Lanes::Run const& run) {
    if (works(name, run)) m_lanes.add(name, baseline, near, far, run);
  }

  void add_ipc(std::string const& name, std::string const& baseline,
               MakeRun make_run) {
    auto const near = make_near();
    auto* const far =
        m_ipc.emplace_back(m_lanes.pair().peer(), m_session.my_pe(), m_bytes)
            .data();
    add(name, baseline, words_of(near.data(), m_bytes), words_of(far, m_bytes),
        run_of(make_run, near.data(), far));
  }

  void add_mapped(std::string const& name, std::string const& baseline,
                  MakeRun make_run) {
    auto const near   = make_near();
    auto const far    = make_far();
    auto const theirs = symm::peer_view(far, m_lanes.pair().peer());
    add(name, baseline, words_of(near.data(), m_bytes),
        words_of(far.data(), m_bytes),
        run_of(make_run, near.data(), theirs.data()));
  }

  template <class MakeViewRun>
  void add_views(std::string const& name, std::string const& baseline,
                 MakeViewRun const& make_run) {
    auto const near   = make_near();
    auto const far    = make_far();
    auto const theirs = symm::peer_view(far, m_lanes.pair().peer());
    m_lanes.add(
        name, baseline, words_of(near.data(), m_bytes),
        words_of(far.data(), m_bytes),
        m_lanes.is_put() ? make_run(theirs, near) : make_run(near, theirs));
  }

  void add_nvshmem(std::string const& baseline) {
    auto* const near  = m_nvshmem.allocate<std::uint64_t>(m_bytes);
    auto* const far   = m_nvshmem.allocate<std::uint64_t>(m_bytes);
    int const peer    = m_lanes.pair().peer();
    bool const is_put = m_lanes.is_put();
    m_lanes.add(
        "NVSHMEM on_stream", baseline, words_of(near, m_bytes),
        words_of(far, m_bytes),
        [=](Lanes::Shape const& shape, std::int64_t iterations) {
          Kokkos::Cuda const cuda;
          auto* const stream = cuda.cuda_stream();
          for (std::int64_t n = 0; n < iterations; ++n)
            if (is_put)
              nvshmem::put_on_stream(far, near, shape.bytes, peer, stream);
            else
              nvshmem::get_on_stream(near, far, shape.bytes, peer, stream);
          cuda.fence();
        });
  }

  Session& m_session;
  Lanes& m_lanes;
  std::size_t m_bytes;
  std::deque<Near> m_near;
  std::deque<Far> m_far;
  std::deque<IpcBlock> m_ipc;
  NvshmemBlocks m_nvshmem;
};

void measure_direction(Session& session, Direction direction) {
  auto const all_sizes = sizes(session.quick());
  Lanes lanes(OneSided(session), direction);
  CopyMemory const memory(session, lanes, all_sizes.back());
  for (std::size_t const size : all_sizes) {
    auto const bytes = static_cast<std::int64_t>(size);
    lanes.measure(
        session,
        {{{"bytes", bytes}, {"put", direction == Direction::put ? 1 : 0}},
         bytes},
        {size});
  }
}

void measure(Session& session) {
  measure_direction(session, Direction::put);
  measure_direction(session, Direction::get);
}

Registered const registered{"copy_bandwidth", measure};

}  // namespace
}  // namespace perf::copy_bandwidth_benchmark
