// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The runtime of a job of several nodes, which SYMM_PES_PER_NODE simulates:
// from initialize() to finalize(), what it reaches, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/ForwardingBootstrap.hpp>
#include <support/MissingEngine.hpp>
#include <support/ProcessResources.hpp>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/bootstrap/Nodes.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>
#include <runtime/network/Network.hpp>
#include <runtime/symm_atomics.hpp>
#include <runtime/symm_collectives.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_rma.hpp>
#include <runtime/symm_shared_buffers.hpp>
#include <runtime/symm_teams.hpp>
#include <runtime/transport/Transport.hpp>

namespace symm_test::runtime_nodes {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::ErrorKind;
using symm::Impl::failure_of;
using symm::Impl::Network;
using symm::Impl::Nodes;
using symm::Impl::PeMemory;
using symm::Impl::Runtime;
using symm::Impl::Segment;
using symm::Impl::Transport;
using testing::AllOf;
using testing::HasSubstr;

void set(char const* variable, char const* value) {
  ASSERT_EQ(::setenv(variable, value, 1), 0);
}

void initialize(ForkedBootstrap const& bootstrap) {
  Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
}

/// Nodes of two PEs.
class RuntimeOfNodes : public testing::Test {
 protected:
  void SetUp() override {
    for (char const* variable :
         {"SYMM_STATIC_HEAP", "SYMM_SYMMETRIC_SIZE", "SYMM_HEAP_LIMIT",
          "SYMM_TIMEOUT", "SYMM_PEER_TIMEOUT", "SYMM_NETWORK"}) {
      ASSERT_EQ(::unsetenv(variable), 0);
    }
    set("SYMM_PES_PER_NODE", "2");
    if (!missing_engine().empty()) GTEST_SKIP() << missing_engine();
  }
  void TearDown() override { ::unsetenv("SYMM_PES_PER_NODE"); }
};

std::size_t n_threads() {
  std::size_t n = 0;
  for ([[maybe_unused]] auto const& thread :
       std::filesystem::directory_iterator("/proc/self/task")) {
    ++n;
  }
  return n;
}

TEST_F(RuntimeOfNodes, starts_allocates_meets_and_ends) {
  for (int const n_pes : {3, 4, 5}) {
    expect_on_pes(n_pes, [&](ForkedBootstrap& bootstrap) {
      initialize(bootstrap);
      auto const& nodes = Runtime::instance("test").nodes();
      EXPECT_EQ(nodes.n(), (n_pes + 1) / 2);
      EXPECT_EQ(nodes.my_node, bootstrap.my_pe() / 2);
      for (int round = 0; round < 20; ++round) {
        auto* const block = symm::calloc(1000, 8);
        EXPECT_NE(block, nullptr) << symm::last_error();
        symm::barrier_all();
        symm::free(block);
        EXPECT_STREQ(symm::last_error(), "");
      }
      EXPECT_GT(symm::heap_trim(), 0U);
      Runtime::finalize();
      EXPECT_EQ(Runtime::find_transport(), nullptr);
    });
  }
}

/// Counts what this PE gathers of each other one.
class CountingBootstrap final : public ForwardingBootstrap {
 public:
  CountingBootstrap(Bootstrap& bootstrap, std::size_t& n_bytes)
      : ForwardingBootstrap(bootstrap), m_n_bytes(n_bytes) {}

  void allgather(void const* mine, void* all, std::size_t bytes) override {
    ForwardingBootstrap::allgather(mine, all, bytes);
    m_n_bytes += bytes;
  }

