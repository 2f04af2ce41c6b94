// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collective operations on GPUs: symm::broadcast, fcollect, alltoall and reduce
// (a sum of floats) that are enqueued on a stream, and symm::barrier there and
// in a kernel, of the team of all PEs, against NVSHMEM's and NCCL's.
//
// Bytes are those of a block, which is what an operation is given as its count.
// A sample is so many operations in one stream and a wait for the last one; of
// barriers in a kernel, one kernel with so many. Ours and NVSHMEM's end in a
// stream when all PEs have done their part, NCCL's when this PE's is done.
// Ours and NVSHMEM's are in the libraries' heaps, NCCL's in memory of
// cudaMalloc. NCCL has no barrier. It is left out if PEs share a GPU, which it
// refuses, and so are most sizes if these take turns.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "baselines/Nccl.hpp"
#include "baselines/Nvshmem.hpp"
#include "baselines/NvshmemCollectives.hpp"
#include "collectives/CollectiveLanes.hpp"
#include "harness/Session.hpp"
#include "kernels/Lanes.hpp"

namespace perf::collectives_benchmark {
namespace {

constexpr std::size_t kib = std::size_t{1} << 10U;
constexpr std::size_t mib = std::size_t{1} << 20U;

std::vector<std::size_t> sizes(Session const& session) {
  if (session.quick()) return {8, 64 * kib + 8};
  if (session.gpus().take_turns()) return {8, mib, 64 * mib};
  return {8, kib, 4 * kib, 32 * kib, 128 * kib, mib, 8 * mib, 64 * mib};
}

/// Iterations of a sample; 0: as many as take some time.
std::int64_t iterations(Session const& session) {
  return session.gpus().take_turns() ? 2 : 0;
}

/// `call(stream)` as many times as it is asked for, and a wait for the last.
template <class Call>
std::function<void(std::int64_t)> in_stream(Call call) {
  return [call](std::int64_t n) {
    Kokkos::Cuda const cuda;
    for (std::int64_t i = 0; i < n; ++i) call(cuda);
    cuda.fence();
  };
}

void call_nvshmem(CollectiveCall const& call, Number* dest,
                  Number const* source, nvshmem::Stream stream) {
  switch (call.what) {
    case Collective::broadcast:
      return nvshmem::broadcast(dest, source, call.count, call.root(), stream);
    case Collective::fcollect:
      return nvshmem::fcollect(dest, source, call.count, stream);
    case Collective::alltoall:
      return nvshmem::alltoall(dest, source, call.count, stream);
    case Collective::reduce:
      return nvshmem::sum(dest, source, call.count, stream);
  }
}

void call_nccl(CollectiveCall const& call, nccl::Communicator const& nccl,
               Number* dest, Number const* source, nccl::Stream stream) {
  switch (call.what) {
    case Collective::broadcast:
      return nccl.broadcast(dest, source, call.count, call.root(), stream);
    case Collective::fcollect:
      return nccl.all_gather(dest, source, call.count, stream);
    case Collective::alltoall:
      return nccl.all_to_all(dest, source, call.count, stream);
    case Collective::reduce:
      return nccl.all_reduce(dest, source, call.count, stream);
  }
}

/// Fills CollectiveLanes, and has their memory, which must outlive the
/// measurements.
class CollectiveMemory {
 public:
  /// \param bytes  of each source and dest.
  CollectiveMemory(Session& session, CollectiveLanes& lanes, std::size_t bytes)
      : m_session(session),
        m_lanes(lanes),
        m_dest(uninitialized<FarView<Number>>("dest", bytes)),
        m_source(uninitialized<FarView<Number>>("source", bytes)) {
    auto const team    = symm::team_world();
    auto* const dest   = m_dest.data();
    auto* const source = m_source.data();
    // NVSHMEM has no collectives where PEs share a GPU.
    bool const has_nvshmem =
        nvshmem::available() && !session.gpus().are_shared();
    add("symm", has_nvshmem ? "NVSHMEM" : "", dest, source,
        [=](CollectiveCall const& call, Kokkos::Cuda const& cuda) {
          call_symm(call, team, dest, source, cuda);
        });
    if (has_nvshmem) add_nvshmem(bytes);
    if (nccl::available()) add_nccl(bytes);
  }

