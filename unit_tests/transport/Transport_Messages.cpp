// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Transport_Messages over a fake engine: what each operation does at the
// target, whatever the order in which messages come.
#include "transport_test.hpp"

namespace {

using namespace symm_test;

class TransportMessages : public testing::TestWithParam<FakeNetwork::Order> {
 protected:
  FakeJob job{3, GetParam(), 7};
};

INSTANTIATE_TEST_SUITE_P(Orders, TransportMessages,
                         testing::Values(FakeNetwork::Order::as_sent,
                                         FakeNetwork::Order::random),
                         [](auto const& order) {
                           return order.param == FakeNetwork::Order::random
                                      ? "random"
                                      : "as_sent";
                         });

constexpr std::array<std::size_t, 3> offsets{128, 129, 1'048'583};

TEST_P(TransportMessages, puts_of_all_sizes_are_there_after_quiet) {
  std::uint64_t id = 0;
  for (auto const completion : {Completion::local, Completion::none}) {
    for (auto const offset : offsets) {
      for (auto const bytes : block_sizes) {
        auto block = block_of(++id, bytes);
        job[0].channel().put({2, Segment::host_heap, offset}, block.data(),
                             bytes, completion);
        if (completion == Completion::local) {
          std::fill(block.begin(), block.end(), std::byte{0xEE});
        }
        job[0].channel().quiet();
        auto* const memory = job.target(2).heap() + offset;
        EXPECT_TRUE(holds(memory, id, bytes)) << bytes << " at " << offset;
        std::fill_n(memory, bytes, std::byte{});
      }
    }
  }
}

TEST_P(TransportMessages, gets_of_all_sizes_bring_the_data) {
  std::uint64_t id = 0;
  for (auto const completion : {Completion::local, Completion::none}) {
    for (auto const offset : offsets) {
      for (auto const bytes : block_sizes) {
        auto const block = block_of(++id, bytes);
        std::copy(block.begin(), block.end(), job.target(1).heap() + offset);
        std::vector<std::byte> got(64 + bytes + 64);
        job[0].channel().get(got.data() + 64, {1, Segment::host_heap, offset},
                             bytes, completion);
        if (completion == Completion::none) job[0].channel().quiet();
        EXPECT_TRUE(holds(got.data() + 64, id, bytes)) << bytes;
      }
    }
  }
}

TEST_P(TransportMessages, many_operations_are_complete_after_one_quiet) {
  constexpr std::size_t n     = 200;
  constexpr std::size_t pitch = 4096;
  std::vector<std::vector<std::byte>> blocks;
  std::vector<std::vector<std::byte>> got(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const bytes = block_sizes[i % block_sizes.size()] % 3000;
    blocks.push_back(block_of(i, bytes));
    job[0].channel().put(
        {static_cast<Pe>(1 + i % 2), Segment::host_heap, 64 + i * pitch},
        blocks[i].data(), bytes, Completion::none);
  }
  job[0].channel().quiet();
  for (std::size_t i = 0; i < n; ++i) {
    auto const bytes = blocks[i].size();
    Pe const pe      = static_cast<Pe>(1 + i % 2);
    EXPECT_TRUE(holds(job.target(pe).heap() + 64 + i * pitch, i, bytes));
    got[i].resize(64 + bytes + 64);
    job[0].channel().get(got[i].data() + 64,
                         {pe, Segment::host_heap, 64 + i * pitch}, bytes,
                         Completion::none);
  }
  job[0].channel().quiet();
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_TRUE(holds(got[i].data() + 64, i, blocks[i].size()));
  }
}

