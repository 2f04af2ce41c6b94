// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_STREAM_POOL_MODEL_HPP
#define SYMM_TEST_STREAM_POOL_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include <runtime/base/Types.hpp>
#include <runtime/symm_pools.hpp>

#include "SimulatedPes.hpp"

/// What the model of pools knows of blocks.
namespace symm_test::stream_pool_model {

using simulated::SimulatedHeap;
using simulated::Time;
using symm::Impl::StreamPool;

constexpr std::size_t alignment  = StreamPool::alignment;
constexpr std::size_t granule    = alignment / 2;  // what offsets divide by
constexpr std::size_t n_granules = SimulatedHeap::limit / granule;
constexpr std::uint64_t all      = ~std::uint64_t{0};

struct Setting {
  int n_pes;
  symm::MemPoolKind kind;
  bool follows        = true;
  bool opportunistic  = true;
  bool internal       = true;
  bool changes_policy = false;
};

inline std::string text_of(Setting const& setting) {
  std::string text = "np" + std::to_string(setting.n_pes);
  if (setting.kind == symm::MemPoolKind::local) text += "_local";
  if (!setting.follows) text += "_without_dependencies";
  if (!setting.opportunistic) text += "_without_opportunity";
  if (!setting.internal) text += "_without_internal";
  if (setting.changes_policy) text += "_changing";
  return text;
}

/// A block that lives.
struct Block {
  std::size_t offset;
  std::size_t bytes;
  std::size_t pool;
  std::size_t stream;      // on which it may be used
  int id;                  // unique
  bool is_shared = false;  // peers may use it, too

  [[nodiscard]] std::size_t begin() const { return offset / granule; }
  [[nodiscard]] std::size_t end() const {
    return begin() + symm::Impl::round_up(bytes, alignment) / granule;
  }
};

/// What is known of a granule of the heap.
struct Granule {
  int owner  = 0;
  bool lives = false;
  // Streams that may reuse it by the policy of its pool; a bit each.
  std::uint64_t reusers = all;
  std::size_t pool      = 0;
};

/// Of the copy of one PE.
struct Used {
  int owner = 0;
  Time last = 0;  // use by the owner
  Time past = 0;  // by those before
};

}  // namespace symm_test::stream_pool_model

#endif