 private:
  template <class Call>
  void add(std::string const& name, std::string const& baseline, Number* dest,
           Number* source, Call const& one_call) {
    m_lanes.add({name, baseline, dest, source,
                 [one_call](CollectiveCall const& call, std::int64_t n) {
                   in_stream([&](Kokkos::Cuda const& cuda) {
                     one_call(call, cuda);
                   })(n);
                 }});
  }

  void add_nvshmem(std::size_t bytes) {
    auto* const dest   = m_nvshmem.allocate<Number>(bytes);
    auto* const source = m_nvshmem.allocate<Number>(bytes);
    add("NVSHMEM", "", dest, source,
        [=](CollectiveCall const& call, Kokkos::Cuda const& cuda) {
          call_nvshmem(call, dest, source, cuda.cuda_stream());
        });
    m_lanes.add_again();
  }

  void add_nccl(std::size_t bytes) {
    if (m_session.gpus().are_shared()) {
      m_session.report().note("NCCL is not measured: PEs share a GPU");
      return;
    }
    m_nccl = std::make_unique<nccl::Communicator>();
    if (!m_nccl->problem().empty()) {
      m_session.report().note("NCCL is not measured: " + m_nccl->problem());
      return;
    }
    m_session.report().note("NCCL " + nccl::version() + ", NVLS off");
    m_near_dest        = uninitialized<NearView<Number>>("dest", bytes);
    m_near_source      = uninitialized<NearView<Number>>("source", bytes);
    auto* const dest   = m_near_dest.data();
    auto* const source = m_near_source.data();
    add("NCCL", "NVSHMEM", dest, source,
        [=, this](CollectiveCall const& call, Kokkos::Cuda const& cuda) {
          call_nccl(call, *m_nccl, dest, source, cuda.cuda_stream());
        });
  }