 private:
  std::size_t& m_n_bytes;
};

TEST_F(RuntimeOfNodes, gathers_little_of_each_pe_when_it_starts) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    std::size_t n_bytes = 0;
    Runtime::initialize(
        std::make_unique<CountingBootstrap>(bootstrap, n_bytes));
    // Where it is, on which CPUs, a number or two, its address.
    EXPECT_LE(n_bytes, 600U);
    EXPECT_GE(n_bytes, 100U);
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfNodes,
       a_wrong_argument_of_one_is_an_error_of_all_its_near_ones) {
  set("SYMM_PES_PER_NODE", "5");
  expect_on_pes(6, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    auto* const numbers = static_cast<int*>(symm::calloc(2, sizeof(int)));
    auto const sum      = [&](bool is_wrong) {
      return failure_of([&] {
        symm::reduce(symm::team_world(), is_wrong ? nullptr : numbers + 1,
                          numbers, 1, symm::Sum{});
      });
    };
    for (int round = 0; round < 10; ++round) {
      // What was passed before is still in the words of the team.
      for (int i = 0; i < 4; ++i) EXPECT_FALSE(sum(false));
      EXPECT_TRUE(sum(bootstrap.my_pe() == round % 6)) << round;
    }
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfNodes, again_and_again_leaks_nothing) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    std::size_t descriptors = 0;
    for (int round = 0; round < 5; ++round) {
      initialize(bootstrap);
      EXPECT_NE(symm::malloc(64), nullptr);
      Runtime::finalize();
      ASSERT_EQ(n_memfd_mappings("symm"), 0U);
      ASSERT_EQ(n_threads(), 1U);
      // UCX keeps some from its first use on.
      if (round == 0) descriptors = n_open_descriptors();
      ASSERT_EQ(n_open_descriptors(), descriptors) << "in round " << round;
    }
  });
}

TEST_F(RuntimeOfNodes, near_pes_have_addresses_and_far_ones_have_none) {
  expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    Pe const me       = bootstrap.my_pe();
    auto* const block = static_cast<Pe*>(symm::calloc(4, sizeof(Pe)));
    for (Pe pe = 0; pe < 4; ++pe) {
      bool const is_near = pe / 2 == me / 2;
      EXPECT_EQ(symm::is_near(pe), is_near);
      auto* const theirs = symm::ptr(block, pe);
      EXPECT_EQ(theirs != nullptr, is_near);
      if (is_near) {
        theirs[me] = 10 * me + pe;
      } else {
        EXPECT_THAT(symm::last_error(),
                    AllOf(HasSubstr("PE " + std::to_string(pe)),
                          HasSubstr("another node"), HasSubstr("symm::put")));
      }
    }
    EXPECT_FALSE(symm::is_near(-1) || symm::is_near(4));
    symm::barrier_all();
    for (Pe from = 0; from < 4; ++from) {
      EXPECT_EQ(block[from], from / 2 == me / 2 ? 10 * from + me : 0);
    }
    symm::barrier_all();
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfNodes, the_transport_reaches_every_far_pes_memory) {
  expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    auto& runtime     = Runtime::instance("test");
    auto& transport   = *Runtime::find_transport();
    auto const& nodes = runtime.nodes();
    Pe const me       = bootstrap.my_pe();
    // In the second chunk.
    static_cast<void>(symm::malloc(std::size_t{3} << 20U));
    auto* const block = static_cast<Pe*>(symm::calloc(4, sizeof(Pe)));
    auto const offset = runtime.heap().map().offset_of(block + me);
    for (Pe pe = 0; pe < 4; ++pe) {
      Pe const value = 10 * me + pe;
      if (!nodes.is_near(pe)) {
        transport.channel().put({pe, Segment::host_heap, offset}, &value,
                                sizeof value);
      }
    }
    transport.quiet();
    symm::barrier_all();
    for (Pe from = 0; from < 4; ++from) {
      EXPECT_EQ(block[from], nodes.is_near(from) ? 0 : 10 * from + me);
    }
    // Words of teams: some that no team has.
    auto const& words = runtime.team_memory(symm::MemoryKind::host)->words(60);
    auto* const mine  = words.flag(me, 0);
    auto const its_place = words.map.offset_of(mine);
    for (Pe pe = 0; pe < 4; ++pe) {
      if (nodes.is_near(pe)) continue;
      transport.channel().post_atomic({pe, Segment::host_team_words, its_place},
                                      symm::Impl::AtomicOp::add,
                                      symm::Impl::WordType::u64, 1);
    }
    transport.quiet();
    symm::barrier_all();
    EXPECT_EQ(*mine, 2U);
    symm::barrier_all();
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfNodes, operations_reach_near_and_far_pes_alike) {
  for (int const n_pes : {3, 4}) {
    expect_on_pes(n_pes, [&](ForkedBootstrap& bootstrap) {
      initialize(bootstrap);
      Pe const me         = bootstrap.my_pe();
      auto const n        = static_cast<std::size_t>(n_pes);
      auto* const block   = static_cast<int*>(symm::calloc(n, sizeof(int)));
      auto* const counter = static_cast<long*>(symm::calloc(1, sizeof(long)));
      for (int round = 1; round <= 20; ++round) {
        for (Pe pe = 0; pe < n_pes; ++pe) {
          symm::p(block + me, 1000 * round + 10 * me + pe, pe);
          symm::atomic_inc(counter, pe);
        }
        symm::barrier_all();  // completes all of it
        for (Pe from = 0; from < n_pes; ++from) {
          EXPECT_EQ(block[from], 1000 * round + 10 * from + me);
          EXPECT_EQ(symm::g(block + me, from), 1000 * round + 10 * me + from);
        }
        EXPECT_EQ(*counter, round * n_pes);
        symm::barrier_all();
      }
      Runtime::finalize();
    });
  }
}

