// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random sequences of calls on an OffsetAllocator and on a model that is simple
// enough to be right.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/heap/OffsetAllocator.hpp>

namespace offset_allocator_model {
namespace {

using symm::Impl::OffsetAllocator;
using BlockId = OffsetAllocator::BlockId;

constexpr auto none           = OffsetAllocator::none;
constexpr std::size_t granule = OffsetAllocator::granule;
constexpr std::size_t slot    = 64 * 1024;  // ranges are made of these
constexpr std::size_t n_slots = 16;

struct Request {
  std::size_t bytes;
  std::size_t alignment;
  std::size_t phase;

  [[nodiscard]] std::size_t start_in(std::size_t offset) const {
    while ((offset + phase) % alignment != 0) offset += granule;
    return offset;
  }
};

/// Every granule's owner: nobody has it (no range), it is free, or a block.
class Model {
 public:
  static constexpr BlockId absent = none;
  static constexpr BlockId free   = none - 1;

  void set(std::size_t offset, std::size_t bytes, BlockId owner) {
    std::fill_n(m_owner.begin() + index(offset), bytes / granule, owner);
  }
  [[nodiscard]] bool is_all(std::size_t offset, std::size_t bytes,
                            BlockId owner) const {
    auto const begin = m_owner.begin() + index(offset);
    return std::all_of(begin, begin + index(bytes),
                       [&](BlockId id) { return id == owner; });
  }
  [[nodiscard]] BlockId owner(std::size_t offset) const {
    return m_owner[offset / granule];
  }
  [[nodiscard]] std::size_t count(BlockId owner) const {
    return granule * static_cast<std::size_t>(
                         std::count(m_owner.begin(), m_owner.end(), owner));
  }
  /// Start and size of every stretch of free granules.
  [[nodiscard]] std::map<std::size_t, std::size_t> holes() const {
    std::map<std::size_t, std::size_t> result;
    for (std::size_t i = 0; i < m_owner.size(); ++i) {
      if (m_owner[i] != free) continue;
      auto const start = i;
      while (i < m_owner.size() && m_owner[i] == free) ++i;
      result[start * granule] = (i - start) * granule;
    }
    return result;
  }
  [[nodiscard]] bool has_room(Request const& request) const {
    auto const all = holes();
    return std::any_of(all.begin(), all.end(), [&](auto const& hole) {
      return request.start_in(hole.first) + request.bytes <=
             hole.first + hole.second;
    });
  }

 private:
  static std::ptrdiff_t index(std::size_t offset) {
    return static_cast<std::ptrdiff_t>(offset / granule);
  }
  std::vector<BlockId> m_owner =
      std::vector<BlockId>(n_slots * slot / granule, absent);
};

class OffsetAllocatorModel : public testing::TestWithParam<int> {
 protected:
  std::size_t random(std::size_t below) { return m_random() % below; }

  Request random_request() {
    std::size_t const limit = std::size_t{1} << (4 + random(12));
    Request request{1 + random(limit), granule << random(9), 0};
    if (random(2) == 0)
      request.phase = granule * random(request.alignment / granule);
    return request;
  }

  void allocate(Request const& request) {
    auto const id =
        m_allocator.allocate(request.bytes, request.alignment, request.phase);
    ASSERT_EQ(m_twin.allocate(request.bytes, request.alignment, request.phase),
              id)
        << "not the same on every PE";
    if (id == none) {
      ASSERT_FALSE(m_model.has_room(request)) << request.bytes;
      expect_missing_bytes(request);
      return;
    }
    auto const [offset, bytes] = m_allocator.place(id);
    ASSERT_EQ(m_twin.place(id).offset, offset) << "not the same on every PE";
    ASSERT_EQ(bytes, symm::Impl::round_up(request.bytes, granule));
    ASSERT_EQ((offset + request.phase) % request.alignment, 0U);
    ASSERT_TRUE(m_model.is_all(offset, bytes, Model::free)) << "overlap";
    ASSERT_EQ(m_blocks.count(id), 0U);
    m_blocks[id] = offset;
    m_model.set(offset, bytes, id);
  }

  /// With so much more the request fits, with a granule less it does not.
  void expect_missing_bytes(Request const& request) {
    std::size_t end = n_slots * slot;
    while (end > 0 && m_model.owner(end - granule) == Model::absent) {
      end -= slot;
    }
    auto const missing = m_allocator.missing_bytes(
        end, request.bytes, request.alignment, request.phase);
    ASSERT_GT(missing, 0U);
    auto enough = m_allocator;
    enough.add_range(end, missing);
    ASSERT_NE(enough.allocate(request.bytes, request.alignment, request.phase),
              none);
    if (missing == granule) return;
    auto too_little = m_allocator;
    too_little.add_range(end, missing - granule);
    ASSERT_EQ(
        too_little.allocate(request.bytes, request.alignment, request.phase),
        none);
  }

