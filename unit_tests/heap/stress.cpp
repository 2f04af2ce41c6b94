// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random mixes of all calls. All PEs draw the same numbers; every block holds
// data of its PE, which all peers check; wrong calls are sprinkled in.

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <heap/heap_test.hpp>

namespace {

using namespace symm_test;

class Stress : public testing::TestWithParam<unsigned> {
 protected:
  struct Block {
    char* address     = nullptr;
    std::size_t bytes = 0;
    unsigned salt     = 0;
  };

  /// Small ones mostly, sometimes some that make the heap grow.
  std::size_t draw_bytes() {
    auto const draw = m_random();
    if (draw % 16 == 0) return draw / 16 % (3 * mib) + 1;
    return draw / 16 % 3000 + 1;
  }
  std::size_t draw(std::size_t below) { return m_random() % below; }

  void write(Block& block) {
    block.salt = ++m_salt;
    fill(block.address, block.bytes, {m_me, m_me, block.salt});
  }
  void check(Block const& block, symm::Pe pe, std::size_t bytes) const {
    EXPECT_EQ(difference_at(pe, block.address, bytes, {pe, pe, block.salt}),
              no_difference)
        << "block " << block.salt << " of " << bytes << " bytes of PE " << pe
        << " in step " << m_step;
  }
  void check_all_blocks_of_all_pes() const {
    symm::barrier_all();
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      for (auto const& block : m_blocks) check(block, pe, block.bytes);
    }
    symm::barrier_all();
  }

  void allocate();
  void reallocate();
  void release();
  void make_a_wrong_call();

  symm::Pe const m_me = symm::my_pe();
  std::mt19937 m_random{GetParam()};
  std::vector<Block> m_blocks;
  unsigned m_salt = 0;
  int m_step      = 0;
};

void Stress::allocate() {
  auto const bytes     = draw_bytes();
  auto const alignment = std::size_t{8} << draw(14);
  auto const kind      = draw(3);
  void* const address  = kind == 0   ? symm::malloc(bytes)
                         : kind == 1 ? symm::align(alignment, bytes)
                                     : symm::calloc(bytes, 1);
  EXPECT_NE(address, nullptr) << symm::last_error();
  if (address == nullptr) return;
  Block block{static_cast<char*>(address), bytes};
  if (kind == 1) {
    EXPECT_TRUE(is_aligned(address, alignment));
  }
  if (kind == 2) {
    EXPECT_EQ(difference_from(0, address, bytes), no_difference);
  }
  write(block);
  m_blocks.push_back(block);
}

void Stress::reallocate() {
  if (m_blocks.empty()) return;
  auto& block         = m_blocks[draw(m_blocks.size())];
  auto const bytes    = draw_bytes();
  void* const address = symm::realloc(block.address, bytes);
  EXPECT_NE(address, nullptr) << symm::last_error();
  if (address == nullptr) return;
  block.address = static_cast<char*>(address);
  check(block, m_me, std::min(block.bytes, bytes));
  block.bytes = bytes;
  write(block);
}

void Stress::release() {
  if (m_blocks.empty()) return;
  auto const i = draw(m_blocks.size());
  check(m_blocks[i], m_me, m_blocks[i].bytes);
  symm::free(m_blocks[i].address);
  EXPECT_STREQ(symm::last_error(), "");
  m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(i));
}

void Stress::make_a_wrong_call() {
  auto const odd =
      static_cast<symm::Pe>(draw(static_cast<std::size_t>(symm::n_pes())));
  bool const is_odd = m_me == odd && symm::n_pes() > 1;
  auto const bytes  = draw_bytes();
  auto const before = heap_state();
  void* result      = nullptr;
  switch (draw(5)) {
    case 0: result = symm::malloc(is_odd ? bytes + 1 : ~bytes); break;
    case 1: result = symm::align(is_odd ? 64 : 24, bytes); break;
    case 2: result = symm::calloc(~bytes, is_odd ? bytes : 16); break;
    case 3: result = symm::realloc(&result, is_odd ? bytes : bytes + 1); break;
    default: symm::free(is_odd ? static_cast<void*>(&m_salt) : &m_step); break;
  }
  EXPECT_EQ(result, nullptr);
  EXPECT_STRNE(symm::last_error(), "");
  EXPECT_EQ(heap_state(), before) << symm::last_error();
}

TEST_P(Stress, M02_M15_M27_M30_M48_M50_random_calls_right_and_wrong) {
  symm::heap_trim();
  auto const empty = heap_state();
  testing::internal::CaptureStderr();  // free() tells what is wrong there, too
  int const n_steps = are_all_near() ? 600 : 180;
  for (m_step = 0; m_step < n_steps; ++m_step) {
    auto const what = draw(100);
    if (what < 45) {
      allocate();
    } else if (what < 60) {
      reallocate();
    } else if (what < 90) {
      release();
    } else if (what < 97) {
      make_a_wrong_call();
    } else {
      symm::heap_trim();
    }
    if (m_step % 60 == 59) check_all_blocks_of_all_pes();
  }
  while (!m_blocks.empty()) release();
  symm::heap_trim();
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(heap_state(), empty);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Stress, testing::Values(1U, 2U, 3U));

}  // namespace
