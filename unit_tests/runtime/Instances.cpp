// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a process has one of.
#include <gtest/gtest.h>
#include <support/FakeTransport.hpp>

#include <cstdlib>

#include "Instances_Hidden.hpp"

namespace symm_test {
namespace {

using symm::Pe;

class FakeRequests final : public symm::Impl::KernelRequests {
 public:
  FakeRequests() { set_instance(this); }
  ~FakeRequests() override { set_instance(nullptr); }
  FakeRequests(FakeRequests const&)            = delete;
  FakeRequests& operator=(FakeRequests const&) = delete;

  void drain() override { are_drained = true; }

  bool are_drained = false;
};

class FakeFarPes final : public symm::Impl::FarPes {
 public:
  FakeFarPes() { set_instance(this); }
  ~FakeFarPes() override { set_instance(nullptr); }
  FakeFarPes(FakeFarPes const&)            = delete;
  FakeFarPes& operator=(FakeFarPes const&) = delete;

  std::optional<symm::Impl::Standing> standing_of(
      Pe /*pe*/, std::chrono::milliseconds /*most*/) override {
    return {};
  }
  void watch_all() override {}
  void unwatch_all() override {}
  [[noreturn]] void end_job(
      symm::Impl::LostPe const& /*lost*/) noexcept override {
    std::abort();
  }
};

TEST(Instances, are_the_process_s_in_a_library_whose_symbols_are_hidden) {
  FakeTransport transport([](Pe) -> char* { return nullptr; });
  FakeFarPes far_pes;
  FakeRequests requests;
  symm::Impl::InCall const in("symm::test");
  auto const theirs = instances_of_hidden_library(requests.are_drained);
  EXPECT_EQ(theirs.transport, &transport);
  EXPECT_EQ(theirs.far_pes, &far_pes);
  EXPECT_STREQ(theirs.call, "symm::test");
  EXPECT_TRUE(theirs.has_drained);
  EXPECT_TRUE(theirs == Instances::here(requests.are_drained));
}

}  // namespace
}  // namespace symm_test
