// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_POOL_HPP
#define SYMM_POOLS_POOL_HPP

#include <cstdint>
#include <optional>

#include "../symm_pools.hpp"
#include "SharedPool.hpp"

namespace symm::Impl {

/// Base class of StreamPool, which can allocate, and of ImportedPool, which
/// cannot.
class Pool {
 public:
  /// The pool attributes that the program can set.
  struct Policy {
    bool follow_event_dependencies   = true;
    bool allow_opportunistic         = true;
    bool allow_internal_dependencies = true;
    std::uint64_t release_threshold  = 0;
  };

  struct Amount {
    std::uint64_t current = 0;
    std::uint64_t high    = 0;

    void set(std::uint64_t value) {
      current = value;
      if (value > high) high = value;
    }
  };

  Pool(Pool const&)            = delete;
  Pool& operator=(Pool const&) = delete;

  [[nodiscard]] std::uint64_t number() const { return m_number; }
  [[nodiscard]] MemPoolProperties const& properties() const {
    return m_properties;
  }
  [[nodiscard]] bool is_local() const {
    return m_properties.kind == MemPoolKind::local;
  }
  [[nodiscard]] Policy& policy() { return m_policy; }
  [[nodiscard]] Amount& reserved() { return m_reserved; }
  [[nodiscard]] Amount& used() { return m_used; }

  /// The pool's name, which is the same in all processes; nullopt before the
  /// first export or import.
  [[nodiscard]] std::optional<SharedPoolName> const& shared_name() const {
    return m_shared_name;
  }
  void set_shared_name(SharedPoolName const& name) { m_shared_name = name; }

  /// Marks the pool for destruction once its last block has been freed (H44).
  void end() { m_is_ending = true; }
  [[nodiscard]] bool is_ending() const { return m_is_ending; }

 protected:
  Pool(std::uint64_t number, MemPoolProperties const& properties)
      : m_number(number), m_properties(properties) {}
  ~Pool() = default;

  std::uint64_t m_number;
  MemPoolProperties m_properties;
  Policy m_policy;
  Amount m_reserved;
  Amount m_used;
  std::optional<SharedPoolName> m_shared_name;
  bool m_is_ending = false;
};

}  // namespace symm::Impl

#endif