TEST_F(RuntimeOfNodes, the_team_of_the_node_is_that_of_near_pes) {
  expect_on_pes(5, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    Pe const me     = bootstrap.my_pe();
    auto const node = symm::team_node();
    EXPECT_EQ(node.n_pes(), me == 4 ? 1 : 2);
    EXPECT_EQ(node.my_pe(), me % 2);
    for (Pe pe = 0; pe < node.n_pes(); ++pe) {
      EXPECT_TRUE(symm::is_near(node.world_pe(pe)));
    }
    EXPECT_EQ(symm::team_world().n_pes(), 5);
    for (int round = 0; round < 10; ++round) {
      symm::barrier(node);
      symm::barrier(symm::team_world());
    }
    symm::barrier_all();
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfNodes, what_is_not_there_is_not_found) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    set("SYMM_PES_PER_NODE", "1");
    initialize(bootstrap);
    auto& runtime     = Runtime::instance("test");
    auto& network     = *runtime.network();
    auto* const block = static_cast<char*>(symm::malloc(std::size_t{2} << 20U));
    auto const& map   = runtime.heap().map();
    auto const mapped = symm::heap_stats().mapped_bytes;
    auto const find   = [&](std::size_t offset, std::size_t bytes) {
      return network.find(Segment::host_heap, offset, bytes);
    };
    EXPECT_EQ(find(map.offset_of(block), 64), block);
    EXPECT_EQ(find(0, mapped), map.part(map.my_pe));
    EXPECT_EQ(find(0, mapped + 1), nullptr);
    EXPECT_EQ(find(mapped, 1), nullptr);
    EXPECT_EQ(find(map.stride, 1), nullptr);
    EXPECT_EQ(find(map.stride - 1, 2), nullptr);
    EXPECT_EQ(find(~std::size_t{0}, 2), nullptr);
    EXPECT_EQ(find(8, ~std::size_t{0}), nullptr);
    auto const& words   = runtime.team_memory(symm::MemoryKind::host)->words(0);
    auto const words_at = [&](std::size_t offset, std::size_t bytes) {
      return network.find(Segment::host_team_words, offset, bytes);
    };
    EXPECT_EQ(words_at(8, 8), words.map.part(words.map.my_pe) + 8);
    EXPECT_NE(words_at(words.map.stride - 8, 8), nullptr);
    EXPECT_EQ(words_at(words.map.stride - 8, 16), nullptr);
    EXPECT_EQ(network.find(Segment::device_heap, 0, 8), nullptr);
    EXPECT_EQ(network.find(Segment::device_team_words, 0, 8), nullptr);
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfNodes, shared_buffers_are_of_near_pes) {
  expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    Pe const me   = bootstrap.my_pe();
    Pe const near = me ^ 1;
    Pe const far  = (me + 2) % 4;
    std::vector<int> data(10, me);
    symm::SharedHostBuffer buffer(data.data(), data.size());
    int got = -1;
    buffer.get(&got, 3, 1, near);
    EXPECT_EQ(got, near);
    auto const failure = failure_of([&] { buffer.get(&got, 3, 1, far); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message,
                AllOf(HasSubstr("PE " + std::to_string(far)),
                      HasSubstr("another node"), HasSubstr("symm::get")));
    buffer.close();
    Runtime::finalize();
  });
}

