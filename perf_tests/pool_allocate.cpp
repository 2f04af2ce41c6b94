// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What memory of a pool costs the host, over size and streams. The pool has
// room: its memory was taken during the warm-up, and is kept.
//
// malloc_async + free_async, of a local pool and of a symmetric one, is
// compared with cudaMallocAsync + cudaFreeAsync, whose pool keeps its memory,
// too; in a build without GPUs with malloc + free of the C library. With
// several PEs a block of a symmetric pool is used again behind a barrier of all
// PEs: one in front of each sample, not timed, and those that the pool puts
// into the stream when it has no room, which are.
//
// A View in a pool comes and goes, not filled and filled; it is compared with
// an ordinary symmetric View, not filled, and there is a private one beside
// them. Kernels and fills are enqueued in the timed part, and waited for
// outside.
//
// A step of a program: 1000 temporaries on 4 streams, each with a kernel that
// writes to it; then a barrier behind all streams, and a wait. It is compared
// with ordinary symmetric Views and private ones.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/DeviceWords.hpp"
#include "harness/Pattern.hpp"
#include "harness/Session.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "harness/CudaCheck.hpp"
#endif

namespace perf::pool_allocate_benchmark {
namespace {

using Exec    = Kokkos::DefaultExecutionSpace;
using Streams = std::vector<Exec>;
using Space   = symm::SymmetricSpace;

constexpr int n_temporaries = 1000;

void check(symm::Status status) {
  if (status != symm::Status::success)
    throw std::runtime_error(symm::last_error());
}

/// A pool that keeps its memory.
class Pool {
 public:
  Pool(symm::MemPoolKind kind, std::size_t bytes) {
    symm::MemPoolProperties properties;
    properties.kind = kind;
    check(symm::mem_pool_create(&m_pool, properties));
    std::uint64_t const all = std::numeric_limits<std::uint64_t>::max();
    check(symm::mem_pool_set_attribute(
        m_pool, symm::MemPoolAttribute::release_threshold, &all));
    Exec const exec;
    free(allocate(bytes, exec), exec);
    symm::barrier_all(exec);
    exec.fence();
  }
  Pool(Pool const&)            = delete;
  Pool& operator=(Pool const&) = delete;
  /// Of one that has been trimmed.
  ~Pool() { static_cast<void>(symm::mem_pool_destroy(m_pool)); }

  [[nodiscard]] symm::MemPool get() const { return m_pool; }

  [[nodiscard]] void* allocate(std::size_t bytes, Exec const& exec) const {
    void* block = nullptr;
    check(symm::malloc_from_pool_async(&block, bytes, m_pool, exec));
    return block;
  }
  static void free(void* block, Exec const& exec) {
    check(symm::free_async(block, exec));
  }

  /// What it holds when it is asked to hold nothing.
  [[nodiscard]] std::int64_t bytes_after_trim() const {
    check(symm::mem_pool_trim_to(m_pool, 0));
    std::uint64_t bytes = 0;
    check(symm::mem_pool_get_attribute(
        m_pool, symm::MemPoolAttribute::reserved_mem_current, &bytes));
    return static_cast<std::int64_t>(bytes);
  }

 private:
  symm::MemPool m_pool;
};

// Memory that is no pool's of ours.

#ifdef KOKKOS_ENABLE_CUDA
constexpr char const* system_pair  = "cudaMallocAsync + cudaFreeAsync";
constexpr char const* private_view = "CudaSpace View";

void use_system(std::size_t bytes, Exec const& exec) {
  void* block = nullptr;
  check_cuda(cudaMallocAsync(&block, bytes, exec.cuda_stream()),
             "cudaMallocAsync");
  keep(block);
  check_cuda(cudaFreeAsync(block, exec.cuda_stream()), "cudaFreeAsync");
}

void let_system_keep_memory() {
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, Exec().cuda_device()),
             "cudaDeviceGetDefaultMemPool");
  std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  check_cuda(
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
      "cudaMemPoolSetAttribute");
}
#else
constexpr char const* system_pair  = "malloc + free";
constexpr char const* private_view = "HostSpace View";

void use_system(std::size_t bytes, Exec const&) {
  void* const block = std::malloc(bytes);
  keep(block);
  std::free(block);
}

void let_system_keep_memory() {}
#endif

/// What is in the streams has ended, on all PEs. One barrier for all of them:
/// barriers of a team come one after the other.
void settle(Streams const& streams) {
  for (auto const& exec : streams) check(symm::order_after(streams[0], exec));
  symm::barrier(streams[0], symm::team_world());
  for (auto const& exec : streams) check(symm::order_after(exec, streams[0]));
  Kokkos::fence();
}

Exec const& stream_of(Streams const& streams, std::int64_t i) {
  return streams[static_cast<std::size_t>(i) % streams.size()];
}

void compare_pairs(Session& session, Case const& measured,
                   Streams const& streams, std::size_t bytes, Pool const& local,
                   Pool const& symmetric) {
  auto const prepare = [&] { settle(streams); };
  auto const pair_of = [&](Pool const& pool) {
    return [&](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        auto const& exec  = stream_of(streams, i);
        void* const block = pool.allocate(bytes, exec);
        keep(block);
        Pool::free(block, exec);
      }
    };
  };
  session.compare(measured, {{system_pair, "",
                              [&](std::int64_t n) {
                                for (std::int64_t i = 0; i < n; ++i)
                                  use_system(bytes, stream_of(streams, i));
                              },
                              0, prepare},
                             {"local pool: malloc_async + free_async",
                              system_pair, pair_of(local), 0, prepare},
                             {"symmetric pool: malloc_async + free_async",
                              system_pair, pair_of(symmetric), 0, prepare}});
}

