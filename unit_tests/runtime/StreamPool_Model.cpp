// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random calls on pools of simulated PEs, whose streams have very different
// speeds, and a model that knows when each block is used on which PE.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <support/Sanitizers.hpp>

#include <runtime/base/Types.hpp>

#include "SimulatedPes.hpp"
#include "StreamPool_Model.hpp"

namespace symm_test::stream_pool_model {
namespace {

using simulated::Meeting;
using simulated::SimulatedPe;

constexpr std::size_t n_streams = 5;

class StreamPoolModel
    : public testing::TestWithParam<std::tuple<Setting, int>> {
 protected:
  StreamPoolModel()
      : m_setting(std::get<0>(GetParam())),
        m_random(static_cast<std::uint64_t>(std::get<1>(GetParam()))),
        m_granules(n_granules),
        m_used(n_pes(), std::vector<Used>(n_granules)) {
    for (std::size_t pe = 0; pe < n_pes(); ++pe) {
      m_pes.push_back(std::make_unique<SimulatedPe>(
          static_cast<symm::Pe>(pe), m_setting.n_pes, n_streams));
      m_speeds.push_back(std::uint64_t{1} << random(12));
    }
    add_pool();
    add_pool();
  }

  [[nodiscard]] std::size_t n_pes() const {
    return static_cast<std::size_t>(m_setting.n_pes);
  }
  std::size_t random(std::size_t below) { return m_random() % below; }
  /// A time that depends on the PE, and on the phase of the program.
  Time duration(std::size_t pe) { return random(100 * m_speeds[pe]); }

  StreamPool& pool(std::size_t number, std::size_t pe = 0) {
    return *m_pes[pe]->pools[number];
  }

  void add_pool() {
    symm::MemPoolProperties properties;
    properties.kind      = m_setting.kind;
    properties.max_bytes = random(3) == 0 ? SimulatedHeap::limit / 4 : 0;
    auto const threshold = random(2) == 0 ? 0 : random(SimulatedHeap::limit);
    for (auto const& pe : m_pes) {
      pe->make_pool(properties);
      pe->pools.back()->policy() = {m_setting.follows, m_setting.opportunistic,
                                    m_setting.internal, threshold};
    }
  }

  /// Makes a call on all PEs, which are at very different times, and then lets
  /// the streams and hosts meet that do in it.
  template <class Call>
  void on_all(Call const& call) {
    for (std::size_t i = 0; i < n_pes(); ++i) {
      auto& pe = *m_pes[i];
      pe.clock.host += duration(i) / 10;
      pe.clock.meetings.clear();
      pe.clock.waits.clear();
      call(pe);
    }
    auto const& meetings = m_pes[0]->clock.meetings;
    for (auto const& pe : m_pes) {
      ASSERT_EQ(pe->clock.meetings, meetings) << "other decisions";
      ASSERT_EQ(pe->clock.waits, m_pes[0]->clock.waits) << "other decisions";
    }
    for (auto const& meeting : meetings) {
      bool const is_barrier = meeting.kind == Meeting::Kind::barrier;
      Time time             = 0;
      for (auto const& pe : m_pes) {
        time = std::max(time, is_barrier ? pe->clock.begin(meeting.stream)
                                         : pe->clock.all());
      }
      for (auto const& pe : m_pes) {
        (is_barrier ? pe->clock.ready[meeting.stream] : pe->clock.host) = time;
      }
      if (!is_barrier) allow_all();
    }
  }

  // What policies allow.

  void allow_all() {
    for (auto& its : m_granules) its.reusers = all;
  }
  void allow_where_free(std::size_t pool, std::uint64_t known,
                        std::uint64_t allowed) {
    for (auto& its : m_granules) {
      if (its.pool == pool && !its.lives && (its.reusers & known) != 0) {
        its.reusers |= allowed;
      }
    }
  }
  /// What the pools have made streams do.
  void allow_what_was_made(std::size_t pool) {
    auto const& clock = m_pes[0]->clock;
    for (auto const& [later, earlier] : clock.waits) {
      ASSERT_TRUE(m_setting.internal || m_setting.changes_policy);
      allow_where_free(pool, std::uint64_t{1} << earlier,
                       std::uint64_t{1} << later);
    }
    for (auto const& meeting : clock.meetings) {
      if (meeting.kind != Meeting::Kind::barrier) continue;
      ASSERT_TRUE(m_setting.internal || m_setting.changes_policy);
      allow_where_free(pool, all, std::uint64_t{1} << meeting.stream);
    }
    if (m_setting.kind != symm::MemPoolKind::local) return;
    for (std::size_t s = 0; s < n_streams && m_setting.opportunistic; ++s) {
      if (clock.ready[s] <= clock.host) {
        allow_where_free(pool, std::uint64_t{1} << s, all);
      }
    }
  }

  // The use of blocks.

  /// A kernel of `pe` that uses the copy of `owner`.
  void use(Block const& block, std::size_t pe, std::size_t owner) {
    auto& clock               = m_pes[pe]->clock;
    auto const begin          = clock.begin(block.stream);
    auto const end            = begin + duration(pe);
    clock.ready[block.stream] = end;
    for (auto i = block.begin(); i < block.end(); ++i) {
      auto& its = m_used[owner][i];
      if (its.owner != block.id) {
        its.past  = std::max(its.past, its.last);
        its.owner = block.id;
        its.last  = 0;
      }
      ASSERT_GE(begin, its.past)
          << "PE " << pe << " uses the copy of PE " << owner << " of block "
          << block.id << " while another one is in use there";
      its.last = std::max(its.last, end);
    }
  }
  void use_at_random(Block const& block) {
    for (std::size_t pe = 0; pe < n_pes(); ++pe) {
      if (random(3) == 0) continue;
      use(block, pe, block.is_shared ? random(n_pes()) : pe);
    }
  }

  // Calls.

  void malloc() {
    auto const its_pool = random(m_pes[0]->pools.size());
    if (pool(its_pool).is_ending()) return;
    std::size_t const most  = std::size_t{1} << (4 + random(17));
    auto const bytes        = 1 + random(most);
    std::size_t const phase = random(2) == 0 ? 0 : granule;
    auto const stream       = random(n_streams);
    std::vector<std::size_t> offsets;
    on_all([&](SimulatedPe& pe) {
      auto const* const address = pe.malloc(its_pool, stream, bytes, phase);
      offsets.push_back(address == nullptr ? n_granules * granule
                                           : pe.heap.map().offset_of(address));
    });
    if (HasFatalFailure()) return;
    allow_what_was_made(its_pool);
    for (auto const offset : offsets) {
      ASSERT_EQ(offset, offsets[0]) << "P02: not the same on all PEs";
    }
    if (offsets[0] == n_granules * granule) return;  // no memory
    ASSERT_EQ((offsets[0] + phase) % alignment, 0U);
    Block const block{offsets[0], bytes, its_pool, stream, ++m_n_blocks};
    for (auto i = block.begin(); i < block.end(); ++i) {
      ASSERT_FALSE(m_granules[i].lives) << "two blocks at one place";
      if (!m_setting.follows && !m_setting.changes_policy) {
        ASSERT_NE(m_granules[i].reusers >> stream & 1U, 0U)
            << "reuse that the policy forbids";
      }
      m_granules[i] = {block.id, true, all, its_pool};
    }
    m_blocks.push_back(block);
    if (random(8) != 0) use_at_random(block);
  }

  void free() {
    if (m_blocks.empty()) return;
    auto const i     = random(m_blocks.size());
    auto const block = m_blocks[i];
    m_blocks[i]      = m_blocks.back();
    m_blocks.pop_back();
    on_all([&](SimulatedPe& pe) {
      pe.free(block.pool, block.stream, block.offset);
    });
    for (auto g = block.begin(); g < block.end(); ++g) {
      m_granules[g].lives   = false;
      m_granules[g].reusers = std::uint64_t{1} << block.stream;
    }
    // Peers may use it up to the barrier that follows.
    if (block.is_shared && n_pes() > 1 && random(2) == 0) {
      auto const pe = random(n_pes());
      use(block, pe, (pe + 1) % n_pes());
    }
  }

  void barrier(std::size_t stream) {
    on_all([&](SimulatedPe& pe) { pe.barrier(stream); });
    for (auto& block : m_blocks) {
      if (block.stream == stream) block.is_shared = true;
    }
  }

  void order_after(std::size_t later, std::size_t earlier) {
    if (later == earlier) return;
    on_all([&](SimulatedPe& pe) { pe.order_after(later, earlier); });
    for (auto& block : m_blocks) {
      if (block.stream == earlier && random(4) == 0) block.stream = later;
    }
  }

  void barrier_all() {
    std::uint64_t idle_on_all = all;
    std::uint64_t watched     = all;
    Time time                 = 0;
    for (auto const& pe : m_pes) {
      std::uint64_t wanted = 0;
      for (auto const& its : pe->pools) wanted |= its->streams_to_watch();
      if (watched == all) watched = wanted;
      ASSERT_EQ(wanted, watched) << "other decisions";
      idle_on_all &= pe->order.idle(wanted);
      time = std::max(time, pe->clock.host);
    }
    for (auto const& pe : m_pes) {
      pe->clock.host = time;
      pe->order.were_idle(idle_on_all);
    }
    for (std::size_t stream = 0; stream < n_streams; ++stream) {
      if (!m_pes[0]->order.knows(m_pes[0]->name(stream))) continue;
      if ((idle_on_all >> m_pes[0]->number_of(stream) & 1U) == 0) continue;
      for (std::size_t i = 0; i < m_pes[0]->pools.size(); ++i) {
        if (!pool(i).policy().allow_opportunistic) continue;
        allow_where_free(i, std::uint64_t{1} << stream, all);
      }
    }
  }

  void call_heap() {
    on_all([](SimulatedPe& pe) { pe.call_heap(); });
    for (auto& block : m_blocks) block.is_shared = true;
  }

  void trim() {
    auto const its_pool = random(m_pes[0]->pools.size());
    auto const kept     = random(SimulatedHeap::limit);
    on_all([&](SimulatedPe& pe) {
      pe.pools[its_pool]->trim_to(kept);
      pe.catch_up();
    });
  }

  void change_policy() {
    auto const its_pool = random(m_pes[0]->pools.size());
    auto const bits     = random(8);
    for (auto const& pe : m_pes) {
      auto& policy                       = pe->pools[its_pool]->policy();
      policy.follow_event_dependencies   = (bits & 1U) != 0;
      policy.allow_opportunistic         = (bits & 2U) != 0;
      policy.allow_internal_dependencies = (bits & 4U) != 0;
    }
  }

  /// An end with blocks that live, and another pool.
  void end_a_pool() {
    if (m_pes[0]->pools.size() > 5) return;
    auto const its_pool = random(m_pes[0]->pools.size());
    if (pool(its_pool).is_ending()) return;
    for (auto const& pe : m_pes) pe->pools[its_pool]->end();
    add_pool();
  }

  void step() {
    auto const action = random(100);
    if (action < 38) return malloc();
    if (action < 65) return free();
    if (action < 73) return barrier(random(n_streams));
    if (action < 86) return order_after(random(n_streams), random(n_streams));
    if (action < 90 && !m_blocks.empty()) {
      return use_at_random(m_blocks[random(m_blocks.size())]);
    }
    if (action < 95) return barrier_all();
    if (action < 96) return call_heap();
    if (action < 97) return trim();
    if (action < 98 && m_setting.changes_policy) return change_policy();
    if (random(40) == 0) return end_a_pool();
    if (random(40) == 0) {
      for (auto& speed : m_speeds) speed = std::uint64_t{1} << random(12);
    }
  }

  void expect_equal_amounts() {
    for (std::size_t i = 0; i < m_pes[0]->pools.size(); ++i) {
      std::uint64_t live = 0;
      for (auto const& block : m_blocks) {
        if (block.pool == i) {
          live += symm::Impl::round_up(block.bytes, alignment);
        }
      }
      for (std::size_t pe = 0; pe < n_pes(); ++pe) {
        ASSERT_EQ(pool(i, pe).used().current, live);
        ASSERT_EQ(pool(i, pe).reserved().current, pool(i).reserved().current);
        ASSERT_LE(live, pool(i).reserved().current);
      }
    }
  }

  Setting m_setting;
  std::mt19937_64 m_random;
  std::vector<std::unique_ptr<SimulatedPe>> m_pes;
  std::vector<std::uint64_t> m_speeds;
  std::vector<Block> m_blocks;
  std::vector<Granule> m_granules;
  std::vector<std::vector<Used>> m_used;  // by PE
  int m_n_blocks = 0;
};

TEST_P(StreamPoolModel, H02_P02_P03_uses_never_overlap_and_pes_decide_alike) {
  for (int i = 0; i < 3000; ++i) {
    step();
    if (i % 100 == 0) expect_equal_amounts();
    if (HasFatalFailure()) FAIL() << "in step " << i;
  }
  while (!m_blocks.empty() && !HasFatalFailure()) free();
  // Nothing is lost.
  call_heap();
  for (std::size_t i = 0; i < m_pes[0]->pools.size(); ++i) {
    on_all([&](SimulatedPe& pe) { pe.pools[i]->trim_to(0); });
    ASSERT_EQ(pool(i).reserved().current, 0U);
    ASSERT_EQ(pool(i).has_ended(), pool(i).is_ending());
    ASSERT_EQ(pool(i).streams_in_use(), 0U);
  }
  for (auto const& pe : m_pes) ASSERT_EQ(pe->heap.mapped_bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, StreamPoolModel,
    testing::Combine(
        testing::Values(
            Setting{3, symm::MemPoolKind::symmetric},
            Setting{2, symm::MemPoolKind::symmetric, true, false, true},
            Setting{2, symm::MemPoolKind::symmetric, false, true, true},
            Setting{2, symm::MemPoolKind::symmetric, false, true, false},
            Setting{2, symm::MemPoolKind::symmetric, false, false, true},
            Setting{2, symm::MemPoolKind::symmetric, false, false, false},
            Setting{3, symm::MemPoolKind::symmetric, true, true, true, true},
            Setting{1, symm::MemPoolKind::symmetric},
            Setting{1, symm::MemPoolKind::symmetric, false, false, false},
            Setting{1, symm::MemPoolKind::local},
            Setting{1, symm::MemPoolKind::local, false, true, false},
            Setting{1, symm::MemPoolKind::local, false, false, true},
            Setting{1, symm::MemPoolKind::local, true, true, true, true}),
        testing::Range(1, is_sanitized ? 3 : 6)),
    [](auto const& test) {
      return text_of(std::get<0>(test.param)) + "_" +
             std::to_string(std::get<1>(test.param));
    });

}  // namespace
}  // namespace symm_test::stream_pool_model
