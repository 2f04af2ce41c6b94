// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_POOL_TEST_HPP
#define SYMM_TEST_POOL_TEST_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>

namespace symm_test {

using Exec      = Space::execution_space;
using Kind      = symm::MemPoolKind;
using Attribute = symm::MemPoolAttribute;
using symm::Status;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = kib * kib;

/// Execution space instances: streams that are ordered by nothing.
inline std::vector<Exec> streams(std::size_t count) {
#ifdef KOKKOS_ENABLE_OPENMP
  // Without nested regions, all instances of OpenMP are one.
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
    ::omp_set_max_active_levels(2);
  }
#endif
  return Kokkos::Experimental::partition_space(Exec(),
                                               std::vector<int>(count, 1));
}

inline std::uint64_t attribute(symm::MemPool pool, Attribute which) {
  std::uint64_t value = ~std::uint64_t{0};
  EXPECT_EQ(symm::mem_pool_get_attribute(pool, which, &value), Status::success)
      << symm::last_error();
  return value;
}

inline int flag(symm::MemPool pool, Attribute which) {
  int value = -1;
  EXPECT_EQ(symm::mem_pool_get_attribute(pool, which, &value), Status::success)
      << symm::last_error();
  return value;
}

inline void set_attribute(symm::MemPool pool, Attribute which,
                          std::uint64_t value) {
  EXPECT_EQ(symm::mem_pool_set_attribute(pool, which, &value), Status::success)
      << symm::last_error();
}

inline void set_flag(symm::MemPool pool, Attribute which, int value) {
  EXPECT_EQ(symm::mem_pool_set_attribute(pool, which, &value), Status::success)
      << symm::last_error();
}

inline symm::MemPool new_pool(Kind kind             = Kind::symmetric,
                              std::size_t max_bytes = 0) {
  symm::MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(&pool, {.kind      = kind,
                                          .memory    = Space::memory_kind,
                                          .max_bytes = max_bytes}),
            Status::success)
      << symm::last_error();
  return pool;
}

/// A pool for the length of a scope.
class TestPool {
 public:
  explicit TestPool(Kind kind = Kind::symmetric, std::size_t max_bytes = 0)
      : m_pool(new_pool(kind, max_bytes)) {}
  TestPool(TestPool const&)            = delete;
  TestPool& operator=(TestPool const&) = delete;
  ~TestPool() {
    EXPECT_EQ(symm::mem_pool_destroy(m_pool), Status::success)
        << symm::last_error();
  }

  operator symm::MemPool() const { return m_pool; }

  [[nodiscard]] std::uint64_t get(Attribute which) const {
    return attribute(m_pool, which);
  }
  [[nodiscard]] std::uint64_t reserved() const {
    return get(Attribute::reserved_mem_current);
  }
  [[nodiscard]] std::uint64_t used() const {
    return get(Attribute::used_mem_current);
  }
  /// Which memory freed on other streams is used again.
  void set_policy(bool follow, bool opportunistic, bool internal) const {
    set_flag(m_pool, Attribute::reuse_follow_event_dependencies, follow);
    set_flag(m_pool, Attribute::reuse_allow_opportunistic, opportunistic);
    set_flag(m_pool, Attribute::reuse_allow_internal_dependencies, internal);
  }

 private:
  symm::MemPool m_pool;
};

/// Where a block is not.
inline void* const not_null = reinterpret_cast<void*>(std::uintptr_t{4096});

/// A block, which must be there.
inline char* take(symm::MemPool pool, std::size_t bytes, Exec const& exec) {
  void* address = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, bytes, pool, exec),
            Status::success)
      << symm::last_error();
  EXPECT_NE(address, nullptr);
  return static_cast<char*>(address);
}

inline void give(void* address, Exec const& exec) {
  EXPECT_EQ(symm::free_async(address, exec), Status::success)
      << symm::last_error();
}

/// Takes a block and gives it back: there is room for it from now on.
/// Collective for a symmetric pool. Everything has ended then.
inline void make_room(symm::MemPool pool, std::size_t bytes) {
  Exec const exec;
  // What is unused is kept.
  set_attribute(pool, Attribute::release_threshold, ~std::uint64_t{0});
  give(take(pool, bytes, exec), exec);
  symm::heap_trim();
}

/// The elements of a block. Work on it is what exec does next.
using View = Kokkos::View<int*, Space>;
using Ints = Kokkos::View<int*, Space, Kokkos::MemoryUnmanaged>;
inline Ints ints(char* address, std::size_t bytes) {
  return Ints(reinterpret_cast<int*>(address), bytes / sizeof(int));
}
inline Ints of_peer(Ints const& view, symm::Pe pe) {
  return Ints(symm::ptr(view.data(), pe), view.size());
}

/// Tests of both kinds of pools.
class BothPools : public testing::TestWithParam<Kind> {
 protected:
  // What earlier tests have left is given back.
  void SetUp() override { symm::heap_trim(); }
  [[nodiscard]] static bool is_local() { return GetParam() == Kind::local; }
};

inline std::string kind_name(testing::TestParamInfo<Kind> const& info) {
  return info.param == Kind::local ? "local" : "symmetric";
}

#define SYMM_TEST_BOTH_POOLS(suite) \
  INSTANTIATE_TEST_SUITE_P(         \
      Of, suite, testing::Values(Kind::symmetric, Kind::local), kind_name)

}  // namespace symm_test

#endif
