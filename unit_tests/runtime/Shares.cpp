// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What kernels of collective operations read and store, run on CPUs for up to 8
// PEs (and 61): each result is right, and each PE's link carries no more bytes,
// in either direction, than the operation cannot do without.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/collectives/KernelReduce.hpp>
#include <runtime/collectives/Shares.hpp>
#include <runtime/groups/Group.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::OneThread;

using Words = std::vector<std::uint64_t>;

std::size_t index(Pe pe) { return static_cast<std::size_t>(pe); }

/// The words that left and reached each PE.
class Links {
 public:
  explicit Links(int n_pes) : m_out(index(n_pes)), m_in(index(n_pes)) {}

  void carry(Pe from, Pe to, std::size_t n_words) {
    if (from == to) return;
    m_out[index(from)] += n_words;
    m_in[index(to)] += n_words;
  }
  [[nodiscard]] std::size_t most() const {
    return std::max(*std::max_element(m_out.begin(), m_out.end()),
                    *std::max_element(m_in.begin(), m_in.end()));
  }

 private:
  Words m_out;
  Words m_in;
};

struct Case {
  int n_pes;
  std::size_t n_words;  // of a block
  std::size_t n_parts;  // thread blocks
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int const n_pes : {2, 3, 4, 5, 8, 61}) {
    for (std::size_t const n_words : {0U, 1U, 7U, 100U, 1000U, 65536U}) {
      for (std::size_t const n_parts : {1U, 3U, 8U, 64U})
        all.push_back({n_pes, n_words, n_parts});
    }
  }
  return all;
}

/// No link may carry more than a tenth above the least; where a block is short,
/// a few cache lines for each thread block and PE.
void expect_least(Links const& links, std::size_t least, Case const& it) {
  constexpr std::size_t line = 8;
  auto const few             = 4 * line * it.n_parts * index(it.n_pes);
  auto const allowed = least >= 20 * few ? least + least / 10 : least + few;
  EXPECT_LE(links.most(), allowed) << "least " << least;
}

Words block_of(Pe pe, std::size_t n_words) {
  Words words(n_words);
  std::iota(words.begin(), words.end(), 1'000'000U * index(pe) + 1);
  return words;
}

#define TRACE_CASE(it)                                             \
  SCOPED_TRACE(testing::Message()                                  \
               << it.n_pes << " PEs, " << it.n_words << " words, " \
               << it.n_parts << " thread blocks")

TEST(Shares, a_broadcast_takes_each_word_from_the_root_once) {
  for (auto const& it : cases()) {
    for (Pe const root : {0, it.n_pes - 1}) {
      TRACE_CASE(it);
      Links links(it.n_pes);
      auto const source = block_of(root, it.n_words);
      std::vector<Words> dests(index(it.n_pes), Words(it.n_words));
      for (Pe me = 0; me < it.n_pes; ++me) {
        for (std::size_t part = 0; part < it.n_parts; ++part) {
          symm::Impl::pass_on(
              OneThread{}, it.n_pes, me, root, it.n_words, part, it.n_parts,
              [&](std::size_t i) {
                links.carry(root, me, 1);
                return source[i];
              },
              [&](Pe member, std::size_t i, std::uint64_t word) {
                links.carry(me, member, 1);
                EXPECT_EQ(dests[index(member)][i], 0U) << "stored twice";
                dests[index(member)][i] = word;
              });
        }
      }
      for (Pe pe = 0; pe < it.n_pes; ++pe) {
        EXPECT_EQ(dests[index(pe)], pe == root ? Words(it.n_words) : source);
      }
      expect_least(links, it.n_words, it);
    }
  }
}

TEST(Shares, blocks_of_all_are_copied_once_and_all_are_under_way_at_once) {
  for (auto const& it : cases()) {
    TRACE_CASE(it);
    Links links(it.n_pes);
    for (Pe me = 0; me < it.n_pes; ++me) {
      std::vector<std::vector<int>> copied(index(it.n_pes));
      std::vector<bool> is_begun(index(it.n_pes));
      for (std::size_t part = 0; part < it.n_parts; ++part) {
        bool is_first = true;
        symm::Impl::for_each_block(
            it.n_pes, me, part, it.n_parts,
            [&](Pe member, std::size_t of, std::size_t n_of) {
              ASSERT_LT(of, n_of);
              auto& parts = copied[index(member)];
              parts.resize(n_of);
              ++parts[of];
              if (is_first) is_begun[index(member)] = true;
              is_first = false;
              links.carry(member, me,
                          symm::Impl::part_of(it.n_words, of, n_of, 1).count);
            });
      }
      for (auto const& parts : copied) {
        ASSERT_FALSE(parts.empty());
        EXPECT_EQ(parts, std::vector<int>(parts.size(), 1));
      }
      auto const n_begun = std::count(is_begun.begin(), is_begun.end(), true);
      EXPECT_EQ(static_cast<std::size_t>(n_begun),
                std::min(it.n_parts, index(it.n_pes)));
    }
    expect_least(links, it.n_words * index(it.n_pes - 1), it);
  }
}

/// What KernelReduce needs of a work.
struct Sum {
  struct Team {
    int n;
    [[nodiscard]] int n_pes() const { return n; }
  } team;

  static std::uint64_t op(std::uint64_t a, std::uint64_t b) {
    return 3 * a + b;  // the order matters
  }
  [[nodiscard]] static Pe first_dest() { return 0; }
  [[nodiscard]] Pe end_dest() const { return team.n; }
};

TEST(Shares, a_reduction_carries_its_shares_once_in_and_once_out) {
  using P = symm::Impl::Pack<std::uint64_t, 1>;
  for (auto const& it : cases()) {
    TRACE_CASE(it);
    Links links(it.n_pes);
    Sum const work{{it.n_pes}};
    std::vector<Words> sources, dests(index(it.n_pes), Words(it.n_words));
    for (Pe pe = 0; pe < it.n_pes; ++pe)
      sources.push_back(block_of(pe, it.n_words));
    for (Pe me = 0; me < it.n_pes; ++me) {
      for (std::size_t part = 0; part < it.n_parts; ++part) {
        // As ReduceWork has it.
        auto const range =
            symm::Impl::part_of(it.n_words, index(me) * it.n_parts + part,
                                index(it.n_pes) * it.n_parts, 16);
        for (auto i = range.first; i < range.first + range.count; ++i) {
          symm::Impl::reduce_packs_of<P, 1>(
              work,
              [&](Pe pe, auto& its) {
                links.carry(pe, me, 1);
                its[0] = sources[index(pe)][i];
              },
              [&](Pe pe, auto& its) {
                links.carry(me, pe, 1);
                dests[index(pe)][i] = its[0];
              });
        }
      }
    }
    Words expected = sources[0];
    for (Pe pe = 1; pe < it.n_pes; ++pe) {
      for (std::size_t i = 0; i < it.n_words; ++i)
        expected[i] = Sum::op(expected[i], sources[index(pe)][i]);
    }
    for (auto const& dest : dests) EXPECT_EQ(dest, expected);
    // A share of each source comes, and one of the result goes to each PE.
    auto const share = it.n_words / index(it.n_pes);
    expect_least(links, 2 * share * index(it.n_pes - 1), it);
  }
}

}  // namespace
}  // namespace symm_test
