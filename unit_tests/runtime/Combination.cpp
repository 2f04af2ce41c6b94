// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What leaders of nodes make of what PEs say, for any number of nodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "CombinedNodes.hpp"

#include <runtime/base/Failure.hpp>
#include <runtime/symm_errors.hpp>

namespace symm_test::combination {
namespace {

using namespace symm::Impl;
using symm::Pe;
using testing::AllOf;
using testing::HasSubstr;

constexpr int max_nodes = 33;

/// Nodes of 1, 2, 3, 1, 2, 3 ... PEs.
std::vector<Pe> nodes_of(int n_nodes) {
  std::vector<Pe> first{0};
  for (int node = 0; node < n_nodes; ++node) {
    first.push_back(first.back() + node % 3 + 1);
  }
  return first;
}

Saying malloc_of(std::uint64_t bytes) {
  Saying saying;
  saying.call.operation = RuntimeCall::malloc;
  saying.call.arguments = {bytes};
  return saying;
}

/// What all leaders know, the same.
struct Known {
  Summary summary;
  std::map<std::uint32_t, int> told;
  std::uint32_t last_told;
  Outcome outcome;
};

class AnyNodes {
 public:
  explicit AnyNodes(int n_nodes) : m_first(nodes_of(n_nodes)) {}

  [[nodiscard]] int n_nodes() const { return m_nodes.n_nodes(); }
  [[nodiscard]] int n_pes() const { return m_first.back(); }

  Known step(CombinedNodes::SayingOf const& saying_of) {
    m_nodes.step(saying_of);
    Known first = known_by(0);
    for (int node = 1; node < m_nodes.n_nodes(); ++node) {
      auto const other = known_by(node);
      EXPECT_EQ(std::memcmp(&other.summary, &first.summary, sizeof(Summary)), 0)
          << "node " << node;
      EXPECT_EQ(other.told, first.told) << "node " << node;
      EXPECT_EQ(other.last_told, first.last_told);
      EXPECT_EQ(other.outcome.failure.message, first.outcome.failure.message);
      EXPECT_EQ(other.outcome.failure.kind, first.outcome.failure.kind);
      EXPECT_EQ(other.outcome.lowest_pe, first.outcome.lowest_pe);
      EXPECT_EQ(other.outcome.lowest_words, first.outcome.lowest_words);
    }
    return first;
  }
  [[nodiscard]] Traffic const& traffic() const { return m_nodes.traffic; }

 private:
  [[nodiscard]] Known known_by(int node) const {
    auto const& combination =
        m_nodes.combinations[static_cast<std::size_t>(node)];
    Known known{combination.summary(),
                {},
                combination.last_told(),
                m_nodes.outcome(node)};
    for (auto const& notice : combination.notices()) {
      EXPECT_TRUE(known.told.emplace(notice.number, notice.n_pes).second)
          << "each number once";
    }
    return known;
  }