  Session& m_session;
  CollectiveLanes& m_lanes;
  FarView<Number> m_dest;
  FarView<Number> m_source;
  NvshmemBlocks m_nvshmem;
  NearView<Number> m_near_dest;
  NearView<Number> m_near_source;
  std::unique_ptr<nccl::Communicator> m_nccl;
};

void measure_operations(Session& session) {
  auto const all_sizes = sizes(session);
  CollectiveLanes lanes;
  CollectiveMemory const memory(
      session, lanes,
      all_sizes.back() * static_cast<std::size_t>(session.n_pes()));
  for (Collective const what : all_collectives)
    for (std::size_t const size : all_sizes)
      lanes.measure(session, {what, size / sizeof(Number), session.n_pes()},
                    iterations(session));
}

using Counter = Kokkos::View<std::uint64_t, symm::SymmetricCudaSpace>;
using Policy  = Kokkos::TeamPolicy<Kokkos::Cuda>;

/// One after the other in a kernel.
struct Barriers {
  symm::PeTeam team;
  std::int64_t iterations;
  KOKKOS_FUNCTION void operator()(Policy::member_type const& member) const {
    for (std::int64_t n = 0; n < iterations; ++n) symm::barrier(member, team);
  }
};

/// What a PE publishes before a barrier.
struct Arrive {
  Counter arrived;
  std::uint64_t round;
  KOKKOS_FUNCTION void operator()(int) const {
    symm::store_relaxed(arrived.data(), round);
  }
};

/// Counts, after a barrier, those that have not published it.
struct CountEarly {
  symm::HeapMap heap;
  Counter arrived;
  std::uint64_t round;
  Kokkos::View<std::int64_t, Kokkos::CudaSpace> early;
  KOKKOS_FUNCTION void operator()(int) const {
    for (int pe = 0; pe < heap.n_pes; ++pe)
      early() +=
          symm::load_relaxed(heap.peer_ptr(arrived.data(), pe)) < round ? 1 : 0;
  }
};

/// Both, round by round, with a barrier of the kernel's own between.
struct CountEarlyInKernel {
  symm::PeTeam team;
  Arrive arrive;
  CountEarly count;
  std::uint64_t rounds;
  KOKKOS_FUNCTION void operator()(Policy::member_type const& member) const {
    Arrive mine      = arrive;
    CountEarly other = count;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      mine.round = other.round = arrive.round + round;
      Kokkos::single(Kokkos::PerTeam(member), [&] { mine(0); });
      symm::barrier(member, team);
      Kokkos::single(Kokkos::PerTeam(member), [&] { other(0); });
    }
  }
};

/// The PEs that barriers let pass before all had arrived.
std::int64_t count_early_departures(Session const& session,
                                    symm::PeTeam const& team) {
  std::uint64_t const rounds = session.gpus().take_turns() ? 2 : 100;
  Kokkos::Cuda const cuda;
  Kokkos::RangePolicy<Kokkos::Cuda> const one(cuda, 0, 1);
  Counter const arrived("arrived");
  Kokkos::View<std::int64_t, Kokkos::CudaSpace> const early("early");
  CountEarly const count{symm::heap_map(symm::MemoryKind::device), arrived, 0,
                         early};
  symm::barrier_all(cuda);
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    CountEarly now = count;
    now.round      = round;
    Kokkos::parallel_for("arrive", one, Arrive{arrived, round});
    symm::barrier(cuda, team);
    Kokkos::parallel_for("look", one, now);
  }
  Kokkos::parallel_for(
      "barriers", Policy(cuda, 1, 32),
      CountEarlyInKernel{team, Arrive{arrived, rounds}, count, rounds});
  std::int64_t wrong = 0;
  Kokkos::deep_copy(wrong, early);
  symm::barrier_all(cuda);
  return wrong;
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

void empty_kernel(Kokkos::Cuda const& cuda) {
  Kokkos::parallel_for("empty", Kokkos::RangePolicy<Kokkos::Cuda>(cuda, 0, 1),
                       Nothing{});
}

/// A step that only waits.
void measure_empty_steps(Session& session, symm::PeTeam const& team) {
  session.compare(
      {}, {{"empty kernel", "", in_stream(empty_kernel), iterations(session)},
           {"empty kernel and barrier on a stream, symm", "empty kernel",
            in_stream([team](Kokkos::Cuda const& cuda) {
              empty_kernel(cuda);
              symm::barrier(cuda, team);
            }),
            iterations(session)}});
}

void measure_barriers(Session& session) {
  auto const team         = symm::team_world();
  std::string const first = "barrier on a stream, ";
  std::vector<Contestant> stream{
      {first + "symm", "",
       in_stream([&](Kokkos::Cuda const& cuda) { symm::barrier(cuda, team); }),
       iterations(session)}};
  std::string const second = "barrier in a kernel, ";
  std::vector<Contestant> kernel{{second + "symm", "",
                                  [&](std::int64_t n) {
                                    Kokkos::Cuda const cuda;
                                    Kokkos::parallel_for("barriers",
                                                         Policy(cuda, 1, 32),
                                                         Barriers{team, n});
                                    cuda.fence();
                                  },
                                  iterations(session)}};
  if (nvshmem::available()) {
    stream[0].baseline = first + "NVSHMEM";
    stream.push_back({first + "NVSHMEM", "",
                      in_stream([](Kokkos::Cuda const& cuda) {
                        nvshmem::barrier_on_stream(cuda.cuda_stream());
                      }),
                      iterations(session)});
    kernel[0].baseline = second + "NVSHMEM, warp";
    for (auto const& [threads, name] :
         {std::pair{nvshmem::Threads::one, "NVSHMEM, thread"},
          std::pair{nvshmem::Threads::warp, "NVSHMEM, warp"},
          std::pair{nvshmem::Threads::block, "NVSHMEM, block"}})
      kernel.push_back({second + name, "",
                        [threads = threads](std::int64_t n) {
                          Kokkos::Cuda const cuda;
                          nvshmem::barriers_in_kernel(threads, n,
                                                      cuda.cuda_stream());
                          cuda.fence();
                        },
                        iterations(session)});
  }
  session.compare({}, stream);
  session.compare({}, kernel);
  measure_empty_steps(session, team);
  session.verify("early departures", count_early_departures(session, team));
}

void measure(Session& session) {
  measure_barriers(session);
  measure_operations(session);
}

Registered const registered{"collectives", measure};

}  // namespace
}  // namespace perf::collectives_benchmark