  /// What a loop does, with now and then another request in between.
  void free_and_allocate_alike() {
    if (m_blocks.empty()) return;
    auto const id    = random_block();
    auto const bytes = m_allocator.place(id).bytes;
    free(id);
    if (random(4) == 0) allocate(random_request());
    if (random(4) == 0) shrink();
    if (random(4) == 0) add_or_remove_range();
    allocate({bytes - random(granule), granule << random(3), 0});
  }

  BlockId random_block() {
    return std::next(m_blocks.begin(),
                     static_cast<std::ptrdiff_t>(random(m_blocks.size())))
        ->first;
  }

  void free(BlockId id) {
    auto const [offset, bytes] = m_allocator.place(id);
    m_allocator.free(id);
    m_twin.free(id);
    m_model.set(offset, bytes, Model::free);
    m_blocks.erase(id);
  }

  /// Out, and in again as free memory.
  void remove_and_add() {
    if (m_blocks.empty()) return;
    auto const id              = random_block();
    auto const [offset, bytes] = m_allocator.remove(id);
    ASSERT_EQ(m_twin.remove(id).offset, offset);
    m_blocks.erase(id);
    m_model.set(offset, bytes, Model::absent);
    if (!m_blocks.empty() && random(2) == 0) free(random_block());
    m_allocator.add_range(offset, bytes);
    m_twin.add_range(offset, bytes);
    m_model.set(offset, bytes, Model::free);
  }

  void shrink() {
    if (m_blocks.empty()) return;
    auto const id              = random_block();
    auto const [offset, bytes] = m_allocator.place(id);
    auto const kept            = 1 + random(bytes);
    m_allocator.shrink(id, kept);
    m_twin.shrink(id, kept);
    m_model.set(offset, bytes, Model::free);
    m_model.set(offset, symm::Impl::round_up(kept, granule), id);
  }

  void add_or_remove_range() {
    auto const offset = slot * random(n_slots);
    if (m_model.owner(offset) == Model::absent) {
      m_allocator.add_range(offset, slot);
      m_twin.add_range(offset, slot);
      m_model.set(offset, slot, Model::free);
      return;
    }
    bool const is_free = m_model.is_all(offset, slot, Model::free);
    ASSERT_EQ(m_allocator.remove_range(offset, slot), is_free);
    ASSERT_EQ(m_twin.remove_range(offset, slot), is_free);
    if (is_free) m_model.set(offset, slot, Model::absent);
  }

  void expect_equal() {
    ASSERT_EQ(m_allocator.n_live(), m_blocks.size());
    ASSERT_EQ(m_allocator.free_bytes(), m_model.count(Model::free));
    ASSERT_EQ(m_allocator.live_bytes(), n_slots * slot -
                                            m_model.count(Model::free) -
                                            m_model.count(Model::absent));
    std::size_t largest = 0;
    for (auto const& hole : m_model.holes()) {
      largest = std::max(largest, hole.second);
    }
    ASSERT_EQ(m_allocator.largest_free_bytes(), largest) << "not merged";
    for (auto const& [id, offset] : m_blocks) {
      ASSERT_EQ(m_allocator.find(offset), id);
      ASSERT_EQ(m_allocator.place(id).offset, offset);
    }
    auto const anywhere = random(n_slots * slot);
    auto const owner    = m_model.owner(anywhere);
    ASSERT_EQ(m_allocator.find_enclosing(anywhere),
              owner == Model::free ? none : owner);
  }

  std::mt19937_64 m_random{static_cast<std::uint64_t>(GetParam())};
  OffsetAllocator m_allocator;
  OffsetAllocator m_twin;  // another PE
  Model m_model;
  std::map<BlockId, std::size_t> m_blocks;  // offset of each live block
};

TEST_P(OffsetAllocatorModel, does_what_the_model_does) {
  for (int step = 0; step < 12'000; ++step) {
    // Phases in which the heap fills, and in which it empties.
    bool const fills  = step / 2000 % 2 == 0;
    auto const action = random(100);
    if (action < (fills ? 60U : 35U)) {
      allocate(random_request());
    } else if (action < 85) {
      if (!m_blocks.empty()) free(random_block());
    } else if (action < 90) {
      free_and_allocate_alike();
    } else if (action < 95) {
      shrink();
    } else if (action < 97) {
      remove_and_add();
    } else {
      add_or_remove_range();
    }
    if (step % 50 == 0) expect_equal();
    if (HasFatalFailure()) FAIL() << "in step " << step;
  }
  while (!m_blocks.empty()) free(random_block());
  expect_equal();
}

INSTANTIATE_TEST_SUITE_P(Seeds, OffsetAllocatorModel, testing::Range(1, 7));

}  // namespace
}  // namespace offset_allocator_model