  std::vector<Pe> m_first;
  CombinedNodes m_nodes{m_first};
};

void for_any_nodes(std::function<void(AnyNodes&)> const& check) {
  for (int n = 1; n <= max_nodes && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE(std::to_string(n) + " nodes");
    AnyNodes nodes(n);
    check(nodes);
  }
}

TEST(CombinationOfNodes, equal_calls_pass_with_few_messages) {
  for_any_nodes([](AnyNodes& nodes) {
    auto const known = nodes.step([](Pe) { return malloc_of(64); });
    EXPECT_EQ(known.summary.flags, 0U);
    EXPECT_EQ(known.summary.lowest_pe, 0);
    EXPECT_EQ(known.summary.call.arguments[0], 64U);
    EXPECT_EQ(known.last_told, Combination::told_all);
    // floor(log2) messages, and one more each way where it is no power of two.
    int floor_log2 = 0;
    while (2 << floor_log2 <= nodes.n_nodes()) ++floor_log2;
    bool const is_power = 1 << floor_log2 == nodes.n_nodes();
    EXPECT_EQ(nodes.traffic().n_phases, floor_log2 + (is_power ? 0 : 2));
    EXPECT_LE(nodes.traffic().max_messages, floor_log2 + (is_power ? 0 : 1));
    EXPECT_EQ(nodes.traffic().bytes, nodes.traffic().messages * 80);
  });
}

TEST(CombinationOfNodes, another_argument_of_any_pe_is_named) {
  for_any_nodes([](AnyNodes& nodes) {
    if (nodes.n_pes() == 1) return;
    for (Pe other = 0; other < nodes.n_pes(); ++other) {
      auto const known =
          nodes.step([&](Pe pe) { return malloc_of(pe == other ? 128 : 64); });
      EXPECT_EQ(known.summary.flags, Summary::other_arguments);
      EXPECT_EQ(known.summary.lowest_first, 64U);
      EXPECT_EQ(known.outcome.failure.kind, ErrorKind::usage);
      EXPECT_THAT(std::string(known.outcome.failure.message),
                  HasSubstr("PE " + std::to_string(other) +
                            " called symm::malloc(bytes = 128)"));
      EXPECT_THAT(std::string(known.outcome.failure.message),
                  HasSubstr("called symm::malloc(bytes = 64)"));
    }
  });
}

TEST(CombinationOfNodes, another_call_of_any_pe_is_named) {
  for_any_nodes([](AnyNodes& nodes) {
    if (nodes.n_pes() == 1) return;
    for (Pe other = 0; other < nodes.n_pes(); ++other) {
      auto const known = nodes.step([&](Pe pe) {
        auto saying = malloc_of(64);
        if (pe == other) saying.call = {.operation = RuntimeCall::barrier_all};
        return saying;
      });
      EXPECT_TRUE(known.summary.is(Summary::other_operation));
      EXPECT_THAT(std::string(known.outcome.failure.message),
                  HasSubstr("PE " + std::to_string(other) +
                            " called symm::barrier_all()"));
    }
  });
}

TEST(CombinationOfNodes, another_trail_of_any_pe_is_found) {
  for_any_nodes([](AnyNodes& nodes) {
    if (nodes.n_pes() == 1) return;
    for (Pe other = 0; other < nodes.n_pes(); ++other) {
      auto const known = nodes.step([&](Pe pe) {
        auto saying       = malloc_of(64);
        saying.call.trail = pe == other ? 1 : 2;
        return saying;
      });
      EXPECT_EQ(known.summary.flags, Summary::other_trail);
      EXPECT_EQ(known.outcome.failure.kind, ErrorKind::none);
      EXPECT_EQ(known.outcome.lowest_words, "symm::malloc(bytes = 64)");
    }
  });
}

TEST(CombinationOfNodes, the_lowest_pe_that_failed_is_known_with_its_text) {
  for_any_nodes([](AnyNodes& nodes) {
    for (Pe first = 0; first < nodes.n_pes(); ++first) {
      auto const known = nodes.step([&](Pe pe) {
        auto saying = malloc_of(64);
        if (pe >= first && (pe - first) % 2 == 0) {
          saying.call.failure = ErrorKind::out_of_memory;
          saying.text         = "reason of PE " + std::to_string(pe);
        }
        return saying;
      });
      EXPECT_EQ(known.summary.flags, Summary::has_failed);
      EXPECT_EQ(known.outcome.lowest_pe, first);
      EXPECT_EQ(known.outcome.lowest_failure, ErrorKind::out_of_memory);
      EXPECT_EQ(known.outcome.lowest_words,
                "reason of PE " + std::to_string(first));
      EXPECT_THAT(std::string(known.outcome.failure.message),
                  HasSubstr("on PE " + std::to_string(first) + ": reason"));
    }
  });
}

TEST(CombinationOfNodes, many_messages_are_cut_and_counted) {
  for_any_nodes([](AnyNodes& nodes) {
    auto const known    = nodes.step([&](Pe pe) {
      auto saying         = malloc_of(64);
      saying.call.failure = ErrorKind::system;
      saying.text         = "reason " + std::to_string(pe % 20);
      return saying;
    });
    auto const n_groups = std::min(nodes.n_pes(), 20);
    auto const& message = known.outcome.failure.message;
    for (int group = 0; group < std::min(n_groups, 16); ++group) {
      EXPECT_THAT(std::string(message),
                  HasSubstr(": reason " + std::to_string(group) + ";"));
    }
    EXPECT_EQ(std::string(message).find("reason 16"), std::string::npos);
    EXPECT_EQ(std::string(message).find("other PE") != std::string::npos,
              n_groups > 16);
  });
}

TEST(CombinationOfNodes, bits_are_those_of_all) {
  for_any_nodes([](AnyNodes& nodes) {
    for (Pe without = 0; without < nodes.n_pes(); ++without) {
      auto const known = nodes.step([&](Pe pe) {
        auto saying = malloc_of(64);
        saying.bits = pe == without ? 0b1100 : 0b0110;
        return saying;
      });
      EXPECT_EQ(known.summary.bits, nodes.n_pes() == 1 ? 0b1100U : 0b0100U);
    }
  });
}

TEST(CombinationOfNodes, counts_of_trails_are_the_lowest_and_highest) {
  for_any_nodes([](AnyNodes& nodes) {
    auto const known = nodes.step([&](Pe pe) {
      Saying saying;
      saying.call.operation = RuntimeCall::compare_trails;
      auto const i          = static_cast<std::uint64_t>(pe);
      saying.call.arguments = {1000 - i, 10 + i};
      return saying;
    });
    auto const last  = static_cast<std::uint64_t>(nodes.n_pes() - 1);
    EXPECT_EQ(known.summary.lowest_first, 1000 - last);
    EXPECT_EQ(known.summary.highest_second, 10 + last);
  });
}

/// Of each PE: `n` numbers, of which some are all PEs', some of a few, some its
/// own.
std::vector<std::uint32_t> notices_of(Pe pe, std::uint32_t n,
                                      std::uint32_t spread) {
  std::set<std::uint32_t> numbers;
  auto random = static_cast<std::uint32_t>(pe) * 2654435761U + 1;
  while (numbers.size() < n) {
    random = random * 1664525U + 1013904223U;
    numbers.insert(random / 4096 % spread);
  }
  std::vector<std::uint32_t> result(numbers.begin(), numbers.end());
  // In no order.
  std::reverse(result.begin(), result.end());
  return result;
}

TEST(CombinationOfNodes, notices_are_counted_and_the_lowest_are_told) {
  for_any_nodes([](AnyNodes& nodes) {
    struct Case {
      std::uint32_t n;
      std::uint32_t spread;
    };
    for (auto const& any :
         {Case{0, 1}, Case{1, 1}, Case{7, 20}, Case{369, 400}, Case{369, 1024},
          Case{369, 1025}, Case{300, 100'000}}) {
      std::map<std::uint32_t, int> all;
      for (Pe pe = 0; pe < nodes.n_pes(); ++pe) {
        for (auto const number : notices_of(pe, any.n, any.spread))
          ++all[number];
      }
      auto const known  = nodes.step([&](Pe pe) {
        auto saying    = malloc_of(64);
        saying.notices = notices_of(pe, any.n, any.spread);
        return saying;
      });
      bool const is_cut = all.size() > Combination::max_notices;
      EXPECT_EQ(known.last_told != Combination::told_all, is_cut);
      EXPECT_EQ(known.summary.is(Summary::has_more_notices), is_cut);
      EXPECT_EQ(known.told.size(),
                std::min(all.size(), Combination::max_notices));
      all.erase(all.upper_bound(known.last_told), all.end());
      EXPECT_EQ(known.told, all);
    }
  });
}

TEST(CombinationOfNodes, that_a_pe_has_more_notices_is_known) {
  for_any_nodes([](AnyNodes& nodes) {
    for (Pe with_more = 0; with_more < nodes.n_pes(); ++with_more) {
      auto const known = nodes.step([&](Pe pe) {
        auto saying     = malloc_of(64);
        saying.has_more = pe == with_more;
        return saying;
      });
      EXPECT_EQ(known.summary.flags, Summary::has_more_notices);
    }
  });
}

TEST(Combination, what_is_no_message_is_refused) {
  Combination combination;
  PeGroups groups;
  combination.add(Summary::of(3, {}, 0, false), {});
  std::vector<std::byte> message(combination.message().begin(),
                                 combination.message().end());
  message.pop_back();
  EXPECT_THROW(combination.add(message), symm::SystemError);
  message.resize(message.size() + 2);
  EXPECT_THROW(combination.add(message), symm::SystemError);
  EXPECT_THROW(combination.add({}), symm::SystemError);
  groups.add(2, {}, "words", "host");
  auto text = groups.message();
  EXPECT_NO_THROW(PeGroups{}.add(text));
  text.pop_back();
  EXPECT_THROW(PeGroups{}.add(text), symm::SystemError);
  text.resize(text.size() + 2);
  EXPECT_THROW(PeGroups{}.add(text), symm::SystemError);
}

TEST(PeGroups, name_the_lowest_pes_their_number_and_hosts) {
  PeGroups low;
  PeGroups high;
  for (Pe pe = 0; pe < 10; ++pe) low.add(pe, {}, "one", "a");
  high.add(10, {}, "two", "b");
  for (Pe pe = 11; pe < 30; ++pe) high.add(pe, {}, "one", "b");
  auto both = low;
  both.add(high.message());
  ASSERT_EQ(both.groups().size(), 2U);
  EXPECT_EQ(both.groups()[0].names(),
            "PEs 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, ... "
            "(29 in all)");
  EXPECT_EQ(both.groups()[1].names(), "PE 10");
  EXPECT_EQ(both.hosts(), " (PE 0 is on host a, PE 10 is on host b)");
  auto other = high;
  other.add(low.message());
  EXPECT_EQ(other.message(), both.message()) << "on both sides";
}

}  // namespace
}  // namespace symm_test::combination