template <class MemorySpace, class... Properties>
void create_and_destroy(std::size_t bytes, Properties const&... properties) {
  Kokkos::View<char*, MemorySpace> const view(
      Kokkos::view_alloc(std::string("view"), properties...), bytes);
  keep(view.data());
}

void compare_views(Session& session, Case const& measured,
                   Streams const& streams, std::size_t bytes,
                   Pool const& pool) {
  constexpr auto raw             = Kokkos::WithoutInitializing;
  constexpr char const* ordinary = "SymmetricSpace View";
  auto const prepare             = [&] { settle(streams); };
  auto const views               = [&](auto const& make) {
    return [&streams, make](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) make(stream_of(streams, i));
    };
  };
  Space const in_pool(pool.get());
  session.compare(
      measured,
      {{ordinary, "", views([=](Exec const& exec) {
          create_and_destroy<Space>(bytes, exec, raw);
        }),
        0, prepare},
       {std::string(ordinary) + ", filled", ordinary,
        views(
            [=](Exec const& exec) { create_and_destroy<Space>(bytes, exec); }),
        0, prepare},
       {"View in a pool", ordinary, views([=](Exec const& exec) {
          create_and_destroy<Space>(bytes, exec, in_pool, raw);
        }),
        0, prepare},
       {"View in a pool, filled", ordinary, views([=](Exec const& exec) {
          create_and_destroy<Space>(bytes, exec, in_pool);
        }),
        0, prepare},
       {private_view, ordinary, views([=](Exec const& exec) {
          create_and_destroy<DeviceSpace>(bytes, exec, raw);
        }),
        0, prepare}});
}

struct WriteWords {
  std::uint64_t* words;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { words[i] = i; }
};

template <class MemorySpace, class... Properties>
void step(Streams const& streams, std::size_t bytes,
          Properties const&... properties) {
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  for (std::int64_t i = 0; i < n_temporaries; ++i) {
    auto const& exec = stream_of(streams, i);
    Kokkos::View<std::uint64_t*, MemorySpace> const view(
        Kokkos::view_alloc(std::string("temporary"), exec,
                           Kokkos::WithoutInitializing, properties...),
        bytes / sizeof(std::uint64_t));
    Kokkos::parallel_for("write", Range(exec, 0, view.extent(0)),
                         WriteWords{view.data()});
  }
  settle(streams);
}

void compare_steps(Session& session, Streams const& streams, std::size_t bytes,
                   Pool const& pool) {
  constexpr char const* ordinary = "step with SymmetricSpace Views";
  Space const in_pool(pool.get());
  auto const steps = [](auto const& one) {
    return [one](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) one();
    };
  };
  session.compare(
      {{{"bytes", static_cast<std::int64_t>(bytes)},
        {"streams", static_cast<std::int64_t>(streams.size())},
        {"temporaries", n_temporaries}}},
      {{ordinary, "", steps([&, bytes] { step<Space>(streams, bytes); }), 1},
       {"step with Views in a pool", ordinary,
        steps([&, bytes] { step<Space>(streams, bytes, in_pool); }), 1},
       {std::string("step with ") + private_view + "s", ordinary,
        steps([&, bytes] { step<DeviceSpace>(streams, bytes); }), 1}});
}

/// Every PE writes to the next one's copy of a block of the pool.
[[nodiscard]] std::int64_t count_wrong_in_pool(Session const& session,
                                               Pool const& pool,
                                               Exec const& exec) {
  constexpr std::size_t count = 1000;
  int const me                = session.my_pe();
  int const next              = (me + 1) % session.n_pes();
  int const previous          = (me + session.n_pes() - 1) % session.n_pes();
  auto* const mine            = static_cast<std::uint64_t*>(
      pool.allocate(count * sizeof(std::uint64_t), exec));
  symm::barrier(exec, symm::team_world());
  exec.fence();
  fill_pattern(DeviceWords(symm::ptr(mine, next), count), me, next);
  symm::barrier(exec, symm::team_world());
  exec.fence();
  auto const wrong = count_wrong(DeviceWords(mine, count), previous, me);
  Pool::free(mine, exec);
  return wrong;
}

void measure(Session& session) {
  constexpr std::size_t kib = std::size_t{1} << 10U;
  constexpr std::size_t mib = std::size_t{1} << 20U;
  std::size_t const room    = session.quick() ? 16 * mib : 256 * mib;
  std::vector<std::size_t> sizes{kib, 64 * kib};
  if (!session.quick()) sizes.push_back(mib);

  let_system_keep_memory();
  auto const four =
      Kokkos::Experimental::partition_space(Exec(), std::vector<int>(4, 1));
  Streams const one{four[0]};
  Pool const local(symm::MemPoolKind::local, room);
  Pool const symmetric(symm::MemPoolKind::symmetric, room);
  for (auto const bytes : sizes) {
    for (auto const* const streams : {&one, &four}) {
      Case const measured{
          {{"bytes", static_cast<std::int64_t>(bytes)},
           {"streams", static_cast<std::int64_t>(streams->size())}}};
      compare_pairs(session, measured, *streams, bytes, local, symmetric);
      compare_views(session, measured, *streams, bytes, symmetric);
    }
  }
  compare_steps(session, four, 4 * kib, symmetric);
  session.verify("words in blocks of a pool",
                 count_wrong_in_pool(session, symmetric, four[0]));
  auto const held = symmetric.bytes_after_trim() + local.bytes_after_trim();
  session.verify("bytes held after trim to zero", held);
}

Registered const registered{"pool_allocate", measure};

}  // namespace
}  // namespace perf::pool_allocate_benchmark