TEST_F(RuntimeOfNodes, a_start_that_fails_half_way_can_be_tried_again) {
  expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
    for (int round = 0; round < 3; ++round) {
      // More addresses than there are, on a far PE or all.
      set("SYMM_HEAP_LIMIT", "100000T");
      auto const failure = failure_of([&] { initialize(bootstrap); });
      ASSERT_TRUE(failure) << "on every PE";
      EXPECT_EQ(failure->kind, ErrorKind::out_of_memory) << failure->message;
      EXPECT_FALSE(Runtime::is_initialized());
      EXPECT_EQ(Runtime::find_transport(), nullptr);
      EXPECT_EQ(n_threads(), 1U);
      ASSERT_EQ(::unsetenv("SYMM_HEAP_LIMIT"), 0);
      initialize(bootstrap);
      EXPECT_NE(symm::malloc(64), nullptr);
      Runtime::finalize();
    }
  });
}

/// PE 3 is started with other settings.
void expect_refused(char const* variable, char const* value,
                    testing::Matcher<std::string const&> const& message) {
  expect_on_pes(4, [&](ForkedBootstrap& bootstrap) {
    if (bootstrap.my_pe() == 3) set(variable, value);
    auto const failure = failure_of([&] { initialize(bootstrap); });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message,
                AllOf(HasSubstr("symm::initialize"), message));
    EXPECT_FALSE(Runtime::is_initialized());
  });
}

TEST_F(RuntimeOfNodes, settings_that_differ_are_refused_by_all) {
  expect_refused("SYMM_PES_PER_NODE", "4",
                 AllOf(HasSubstr("SYMM_PES_PER_NODE differs"),
                       HasSubstr("2 on PE 0"), HasSubstr("4 on PE 3")));
  expect_refused(
      "SYMM_PES_PER_NODE", "two",
      AllOf(HasSubstr("PE 3 failed"), HasSubstr("SYMM_PES_PER_NODE=two")));
  expect_refused("SYMM_PEER_TIMEOUT", "9",
                 AllOf(HasSubstr("SYMM_PEER_TIMEOUT differs"),
                       HasSubstr("60 on PE 0"), HasSubstr("9 on PE 3")));
  expect_refused(
      "SYMM_PEER_TIMEOUT", "soon",
      AllOf(HasSubstr("PE 3 failed"), HasSubstr("SYMM_PEER_TIMEOUT=soon")));
  expect_refused("SYMM_NETWORK", "ucx",
                 AllOf(HasSubstr("SYMM_NETWORK differs"),
                       HasSubstr("unset on PE 0"), HasSubstr("ucx on PE 3")));
  expect_refused(
      "SYMM_NETWORK", "pigeon",
      AllOf(HasSubstr("PE 3 failed"), HasSubstr("SYMM_NETWORK=pigeon")));
}

TEST_F(RuntimeOfNodes, a_pe_that_is_gone_ends_the_job_on_all_nodes) {
  auto const results = run_pes(4, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    if (bootstrap.my_pe() == 3) std::_Exit(9);
    symm::barrier_all();
  });
  for (Pe pe = 0; pe < 3; ++pe) {
    EXPECT_TRUE(
        results[static_cast<std::size_t>(pe)].has_exited_with(aborted_status))
        << results[static_cast<std::size_t>(pe)].output;
  }
  // On its host, and the others as well.
  EXPECT_THAT(results[2].output,
              testing::ContainsRegex("PE 3 .host .* is gone"));
  EXPECT_THAT(results[0].output,
              testing::ContainsRegex("PE 3 .host .* is lost"));
}

TEST(RuntimeOfOneNode, has_no_transport) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    ::unsetenv("SYMM_PES_PER_NODE");
    initialize(bootstrap);
    EXPECT_EQ(Runtime::find_transport(), nullptr);
    EXPECT_EQ(Runtime::instance("test").network(), nullptr);
    EXPECT_EQ(n_threads(), 1U);
    Runtime::finalize();
  });
}

}  // namespace
}  // namespace symm_test::runtime_nodes