TEST_P(TransportMessages, operations_of_one_batch_reach_all_memory) {
  constexpr auto chunk = TestTarget::chunk_bytes;
  std::vector<PeMemory> places;
  for (std::size_t const offset :
       {std::size_t{64}, chunk + 64, 2 * chunk - 4, std::size_t{72},
        TestTarget::heap_bytes - 8}) {
    places.push_back({1, Segment::host_heap, offset});
    places.push_back({1, Segment::host_team_words, 64 + 8 * places.size()});
  }
  auto const n = places.size();
  std::vector<std::uint64_t> got(n), was(n);
  auto& it = job[0].channel();
  for (std::uint64_t i = 0; i < n; ++i) {
    auto const word = 100 + i;
    it.put(places[i], &word, sizeof word, Completion::none);
  }
  for (std::size_t i = 0; i < n; ++i) {
    it.get(&got[i], places[i], sizeof got[i], Completion::none);
    if (places[i].offset() % 8 != 0) continue;
    it.post_atomic(places[i], AtomicOp::add, WordType::u64, 1000);
    it.fetch_nbi(places[i], AtomicOp::add, WordType::u64, 5, 0, &was[i]);
  }
  it.quiet();
  for (std::size_t i = 0; i < n; ++i) {
    auto const word = 100 + i;
    EXPECT_EQ(got[i], word) << i;
    if (places[i].offset() % 8 != 0) continue;
    EXPECT_EQ(was[i], word + 1000) << i;
    std::uint64_t now = 0;
    it.get(&now, places[i], sizeof now);
    EXPECT_EQ(now, word + 1005) << i;
  }
}

TEST_P(TransportMessages, strided_elements_go_where_they_belong) {
  for (std::size_t const size : {1U, 2U, 4U, 8U, 12U, 64U, 100U, 9000U}) {
    for (std::size_t const count : {0U, 1U, 2U, 33U, 3000U}) {
      if (size * count > 400'000) continue;
      Strides const strides{size, count, 2 * size + 1, 3 * size};
      std::vector<std::byte> local(3 * size * count + size);
      for (std::size_t i = 0; i < local.size(); ++i) {
        local[i] = pattern_of(size + count, i);
      }
      std::size_t const offset = 1000 + size;
      job[1].channel().put_strided({0, Segment::host_heap, offset},
                                   local.data(), strides);
      job[1].channel().quiet();
      std::vector<std::byte> expected(strides.remote_bytes * count + 64);
      for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(local.data() + i * strides.local_bytes, size,
                    expected.data() + i * strides.remote_bytes);
      }
      auto* const memory = job.target(0).heap() + offset;
      EXPECT_EQ(std::memcmp(memory, expected.data(), expected.size()), 0)
          << size << " x " << count;

      std::vector<std::byte> got(local.size());
      job[1].channel().get_strided(got.data(), {0, Segment::host_heap, offset},
                                   strides);
      for (std::size_t i = 0; i < got.size(); ++i) {
        bool const is_element = i / (3 * size) < count && i % (3 * size) < size;
        ASSERT_EQ(got[i], is_element ? local[i] : std::byte{}) << i;
      }
      std::fill_n(memory, expected.size(), std::byte{});
    }
  }
}

TEST_P(TransportMessages, a_signal_comes_after_its_data) {
  PeMemory const signal{1, Segment::host_heap, 0};
  std::uint64_t id = 0;
  for (auto const bytes : block_sizes) {
    ++id;
    auto const block = block_of(id, bytes);
    job[0].channel().put_signal({1, Segment::host_heap, 256}, block.data(),
                                bytes, signal, id, AtomicOp::set,
                                Completion::none);
    while (job.target(1).at(0) != id) {
      ASSERT_TRUE(job.network.step()) << "the signal does not come";
    }
    EXPECT_TRUE(holds(job.target(1).heap() + 256, id, bytes)) << bytes;
    job[0].channel().quiet();
    job[0].channel().put_signal({1, Segment::host_heap, 256}, block.data(),
                                bytes, signal, 100, AtomicOp::add);
    job[0].channel().quiet();
    EXPECT_EQ(job.target(1).at(0), id + 100);
    std::fill_n(job.target(1).heap() + 256, bytes, std::byte{});
  }
}

