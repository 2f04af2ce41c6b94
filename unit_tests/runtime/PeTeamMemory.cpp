// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The words that PE teams synchronize with.

#include <sys/mman.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>
#include <support/ProcessResources.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/pes/PeTeamMemory.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::PeTeamMemory;
using symm::Impl::PeTeamWords;
using testing::AllOf;
using testing::HasSubstr;

/// The words of a team in this PE's memory, without what is behind them.
std::vector<std::uint64_t*> plain_words(PeTeamWords const& words) {
  Pe const me = words.map.my_pe;
  std::vector<std::uint64_t*> all{words.epoch()};
  for (Pe member = 0; member < words.map.n_pes; ++member) {
    all.push_back(words.member(member));
    all.push_back(words.flag(me, member));
    all.push_back(words.gate(me, member));
    for (std::uint64_t const epoch : {6U, 7U}) {
      all.push_back(words.passed(me, member, epoch));
      all.push_back(words.passed(me, member, epoch, 1));
    }
  }
  return all;
}

/// And those of packets.
std::vector<std::uint64_t*> all_words(PeTeamWords const& words) {
  auto all = plain_words(words);
  for (std::uint64_t const epoch : {6U, 7U}) {
    auto* const packets = words.packets(words.map.my_pe, epoch);
    for (std::size_t const k : {std::size_t{0}, words.n_packets - 1}) {
      all.push_back(&packets[k].word);
      all.push_back(&packets[k].epoch);
    }
  }
  return all;
}

using Buffers = PeTeamWords::Buffers;

class PeTeamMemoryOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Pes, PeTeamMemoryOf, testing::Values(1, 2, 3, 4, 7));

TEST_P(PeTeamMemoryOf, all_words_are_zero_at_first_and_at_places_of_their_own) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    PeTeamMemory const memory(bootstrap, stack.exchange, stack.vmm,
                              Buffers::many_packets);
    auto const& map = memory.words(0).map;
    std::set<std::uint64_t const*> places;
    std::size_t n_words = 0;
    for (int slot = 0; slot < PeTeamMemory::max_teams; ++slot) {
      auto const words = memory.words(slot);
      EXPECT_EQ(words.n_packets, slot < PeTeamMemory::n_teams_with_many_packets
                                     ? PeTeamWords::many_packets
                                     : PeTeamWords::few_packets);
      for (auto* const word : all_words(words)) {
        EXPECT_TRUE(map.contains(word) &&
                    map.contains(reinterpret_cast<char*>(word + 1) - 1));
        EXPECT_EQ(*word, 0U);
        places.insert(word);
        ++n_words;
      }
    }
    EXPECT_EQ(places.size(), n_words);
    // As a GPU has it.
    auto const* const end =
        memory.words(PeTeamMemory::slot_of_pairs).packets(map.my_pe, 7);
    auto const bytes = reinterpret_cast<char const*>(end) - map.part(map.my_pe);
    EXPECT_LE(static_cast<std::size_t>(bytes) +
                  PeTeamWords::few_packets * sizeof(PeTeamWords::Packet),
              4U << 20U);
    bootstrap.barrier();  // they are read, before a process ends
  });
}

TEST_P(PeTeamMemoryOf, all_PE_teams_have_few_packets_where_PEs_share_a_GPU) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    PeTeamMemory const memory(bootstrap, stack.exchange, stack.vmm,
                              Buffers::packets);
    for (int slot = 0; slot < PeTeamMemory::max_teams; ++slot)
      EXPECT_EQ(memory.words(slot).n_packets, PeTeamWords::few_packets);
    auto const& map = memory.words(0).map;
    auto const* const end =
        memory.words(PeTeamMemory::slot_of_pairs).packets(map.my_pe, 8);
    EXPECT_LE(reinterpret_cast<char const*>(end) - map.part(map.my_pe),
              2 << 20);
    bootstrap.barrier();
  });
}

