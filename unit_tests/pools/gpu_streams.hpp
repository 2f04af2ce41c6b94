// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_POOLS_GPU_STREAMS_HPP
#define SYMM_TEST_POOLS_GPU_STREAMS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/late_stores.hpp>

#include <kokkos/view_helpers.hpp>

/// Kernels that begin late, and the pools and streams they work on.
namespace symm_test {

constexpr std::size_t chunk      = std::size_t{2} << 20U;
constexpr std::size_t pool_bytes = 64 << 10U;
constexpr std::size_t pool_ints  = pool_bytes / sizeof(int);

struct LateStores {
  int* start;
  int what;
  unsigned long long ms;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    KOKKOS_IF_ON_DEVICE(
        (auto const end = nanoseconds_of_gpu() + ms * 1'000'000ULL;
         while (nanoseconds_of_gpu() < end){}))
    start[i] = what;
  }
};

/// Counts what is not `expected`: late, and when it has seen each element for
/// the first time, for that long.
struct LateChecks {
  int const* start;
  int expected;
  unsigned long long ms;
  int* n_wrong;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::size_t i) const {
    bool is_wrong = false;
    KOKKOS_IF_ON_DEVICE(
        (auto const* at = const_cast<int const volatile*>(start + i);
         auto const end = nanoseconds_of_gpu() + ms * 1'000'000ULL; do {
           is_wrong = is_wrong || *at != expected;
         } while (nanoseconds_of_gpu() < end);))
    if (is_wrong) Kokkos::atomic_add(n_wrong, 1);
  }
};

using GpuRange = Kokkos::RangePolicy<Gpu, Kokkos::IndexType<std::size_t>>;

/// A kernel that stores `what` to a block, after `ms` milliseconds.
inline void store_late(Gpu const& exec, void* block, int what, int ms = 0,
                       std::size_t count = pool_ints) {
  Kokkos::parallel_for("late stores", GpuRange(exec, 0, count),
                       LateStores{static_cast<int*>(block), what,
                                  static_cast<unsigned long long>(ms)});
}

/// What kernels have found wrong so far.
class WrongElements {
 public:
  /// A kernel that compares a block with `expected` for `ms` milliseconds.
  void check_for(Gpu const& exec, void const* block, int expected, int ms = 0,
                 std::size_t count = pool_ints) {
    Kokkos::parallel_for(
        "late checks", GpuRange(exec, 0, count),
        LateChecks{static_cast<int const*>(block), expected,
                   static_cast<unsigned long long>(ms), m_count.data()});
  }
  /// Waits for all kernels.
  [[nodiscard]] int count() const {
    Kokkos::fence();
    int result = 0;
    Kokkos::deep_copy(result, m_count);
    return result;
  }

 private:
  Kokkos::View<int, GpuSpace> m_count{"wrong elements"};
};

/// That the host did not wait for a kernel of late_ms.
class NoWait {
 public:
  ~NoWait() {
    EXPECT_LT(std::chrono::steady_clock::now() - m_start,
              std::chrono::milliseconds(late_ms))
        << "the host has waited";
  }

 private:
  std::chrono::steady_clock::time_point m_start =
      std::chrono::steady_clock::now();
};

inline std::vector<Gpu> make_streams(std::size_t count) {
  return Kokkos::Experimental::partition_space(Gpu(),
                                               std::vector<int>(count, 1));
}

/// One barrier of all PEs for all streams: barriers of a team come one after
/// the other.
inline void barrier_of(std::vector<Gpu> const& streams) {
  for (auto const& stream : streams) {
    EXPECT_EQ(symm::order_after(streams[0], stream), symm::Status::success);
  }
  symm::barrier(streams[0], symm::team_world());
  for (auto const& stream : streams) {
    EXPECT_EQ(symm::order_after(stream, streams[0]), symm::Status::success);
  }
}

inline symm::MemPool make_pool(symm::MemPoolProperties const& properties) {
  symm::MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(&pool, properties), symm::Status::success)
      << symm::last_error();
  return pool;
}

template <class Stream>
char* allocate(symm::MemPool pool, Stream const& stream,
               std::size_t bytes = pool_bytes) {
  void* result = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&result, bytes, pool, stream),
            symm::Status::success)
      << symm::last_error();
  return static_cast<char*>(result);
}

template <class Stream>
void release(void* block, Stream const& stream) {
  EXPECT_EQ(symm::free_async(block, stream), symm::Status::success)
      << symm::last_error();
}

inline void set_policy(symm::MemPool pool, bool events, bool opportunistic,
                       bool internal) {
  using enum symm::MemPoolAttribute;
  auto const set = [&](symm::MemPoolAttribute which, int value) {
    EXPECT_EQ(symm::mem_pool_set_attribute(pool, which, &value),
              symm::Status::success)
        << symm::last_error();
  };
  set(reuse_follow_event_dependencies, events ? 1 : 0);
  set(reuse_allow_opportunistic, opportunistic ? 1 : 0);
  set(reuse_allow_internal_dependencies, internal ? 1 : 0);
}

/// Collective: nothing is left of the pool, and its memory has been given back.
inline void end_pool(symm::MemPool pool) {
  Kokkos::fence();
  EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), symm::Status::success)
      << symm::last_error();
  std::uint64_t reserved = 1;
  EXPECT_EQ(symm::mem_pool_get_attribute(
                pool, symm::MemPoolAttribute::reserved_mem_current, &reserved),
            symm::Status::success);
  EXPECT_EQ(reserved, 0U);
  EXPECT_EQ(symm::mem_pool_destroy(pool), symm::Status::success)
      << symm::last_error();
  symm::heap_trim();
}

}  // namespace symm_test

#endif
