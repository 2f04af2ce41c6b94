// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Operations on PEs of other nodes: which become what calls of the Transport.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/FakeTransport.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <runtime/collectives/HostShare.hpp>
#include <runtime/memory/HeapMap.hpp>
#include <runtime/pes/PeBackoff.hpp>
#include <runtime/symm_atomics.hpp>
#include <runtime/symm_errors.hpp>
#include <runtime/symm_rma.hpp>
#include <runtime/symm_signals.hpp>

#include "GroupOfThreads.hpp"

namespace symm_test {
namespace {

using symm::HeapMap;
using symm::Pe;
using symm::Signal;
using symm::SignalOp;
using testing::ElementsAre;
using testing::IsEmpty;

/// PEs 0 to 3, of which 2 and 3 are on this node; this is PE 2.
class FarPes : public testing::Test {
 protected:
  static constexpr std::size_t n_words = 128;
  using Part                           = std::array<std::uint64_t, n_words>;

  [[nodiscard]] static bool is_far(Pe pe) { return pe < 2; }
  [[nodiscard]] Part& part(Pe pe) {
    return is_far(pe) ? far[static_cast<std::size_t>(pe)]
                      : near[static_cast<std::size_t>(pe)];
  }
  /// An address of this PE's part.
  template <class T = std::uint64_t>
  [[nodiscard]] T* mine(std::size_t word = 0) {
    return reinterpret_cast<T*>(&near[2][word]);
  }

  // Those of PEs 0 and 1 in here are where the address arithmetic leads to.
  std::array<Part, 4> near{};
  std::array<Part, 2> far{};
  HeapMap map{reinterpret_cast<char*>(near.data()), sizeof(Part), 2, 4, 2, 2};
  FakeTransport transport{
      [this](Pe pe) { return reinterpret_cast<char*>(part(pe).data()); }};