/// What the operation makes of a word, and whether that is right.
template <class T>
void expect_atomic(FakeJob& job, WordType type, AtomicOp op, T before, T value,
                   T after, T compare = {}) {
  auto const bits = [](T number) {
    std::uint64_t word = 0;
    std::memcpy(&word, &number, sizeof number);
    return word;
  };
  PeMemory const at{2, Segment::host_heap, 64};
  auto& word     = job.target(2).at<T>(64);
  auto& neighbor = job.target(2).at<T>(64 + sizeof(T));
  word           = before;
  neighbor       = value;
  auto const was =
      job[0].channel().atomic(at, op, type, bits(value), bits(compare));
  EXPECT_EQ(was, op == AtomicOp::set ? bits(value) : bits(before));
  EXPECT_EQ(bits(word), bits(after)) << static_cast<int>(op);
  EXPECT_EQ(bits(neighbor), bits(value));
  if (op == AtomicOp::compare_swap || op == AtomicOp::fetch) return;
  word = before;
  job[0].channel().post_atomic(at, op, type, bits(value));
  job[0].channel().quiet();
  EXPECT_EQ(bits(word), bits(after)) << "posted " << static_cast<int>(op);
}

template <class T>
void expect_atomics(FakeJob& job, WordType type) {
  T const five = 5;
  T const big  = 100;
  expect_atomic<T>(job, type, AtomicOp::fetch, big, five, big);
  expect_atomic<T>(job, type, AtomicOp::set, big, five, five);
  expect_atomic<T>(job, type, AtomicOp::swap, big, five, five);
  expect_atomic<T>(job, type, AtomicOp::compare_swap, big, five, five, big);
  expect_atomic<T>(job, type, AtomicOp::compare_swap, big, five, big, five);
  expect_atomic<T>(job, type, AtomicOp::add, big, five, 105);
  expect_atomic<T>(job, type, AtomicOp::min, big, five, five);
  expect_atomic<T>(job, type, AtomicOp::max, big, five, big);
  if constexpr (std::is_signed_v<T>) {
    expect_atomic<T>(job, type, AtomicOp::add, big, -big - five, -five);
    expect_atomic<T>(job, type, AtomicOp::min, five, -big, -big);
    expect_atomic<T>(job, type, AtomicOp::max, -five, -big, -five);
  }
  if constexpr (std::is_unsigned_v<T>) {
    T const high = ~T{0};
    expect_atomic<T>(job, type, AtomicOp::max, five, high, high);
  }
  if constexpr (std::is_integral_v<T>) {
    expect_atomic<T>(job, type, AtomicOp::bit_and, 0b1100, 0b1010, 0b1000);
    expect_atomic<T>(job, type, AtomicOp::bit_or, 0b1100, 0b1010, 0b1110);
    expect_atomic<T>(job, type, AtomicOp::bit_xor, 0b1100, 0b1010, 0b0110);
  }
}

TEST_P(TransportMessages, all_atomic_operations_work_on_all_types) {
  expect_atomics<std::int32_t>(job, WordType::i32);
  expect_atomics<std::uint32_t>(job, WordType::u32);
  expect_atomics<float>(job, WordType::f32);
  expect_atomics<std::int64_t>(job, WordType::i64);
  expect_atomics<std::uint64_t>(job, WordType::u64);
  expect_atomics<double>(job, WordType::f64);
}

TEST_P(TransportMessages, notes_are_kept_until_they_are_asked_for) {
  constexpr std::uint64_t n = 50;
  for (std::uint64_t number = 0; number < n; ++number) {
    auto const size = number == 7 ? 100'000U : number;
    job[0].send(1, number, block_of(number, size));
    job[2].send(1, number, block_of(1000 + number, 3));
  }
  EXPECT_FALSE(job[1].receive_within(0, n, std::chrono::milliseconds(1)));
  for (std::uint64_t number = n; number-- > 0;) {
    auto const size = number == 7 ? 100'000U : number;
    EXPECT_EQ(job[1].receive(0, number), block_of(number, size));
    EXPECT_EQ(job[1].receive_within(2, number, std::chrono::seconds(10)),
              block_of(1000 + number, 3));
    EXPECT_FALSE(
        job[1].receive_within(2, number, std::chrono::milliseconds(0)));
  }
}

}  // namespace