TEST_P(PeTeamMemoryOf, rooms_are_at_places_of_their_own) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    PeTeamMemory const memory(bootstrap, stack.exchange, stack.vmm,
                              Buffers::rooms);
    auto const& map = memory.words(0).map;
    std::map<std::uintptr_t, std::uintptr_t> parts;  // begin, end
    auto const add = [&](void const* begin, std::size_t bytes) {
      auto const* const end = static_cast<std::byte const*>(begin) + bytes;
      EXPECT_TRUE(map.contains(begin) && map.contains(end - 1));
      EXPECT_TRUE(parts
                      .emplace(reinterpret_cast<std::uintptr_t>(begin),
                               reinterpret_cast<std::uintptr_t>(end))
                      .second);
    };
    for (int slot = 0; slot < PeTeamMemory::max_teams; ++slot) {
      auto const words = memory.words(slot);
      for (auto* const word : plain_words(words)) add(word, sizeof *word);
      if (slot >= PeTeamMemory::n_teams_with_rooms) continue;
      for (std::uint64_t const epoch : {6U, 7U}) {
        add(words.room(map.my_pe, epoch), PeTeamWords::room_bytes);
        EXPECT_EQ(words.room(map.my_pe, epoch),
                  words.room(map.my_pe, epoch + 2));
      }
    }
    // The node must have it all, used or not.
    EXPECT_LE(parts.rbegin()->second - parts.begin()->first, 5U << 20U);
    std::uintptr_t last = 0;
    for (auto const& [begin, end] : parts) {
      EXPECT_GE(begin, last);
      last = end;
    }
    bootstrap.barrier();  // nobody else has it any more
  });
}

TEST_P(PeTeamMemoryOf, what_a_pe_writes_for_another_is_there) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    PeTeamMemory const memory(bootstrap, stack.exchange, stack.vmm,
                              Buffers::packets);
    auto const me    = bootstrap.my_pe();
    auto const value = [](Pe from, Pe to, int slot, std::uint64_t which) {
      return ((static_cast<std::uint64_t>(from) * 100 +
               static_cast<std::uint64_t>(to)) *
                  100 +
              static_cast<std::uint64_t>(slot)) *
                 10 +
             which;
    };
    for (int const slot : {0, 1, 17, PeTeamMemory::max_teams - 1}) {
      auto const words = memory.words(slot);
      for (Pe to = 0; to < bootstrap.n_pes(); ++to) {
        *words.flag(to, me)      = value(me, to, slot, 1);
        *words.passed(to, me, 4) = value(me, to, slot, 2);
        *words.passed(to, me, 5) = value(me, to, slot, 3);
      }
      bootstrap.barrier();
      for (Pe from = 0; from < bootstrap.n_pes(); ++from) {
        EXPECT_EQ(*words.flag(me, from), value(from, me, slot, 1));
        EXPECT_EQ(*words.passed(me, from, 8), value(from, me, slot, 2));
        EXPECT_EQ(*words.passed(me, from, 9), value(from, me, slot, 3));
      }
      EXPECT_EQ(*words.epoch(), 0U);
    }
    bootstrap.barrier();
  });
}

TEST_P(PeTeamMemoryOf, a_team_begins_with_its_members_and_nothing_else) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    PeTeamMemory memory(bootstrap, stack.exchange, stack.vmm,
                        Buffers::many_packets);
    auto const me    = bootstrap.my_pe();
    auto const count = (bootstrap.n_pes() + 1) / 2;
    std::vector<Pe> members;
    for (int i = 0; i < count; ++i)
      members.push_back(bootstrap.n_pes() - 1 - i);
    // Full of what was before, as the slots on both sides stay.
    std::array<int, 3> const slots{6, 7, 8};
    for (int const slot : slots) {
      for (auto* const word : all_words(memory.words(slot))) *word = 99;
    }
    bootstrap.barrier();
    memory.begin(7, members);
    bootstrap.barrier();
    auto const words = memory.words(7);
    EXPECT_EQ(*words.epoch(), 0U);
    for (Pe i = 0; i < count; ++i) {
      EXPECT_EQ(*words.flag(me, i), 0U);
      EXPECT_EQ(*words.member(i),
                static_cast<std::uint64_t>(bootstrap.n_pes() - 1 - i));
    }
    for (std::uint64_t const epoch : {6U, 7U}) {
      auto const* const packets = words.packets(me, epoch);
      EXPECT_EQ(packets[0].epoch, 0U);
      EXPECT_EQ(packets[words.n_packets - 1].epoch, 0U);
    }
    for (int const slot : {slots.front(), slots.back()}) {
      for (auto* const word : all_words(memory.words(slot))) {
        EXPECT_EQ(*word, 99U);
      }
    }
    bootstrap.barrier();
  });
}