  /// Nobody has stored by address arithmetic to what is not there.
  void TearDown() override {
    EXPECT_EQ(near[0], Part{});
    EXPECT_EQ(near[1], Part{});
  }
};

TEST_F(FarPes, puts_and_gets_are_one_message) {
  std::array<std::uint64_t, 3> source{1, 2, 3};
  symm::put(map, mine(5), source.data(), 3, 1);
  EXPECT_THAT(transport.calls(), ElementsAre("put 1"));
  EXPECT_EQ(far[1][5], 1);
  EXPECT_EQ(far[1][7], 3);
  symm::putmem(map, mine(1), source.data(), 8, 0);
  EXPECT_EQ(far[0][1], 1);
  std::array<std::uint64_t, 3> got{};
  symm::get(map, got.data(), mine(5), 3, 1);
  EXPECT_EQ(got, source);
  symm::getmem(map, got.data(), mine(7), 8, 1);
  EXPECT_EQ(got[0], 3);
  EXPECT_THAT(transport.calls(), ElementsAre("put 0", "get 1", "get 1"));
}

TEST_F(FarPes, near_ones_are_no_messages) {
  std::array<std::uint64_t, 3> const source{1, 2, 3};
  for (Pe const pe : {2, 3}) {
    symm::put(map, mine(5), source.data(), 3, pe);
    EXPECT_EQ(part(pe)[7], 3);
    EXPECT_EQ(symm::g(map, mine(6), pe), 2);
    symm::atomic_add(map, mine(6), 7, pe);
    EXPECT_EQ(part(pe)[6], 9);
    symm::put_signal(map, mine(5), source.data(), 3, mine(8), Signal{4},
                     SignalOp::add, pe);
    EXPECT_EQ(part(pe)[8], 4);
  }
  EXPECT_THAT(transport.calls(), IsEmpty());
}

TEST_F(FarPes, without_elements_there_is_no_message) {
  symm::put(map, mine(), mine(1), 0, 1);
  symm::get(map, mine(), mine(1), 0, 1);
  symm::iput(map, mine(), mine(1), 2, 2, 0, 1);
  EXPECT_THAT(transport.calls(), IsEmpty());
}

TEST_F(FarPes, nbi_forms_end_in_quiet) {
  std::uint64_t const source = 7;
  std::uint64_t dest         = 0;
  far[0][3]                  = 9;
  symm::put_nbi(map, mine(), &source, 1, 1);
  symm::putmem_nbi(map, mine(1), &source, 8, 1);
  symm::get_nbi(map, &dest, mine(3), 1, 0);
  symm::put_signal_nbi(map, mine(2), &source, 1, mine(4), Signal{1},
                       SignalOp::add, 1);
  EXPECT_THAT(transport.calls(), ElementsAre("put_nbi 1", "put_nbi 1",
                                             "get_nbi 0", "put_signal_nbi 1"));
  EXPECT_EQ(far[1][0] + dest, 0);
  symm::quiet();
  EXPECT_THAT(transport.calls(), ElementsAre("quiet"));
  EXPECT_EQ(far[1][0], 7);
  EXPECT_EQ(far[1][1], 7);
  EXPECT_EQ(far[1][2], 7);
  EXPECT_EQ(far[1][4], 1);
  EXPECT_EQ(dest, 9);
}

TEST_F(FarPes, an_operation_that_throws_has_nothing_under_way) {
  std::array<std::uint64_t, 100> data{};  // more than an entry of a batch
  far[1].fill(7);
  transport.fail_at(1);
  EXPECT_THROW(symm::get_nbi(map, data.data(), mine(), 100, 1), std::bad_alloc);
  EXPECT_THAT(transport.calls(), ElementsAre("get_nbi 1", "quiet"));
  data.fill(5);
  symm::quiet();
  EXPECT_THAT(data, testing::Each(5));
  transport.fail_at(1);
  EXPECT_THROW(symm::put_nbi(map, mine(), data.data(), 100, 1), std::bad_alloc);
  EXPECT_THAT(transport.calls(), ElementsAre("quiet", "put_nbi 1", "quiet"));
  transport.fail_at(1);
  EXPECT_THROW(symm::put_signal_nbi(map, mine(), data.data(), 100, mine(120),
                                    Signal{1}, SignalOp::add, 1),
               std::bad_alloc);
  EXPECT_THAT(transport.calls(), ElementsAre("put_signal_nbi 1", "quiet"));
}

/// A team of the PEs of FarPes, as HostShare asks for it.
struct TeamOfFarPes {
  HeapMap its_map;

  struct Words {
    HeapMap map;
  };
  [[nodiscard]] Words words() const { return {its_map}; }
  [[nodiscard]] static int n_pes() { return 4; }
  [[nodiscard]] static Pe world_pe(Pe member) { return member; }
};

/// A collective operation whose function object throws for the number 13.
struct WorkThatThrows {
  using Element                     = std::uint64_t;
  static constexpr char const* name = "a test";

  TeamOfFarPes team;
  Element* dest;
  Element const* source;

