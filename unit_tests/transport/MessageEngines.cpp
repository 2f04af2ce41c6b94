// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The network library that a job takes, of those in a table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>

#include <array>
#include <cstdlib>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/engines/MessageEngines.hpp>
#include <runtime/symm_errors.hpp>

namespace symm_test::message_engines {
namespace {

using symm::Pe;
using symm::Impl::choose_message_engine;
using symm::Impl::ErrorKind;
using symm::Impl::failure_of;
using symm::Impl::MessageEngineKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Pe s_me = 0;  // of a forked PE

/// That of a library that PEs with an odd number lack.
std::string of_even_pes() {
  if (s_me % 2 != 0)
    throw symm::SystemError("no fastnet on host" + std::to_string(s_me));
  return "Fastnet 1";
}
std::string of_all() { return "Any 1"; }
std::string of_none() { throw symm::SystemError("built without it"); }

constexpr std::array table{
    MessageEngineKind{"absent", of_none, nullptr, nullptr},
    MessageEngineKind{"fastnet", of_even_pes, nullptr, nullptr},
    MessageEngineKind{"anynet", of_all, nullptr, nullptr},
    MessageEngineKind{"slownet", of_all, nullptr, nullptr}};

/// What PEs choose where SYMM_NETWORK is `network`.
void expect_choice(int n_pes, char const* network, char const* expected) {
  expect_on_pes(n_pes, [&](ForkedBootstrap& bootstrap) {
    s_me = bootstrap.my_pe();
    ::setenv("SYMM_NETWORK", network, 1);
    EXPECT_EQ(choose_message_engine(bootstrap, n_pes, table).name, expected);
  });
}

template <class Matcher>
void expect_refusal(symm::Impl::MessageEngineKinds kinds, ErrorKind kind,
                    Matcher const& matcher, char const* network,
                    char const* network_of_pe_2) {
  expect_on_pes(3, [&](ForkedBootstrap& bootstrap) {
    s_me = bootstrap.my_pe();
    ::setenv("SYMM_NETWORK", s_me == 2 ? network_of_pe_2 : network, 1);
    auto const failure = failure_of(
        [&] { static_cast<void>(choose_message_engine(bootstrap, 3, kinds)); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, kind);
    EXPECT_THAT(failure->message.c_str(), matcher);
  });
}

TEST(MessageEngines, the_first_one_that_all_PEs_can_run_is_taken) {
  expect_choice(1, "", "fastnet");
  expect_choice(3, "", "anynet");
}

TEST(MessageEngines, one_that_is_named_is_taken_though_others_are_better) {
  expect_choice(3, "slownet", "slownet");
}

TEST(MessageEngines, one_that_is_named_is_not_replaced_where_a_PE_lacks_it) {
  expect_refusal(
      table, ErrorKind::system,
      AllOf(HasSubstr("no network for the 3 nodes of this job: fastnet cannot "
                      "run on PE 1: no fastnet on host1"),
            Not(HasSubstr("absent"))),
      "fastnet", "fastnet");
}

TEST(MessageEngines, without_one_for_all_PEs_the_reasons_of_each_are_told) {
  expect_refusal(
      std::span(table).first(2), ErrorKind::system,
      AllOf(HasSubstr("absent cannot run on PE 0: built without it"),
            HasSubstr("; fastnet cannot run on PE 1: no fastnet on host1")),
      "", "");
}

TEST(MessageEngines, a_name_that_there_is_not_is_refused_with_those_there_are) {
  expect_refusal(
      table, ErrorKind::usage,
      AllOf(HasSubstr("PE 2 failed: SYMM_NETWORK=pigeon"),
            HasSubstr("the choices are absent, fastnet, anynet, slownet")),
      "anynet", "pigeon");
}

TEST(MessageEngines, names_that_differ_are_refused_with_two_PEs) {
  expect_refusal(table, ErrorKind::usage,
                 HasSubstr("SYMM_NETWORK differs between PEs: anynet on PE 0, "
                           "slownet on PE 2"),
                 "anynet", "slownet");
}

TEST(MessageEngines, of_this_build_have_UCX_or_say_what_is_missing) {
  auto const& ucx = symm::Impl::message_engines().front();
  EXPECT_EQ(ucx.name, "ucx");
  std::string library;
  auto const failure = failure_of([&] { library = ucx.library(); });
  if (!failure) {
    EXPECT_THAT(library, HasSubstr("UCX 1."));
    EXPECT_NE(ucx.make, nullptr);
  } else {
    EXPECT_EQ(failure->kind, ErrorKind::system);
    EXPECT_THAT(failure->message.c_str(), HasSubstr("UCX 1.13 or later"));
  }
}

TEST(MessageEngines, of_this_build_have_libfabric_or_say_what_is_missing) {
  auto const& kind = symm::Impl::message_engines().back();
  EXPECT_EQ(kind.name, "libfabric");
  std::string library;
  auto const failure = failure_of([&] { library = kind.library(); });
  if (!failure) {
    EXPECT_THAT(library, HasSubstr("libfabric 1."));
    EXPECT_NE(kind.make, nullptr);
    EXPECT_FALSE(kind.networks().empty());
  } else {
    EXPECT_EQ(failure->kind, ErrorKind::system);
    EXPECT_THAT(failure->message.c_str(), HasSubstr("libfabric"));
  }
}

}  // namespace
}  // namespace symm_test::message_engines
