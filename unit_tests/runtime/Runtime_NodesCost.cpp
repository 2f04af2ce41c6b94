// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a PE pays for each other PE of a job of many nodes. The figures of
// docs/scaling.md are what this prints (--gtest_filter=CostOfPes.*).

#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/MissingEngine.hpp>
#include <support/ProcessResources.hpp>
#include <support/Sanitizers.hpp>
#include <support/Shared.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <runtime/job/Runtime.hpp>
#include <runtime/symm_atomics.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_rma.hpp>

namespace symm_test::cost_of_pes {
namespace {

using symm::Impl::Runtime;

struct Cost {
  double bytes       = 0;  // private and resident
  double descriptors = 0;

  static Cost now() {
    return {static_cast<double>(private_resident_bytes()),
            static_cast<double>(n_open_descriptors())};
  }
  Cost operator-(Cost const& other) const {
    return {bytes - other.bytes, descriptors - other.descriptors};
  }
  Cost operator/(double n) const { return {bytes / n, descriptors / n}; }
};

/// Of PE 0.
struct Costs {
  Cost start;    // of the start
  Cost look;     // of a report of who waits: is anybody in finalize()?
  Cost contact;  // of a first put to every PE
};

/// A job whose PEs are each a node of their own.
Costs costs_of(int n_pes) {
  Shared<Costs> const costs;
  expect_on_pes(n_pes, [&](ForkedBootstrap& bootstrap) {
    auto const before = Cost::now();
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    auto* const all =
        static_cast<std::uint64_t*>(symm::calloc(100, sizeof(std::uint64_t)));
    EXPECT_NE(all, nullptr);
    auto const started = Cost::now();
    bootstrap.barrier();  // nobody is met before PE 0 has looked
    if (bootstrap.my_pe() == 0 && all != nullptr) {
      auto const& rendezvous = Runtime::instance("test").rendezvous();
      for (symm::Pe pe = 0; pe < n_pes; ++pe) {
        EXPECT_FALSE(rendezvous.is_in_finalize(pe));
      }
      costs->look       = Cost::now() - started;
      auto const looked = Cost::now();
      for (symm::Pe pe = 0; pe < n_pes; ++pe) {
        symm::p(all + pe, std::uint64_t{1}, pe);
      }
      symm::quiet();
      costs->start   = started - before;
      costs->contact = Cost::now() - looked;
    }
    symm::barrier_all();
    EXPECT_EQ(all[bootstrap.my_pe()], 1U);
    Runtime::finalize();
  });
  return *costs;
}

/// Between two jobs, for each PE that the larger one has more.
TEST(CostOfPes,
     one_that_is_met_costs_a_link_and_one_that_is_not_nearly_nothing) {
  if (!missing_engine().empty()) GTEST_SKIP() << missing_engine();
  ASSERT_EQ(::setenv("SYMM_PES_PER_NODE", "1", 1), 0);
  constexpr int few  = 4;
  constexpr int many = 36;
  auto const of_few  = costs_of(few);
  auto const of_many = costs_of(many);
  ::unsetenv("SYMM_PES_PER_NODE");
  auto const unmet = (of_many.start - of_few.start) / (many - few);
  auto const look  = (of_many.look - of_few.look) / (many - few);
  auto const met   = (of_many.contact - of_few.contact) / (many - few);
  std::printf(
      "the start with %d: %.0f KiB and %.0f descriptors\n"
      "each further PE: %.0f bytes and %.2f descriptors; %.0f bytes when a "
      "report looks where it is; when it is met %.0f and %.2f more\n",
      few, of_few.start.bytes / 1024, of_few.start.descriptors, unmet.bytes,
      unmet.descriptors, look.bytes, met.bytes, met.descriptors);
  // A start meets ceil(log2(nodes)) of them, 6 in place of 2, and a few bytes
  // for each of the others; pages are counted whole.
  EXPECT_LE(unmet.descriptors * (many - few), 8);
  EXPECT_LE(met.descriptors, 1);
  if (is_sanitized) return;
  EXPECT_LT(unmet.bytes, 8 * 1024);
  EXPECT_LT(look.bytes, 512);
  EXPECT_LT(met.bytes, 32 * 1024);
}

}  // namespace
}  // namespace symm_test::cost_of_pes