  template <class Blocks>
  void run_block(Blocks& blocks, Element* sums, std::size_t n) const {
    std::fill_n(sums, n, 0);
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      auto const* const its = blocks.source(pe);
      for (std::size_t i = 0; i < n; ++i) {
        if (its[i] == 13) throw std::domain_error("unlucky");
        sums[i] += its[i];
      }
      blocks.store(pe, sums);
    }
  }
};

TEST_F(FarPes, what_a_reduction_has_begun_is_done_before_its_memory_ends) {
  WorkThatThrows const work{{map}, mine(64), mine()};
  auto const run = [&] {
    symm::Impl::HostShare(work, map).run_far(symm::Impl::OneThread(), {0, 64});
  };
  // It has begun to get from one far PE.
  transport.fail_at(1);
  EXPECT_THROW(run(), std::bad_alloc);
  EXPECT_THAT(transport.calls(), ElementsAre("get_nbi 0", "quiet"));
  // It has begun to put to one.
  far[1][3] = 13;
  EXPECT_THROW(run(), std::domain_error);
  EXPECT_THAT(transport.calls(), ElementsAre("get_nbi 0", "get_nbi 1", "quiet",
                                             "put_nbi 0", "quiet"));
}

TEST_F(FarPes, fence_and_quiet_are_the_transports_too) {
  symm::fence();
  symm::quiet();
  EXPECT_THAT(transport.calls(), ElementsAre("fence", "quiet"));
}

TEST_F(FarPes, one_element) {
  struct Three {
    char c[3];
  };
  symm::p(map, mine<int>(1), -5, 0);
  EXPECT_EQ(symm::g(map, mine<int>(1), 0), -5);
  symm::p(map, mine<Three>(2), Three{{1, 2, 3}}, 0);
  EXPECT_EQ(symm::g(map, mine<Three const>(2), 0).c[2], 3);
  EXPECT_THAT(transport.calls(),
              ElementsAre("put 0", "get 0", "put 0", "get 0"));
}

TEST_F(FarPes, strides_are_those_of_the_right_side) {
  std::vector<std::uint64_t> source{1, 2, 3, 4, 5, 6};
  symm::iput(map, mine(10), source.data(), 3, 2, 3, 1);
  EXPECT_EQ(far[1][10], 1);
  EXPECT_EQ(far[1][11], 0);
  EXPECT_EQ(far[1][13], 3);
  EXPECT_EQ(far[1][16], 5);
  std::vector<std::uint64_t> dest(5);
  symm::iget(map, dest.data(), mine(10), 2, 3, 3, 1);
  EXPECT_THAT(dest, ElementsAre(1, 0, 3, 0, 5));
  symm::iput(map, mine(20), source.data(), 1, 1, 3, 1);
  EXPECT_EQ(far[1][22], 3);
  EXPECT_THAT(transport.calls(),
              ElementsAre("put_strided 1", "get_strided 1", "put 1"));
}

TEST_F(FarPes, signals_go_with_their_data) {
  std::array<std::uint64_t, 2> const source{5, 6};
  symm::put_signal(map, mine(), source.data(), 2, mine(9), Signal{3},
                   SignalOp::set, 0);
  symm::put_signal(map, mine(), source.data(), 2, mine(9), Signal{4},
                   SignalOp::add, 0);
  std::uint64_t* const none = nullptr;
  symm::put_signal(map, none, none, 0, mine(9), Signal{1}, SignalOp::add, 0);
  symm::signal_op(map, mine(9), 2, SignalOp::add, 0);
  EXPECT_THAT(transport.calls(), testing::AllOf(testing::SizeIs(4),
                                                testing::Each("put_signal 0")));
  EXPECT_EQ(far[0][1], 6);
  EXPECT_EQ(far[0][9], 10);
}

template <class T>
class FarAtomics : public FarPes {
 protected:
  T& its() { return *reinterpret_cast<T*>(&far[1][4]); }
  T* word() { return mine<T>(4); }
};
enum class Color : std::uint32_t { red = 1, green = 7 };
using Numbers = testing::Types<int, unsigned, long, unsigned long, long long,
                               unsigned long long, float, double>;
TYPED_TEST_SUITE(FarAtomics, Numbers);

TYPED_TEST(FarAtomics, numbers) {
  auto const& heap = this->map;
  using T          = TypeParam;
  auto* const w    = this->word();
  auto& its        = this->its();
  its              = T(5);
  EXPECT_EQ(symm::atomic_fetch(heap, w, 1), T(5));
  EXPECT_EQ(symm::atomic_swap(heap, w, T(6), 1), T(5));
  EXPECT_EQ(symm::atomic_compare_swap(heap, w, T(5), T(9), 1), T(6));
  EXPECT_EQ(its, T(6));
  EXPECT_EQ(symm::atomic_compare_swap(heap, w, T(6), T(9), 1), T(6));
  EXPECT_EQ(symm::atomic_fetch_add(heap, w, T(-4), 1), T(9));
  EXPECT_EQ(symm::atomic_fetch_inc(heap, w, 1), T(5));
  EXPECT_EQ(symm::atomic_fetch_min(heap, w, T(3), 1), T(6));
  // Of the type: -1 is the largest number without a sign.
  EXPECT_EQ(symm::atomic_fetch_max(heap, w, T(-1), 1), T(3));
  EXPECT_EQ(its, std::is_unsigned_v<T> ? std::numeric_limits<T>::max() : T(3));
  static_cast<void>(this->transport.calls());
  symm::atomic_set(heap, w, T(20), 1);
  symm::atomic_add(heap, w, T(2), 1);
  symm::atomic_inc(heap, w, 1);
  symm::atomic_min(heap, w, T(22), 1);
  symm::atomic_max(heap, w, T(24), 1);
  EXPECT_THAT(this->transport.calls(), testing::Each("post_atomic 1"));
  symm::quiet();
  EXPECT_EQ(its, T(24));
  if constexpr (std::is_integral_v<T>) {
    EXPECT_EQ(symm::atomic_fetch_and(heap, w, T(9), 1), T(24));
    EXPECT_EQ(symm::atomic_fetch_or(heap, w, T(3), 1), T(8));
    EXPECT_EQ(symm::atomic_fetch_xor(heap, w, T(1), 1), T(11));
    symm::atomic_and(heap, w, T(6), 1);
    symm::atomic_or(heap, w, T(5), 1);
    symm::atomic_xor(heap, w, T(2), 1);
    symm::quiet();
    EXPECT_EQ(its, T(5));
  }
}

TEST_F(FarPes, atomics_on_enumerations_and_pointers) {
  EXPECT_EQ(symm::atomic_swap(map, mine<Color>(4), Color::green, 1), Color{});
  EXPECT_EQ(symm::atomic_fetch(map, mine<Color>(4), 1), Color::green);
  int thing = 0;
  symm::atomic_set(map, mine<int*>(5), &thing, 1);
  symm::quiet();
  EXPECT_EQ(symm::atomic_fetch(map, mine<int*>(5), 1), &thing);
}

TEST_F(FarPes, one_thread_of_a_group_sends) {
  std::array<std::uint64_t, 3> const source{1, 2, 3};
  std::atomic<int> n_wrong{0};
  on_threads(3, [&](Threads const& group) {
    symm::put(group, map, mine(), source.data(), 3, 1);
    if (far[1][2] != 3) ++n_wrong;  // its barrier
    symm::iput(group, map, mine(9), source.data(), 2, 1, 3, 1);
    if (far[1][13] != 3) ++n_wrong;
    symm::put_signal(group, map, mine(3), source.data(), 3, mine(8), Signal{1},
                     SignalOp::add, 1);
    if (far[1][8] != 1) ++n_wrong;
  });
  EXPECT_EQ(n_wrong, 0);
  EXPECT_THAT(transport.calls(),
              ElementsAre("put 1", "put_strided 1", "put_signal 1"));
}

TEST_F(FarPes, who_waits_polls_and_looks_again_at_once) {
  for (int const spins : {1000, 0}) {
    bool is_there = false;
    transport.at_next_poll([&] { is_there = true; });
    symm::Impl::PeBackoff backoff(spins, &transport);
    int n_pauses = 0;
    while (!is_there) {
      backoff.pause();
      ++n_pauses;
    }
    EXPECT_EQ(n_pauses, 1);
    EXPECT_THAT(transport.calls(), ElementsAre("poll"));
  }
}

TEST(FarPesWithoutTransport, are_refused) {
  std::array<std::uint64_t, 4> memory{};
  HeapMap const map{reinterpret_cast<char*>(memory.data()), 8, 0, 4, 0, 2};
  EXPECT_THROW(symm::p(map, memory.data(), 1, 3), symm::UsageError);
  EXPECT_THROW(static_cast<void>(symm::atomic_fetch(map, memory.data(), 2)),
               symm::UsageError);
  EXPECT_THAT(memory, testing::Each(0));
}

}  // namespace
}  // namespace symm_test
