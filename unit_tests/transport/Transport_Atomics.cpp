// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Atomic operations that are not answered, over a fake engine: batches of them
// against a serial oracle, and how much memory they take.
#include <map>
#include <random>
#include <tuple>

#include <runtime/transport/AtomicRun.hpp>
#include "transport_test.hpp"

namespace {

using namespace symm_test;
using symm::Impl::AtomicRunReader;
using symm::Impl::AtomicRunWriter;
using symm::Impl::BatchEntry;
using symm::Impl::FarAtomic;

constexpr std::size_t n_slots = 64;  // of 8 bytes

/// What a PE's words are, by the same operations one after the other.
struct Oracle {
  std::map<std::pair<Pe, std::size_t>, std::uint64_t> words;

  void apply(FarAtomic const& it) {
    auto& word = words[{it.at.pe, it.at.offset()}];
    switch (it.op) {
      case AtomicOp::set: word = it.value; break;
      case AtomicOp::add: word += it.value; break;
      case AtomicOp::bit_xor: word ^= it.value; break;
      case AtomicOp::max: word = std::max(word, it.value); break;
      default: ADD_FAILURE();
    }
    if (it.type == WordType::u32) word &= 0xffff'ffffU;
  }
};

/// \param n_values few: runs of equal values; many: of values; 1: "add 1".
std::vector<FarAtomic> random_atomics(std::mt19937_64& random, int n_pes,
                                      std::size_t count, unsigned n_values,
                                      unsigned n_kinds) {
  constexpr std::array ops{AtomicOp::add, AtomicOp::bit_xor, AtomicOp::set,
                           AtomicOp::max};
  std::vector<FarAtomic> all;
  for (std::size_t i = 0; i < count; ++i) {
    auto const pe   = 1 + static_cast<Pe>(random() % unsigned(n_pes - 1));
    auto const kind = random() % n_kinds;
    bool const wide = kind < ops.size();
    auto const slot = random() % n_slots + (wide ? 0 : n_slots);
    // The last bytes of the heap, too.
    auto const offset = TestTarget::heap_bytes - 8 * (slot + 1);
    auto const value  = random() % n_values + 1;
    all.push_back({{pe, Segment::host_heap, offset},
                   ops[kind % ops.size()],
                   wide ? WordType::u64 : WordType::u32,
                   value});
  }
  return all;
}

TEST(TransportAtomics, of_any_mixture_are_carried_out_in_order) {
  std::mt19937_64 random(3);
  for (unsigned const n_values : {1U, 2U, 1'000'000U}) {
    for (unsigned const n_kinds : {1U, 2U, 8U}) {
      for (int const n_pes : {2, 4}) {
        for (bool const in_blocks : {false, true}) {
          FakeJob job(n_pes);
          Oracle oracle;
          for (std::size_t const count : {1U, 2U, 3U, 255U, 20'000U}) {
            auto const all =
                random_atomics(random, n_pes, count, n_values, n_kinds);
            for (auto const& it : all) oracle.apply(it);
            if (in_blocks) {
              std::span<FarAtomic const> left(all);
              job[0].channel().post_atomics(left);
            } else {
              for (auto const& [at, op, type, value] : all)
                job[0].channel().post_atomic(at, op, type, value);
            }
            job[0].channel().quiet();
          }
          for (auto const& [place, word] : oracle.words) {
            auto const [pe, offset] = place;
            EXPECT_EQ(job.target(pe).at(offset), word)
                << n_values << " values, " << n_kinds << " kinds, " << n_pes;
          }
        }
      }
    }
  }
}

TEST(TransportAtomics, keep_their_order_among_puts_and_gets_of_a_batch) {
  FakeJob job(2);
  PeMemory const at{1, Segment::host_heap, 64};
  auto& it                = job[0].channel();
  std::uint64_t const ten = 10;
  std::uint64_t got = 0, was = 0;
  it.post_atomic(at, AtomicOp::add, WordType::u64, 1);
  it.put(at, &ten, 8, Completion::none);
  for (int i = 0; i < 3; ++i)
    it.post_atomic(at, AtomicOp::add, WordType::u64, 1);
  it.get(&got, at, 8, Completion::none);
  for (int i = 0; i < 2; ++i)  // a run that is not a multiple of 8 bytes
    it.post_atomic(at, AtomicOp::add, WordType::u64, 1);
  it.fetch_nbi(at, AtomicOp::add, WordType::u64, 1, 0, &was);
  it.quiet();
  EXPECT_EQ(got, 13U);
  EXPECT_EQ(was, 15U);
  EXPECT_EQ(job.target(1).at(64), 16U);
}

TEST(TransportAtomics, of_floats_add_as_floats_do) {
  FakeJob job(2);
  for (int i = 1; i <= 100; ++i) {
    job[0].channel().post_atomic(
        {1, Segment::host_heap, 0}, AtomicOp::add, WordType::f64,
        std::bit_cast<std::uint64_t>(static_cast<double>(i) / 2));
    job[0].channel().post_atomic(
        {1, Segment::host_heap, 12}, AtomicOp::add, WordType::f32,
        std::bit_cast<std::uint32_t>(static_cast<float>(i) / 2));
  }
  job[0].channel().quiet();
  EXPECT_EQ(job.target(1).at<double>(0), 2525.0);
  EXPECT_EQ(job.target(1).at<float>(12), 2525.0F);
}

TEST(TransportAtomics, of_equal_values_take_4_bytes_each) {
  FakeJob job(2);
  auto const sent = [&](int count) {
    auto const before = job.network.n_sent();
    for (int i = 0; i < count; ++i)
      job[0].channel().post_atomic({1, Segment::host_heap, 0}, AtomicOp::add,
                                   WordType::u64, 1);
    auto const n = job.network.n_sent() - before;
    job[0].channel().quiet();
    return n;
  };
  EXPECT_EQ(sent(4091), 0U);
  EXPECT_GT(sent(4092), 0U);
}

/// With memory for two batches.
TEST(TransportAtomics, to_many_pes_send_batches_instead_of_taking_memory) {
  constexpr int n_pes = 7;
  auto options        = FakeJob::without_thread;
  options.max_batches = 2;
  FakeJob job(n_pes, FakeJob::Order::random, 5, options);
  auto const add = [&](Pe pe) {
    job[0].channel().post_atomic({pe, Segment::host_heap, 8}, AtomicOp::add,
                                 WordType::u64, 1);
  };
  for (Pe const pe : {1, 2, 1, 2}) add(pe);
  EXPECT_EQ(job.network.n_sent(), 0U);
  for (Pe pe = 3; pe < n_pes; ++pe) add(pe);
  EXPECT_EQ(job.network.n_sent(), 4U) << "two of six batches wait";
  std::mt19937 random(1);
  std::array<std::uint64_t, n_pes> expected{0, 2, 2, 1, 1, 1, 1};
  std::vector<std::uint64_t> got(3'000);
  for (auto& its : got) {
    auto const pe = 1 + random() % (n_pes - 1);
    add(static_cast<Pe>(pe));
    ++expected[pe];
    job[0].channel().get(
        &its, {1 + static_cast<Pe>(random() % 6), Segment::host_heap, 16}, 8,
        Completion::none);
    job.target(static_cast<Pe>(pe)).at(16) = 5;
  }
  job[0].channel().quiet();
  for (Pe pe = 1; pe < n_pes; ++pe)
    EXPECT_EQ(job.target(pe).at(8), expected[static_cast<std::size_t>(pe)]);
}

TEST(AtomicRuns, that_are_cut_off_or_count_too_much_are_refused) {
  std::array<std::byte, 256> batch{};
  std::size_t bytes = 16;
  AtomicRunWriter run;
  run.begin(0, Segment::host_heap, 8, AtomicOp::add, WordType::u64, 3);
  for (std::size_t i = 2; i < 9; ++i) {
    ASSERT_TRUE(run.append(batch.data(), bytes, batch.size(),
                           Segment::host_heap, 8 * i, AtomicOp::add,
                           WordType::u64, 3));
  }
  std::uint64_t word = 0;
  std::memcpy(&word, batch.data(), sizeof word);
  std::span<std::byte const> const all(batch);
  auto const made = AtomicRunReader::make(BatchEntry(word), all.subspan(8));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->count(), 8U);
  auto const whole = made->bytes();
  for (std::size_t n = 0; n < whole; ++n)
    EXPECT_FALSE(AtomicRunReader::make(BatchEntry(word), all.subspan(8, n)));
  std::uint32_t const many = UINT32_MAX;
  std::memcpy(batch.data() + 16, &many, sizeof many);
  EXPECT_FALSE(AtomicRunReader::make(BatchEntry(word), all.subspan(8)));
}

}  // namespace