/// Pages of this PE's part that have memory.
std::size_t n_resident_pages(PeTeamMemory const& memory) {
  auto const page   = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto const& map   = memory.words(0).map;
  auto* const start = map.part(map.my_pe);
  // Only what is mapped: the words of all teams.
  auto* const end = reinterpret_cast<char*>(
      memory.words(PeTeamMemory::max_teams - 1).member(map.n_pes));
  auto const bytes = static_cast<std::size_t>(end - start);
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  EXPECT_EQ(::mincore(start, bytes, pages.data()), 0);
  std::size_t n = 0;
  for (auto const is_there : pages) n += is_there & 1U;
  return n;
}

TEST_P(PeTeamMemoryOf, host_memory_is_taken_as_far_as_teams_use_it) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    PeTeamMemory memory(bootstrap, stack.exchange, stack.vmm, Buffers::none);
    EXPECT_EQ(n_resident_pages(memory), 0U);
    bootstrap.barrier();
    memory.begin(63, std::vector<Pe>{bootstrap.my_pe()});
    EXPECT_EQ(n_resident_pages(memory), 1U);
    bootstrap.barrier();
  });
}

/// A step of the beginning that fails on one PE.
struct Fault {
  VmmStep step;
  int call;  // of that step, from 0
  char const* name;
};

class PeTeamMemoryFaults : public testing::TestWithParam<Fault> {};

TEST_P(PeTeamMemoryFaults, M34_a_step_that_fails_on_one_pe_fails_on_all) {
  constexpr int n_pes = 3;
  for (Pe failing = 0; failing < n_pes; ++failing) {
    expect_on_pes(n_pes, [&](Bootstrap& bootstrap) {
      PeStack stack(bootstrap);
      stack.vmm.create_anything();
      auto const descriptors = n_open_descriptors();
      auto const mappings    = n_memfd_mappings("symm");
      std::optional<PeTeamMemory> memory;
      auto const begin = [&] {
        return symm::Impl::failure_of([&] {
          memory.emplace(bootstrap, stack.exchange, stack.vmm,
                         Buffers::packets);
        });
      };
      for (int round = 0; round < 3; ++round) {
        if (bootstrap.my_pe() == failing) {
          stack.vmm.fail(GetParam().step, GetParam().call);
        }
        auto const failure = begin();
        stack.vmm.heal();
        ASSERT_TRUE(failure) << "on every PE";
        EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::out_of_memory);
        EXPECT_THAT(
            failure->message,
            AllOf(HasSubstr("an injected failure"),
                  HasSubstr("PE " + std::to_string(failing) + " failed")));
        EXPECT_EQ(n_open_descriptors(), descriptors);
        EXPECT_EQ(n_memfd_mappings("symm"), mappings);
      }
      EXPECT_FALSE(begin()) << "the next one works";
      memory->begin(63, std::vector<Pe>{2, 0});
      EXPECT_EQ(*memory->words(63).member(0), 2U);
      memory.reset();
      EXPECT_EQ(n_open_descriptors(), descriptors);
      EXPECT_EQ(n_memfd_mappings("symm"), mappings);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Steps, PeTeamMemoryFaults,
    testing::Values(Fault{VmmStep::reserve, 0, "reserve"},
                    Fault{VmmStep::create, 0, "create"},
                    Fault{VmmStep::export_handle, 0, "export"},
                    Fault{VmmStep::map, 0, "map_own"},
                    Fault{VmmStep::import_handle, 1, "import_second"},
                    Fault{VmmStep::map, 2, "map_second_peer"},
                    Fault{VmmStep::set_access, 1, "set_access_first_peer"},
                    Fault{VmmStep::zero, 0, "zero"}),
    [](auto const& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace symm_test
