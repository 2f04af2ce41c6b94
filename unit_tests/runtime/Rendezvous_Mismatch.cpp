// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the rendezvous says when PEs make different calls, or one has failed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>

#include <functional>
#include <optional>
#include <string>

#include "RendezvousJobs.hpp"

#include <runtime/base/Failure.hpp>
#include <runtime/pes/Rendezvous.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::ErrorKind;
using symm::Impl::Failure;
using symm::Impl::Rendezvous;
using symm::Impl::RuntimeCall;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Call    = Rendezvous::Call;
using CallOf  = std::function<Call(Pe)>;
using Message = testing::Matcher<std::string const&>;

/// With the nodes that they are on.
class RendezvousMismatch : public testing::TestWithParam<NodeShape> {
 protected:
  /// PEs 0 to 2 each make the call that `call_of` says. All must fail alike,
  /// with `message`, and go on with calls that work.
  static void expect_failure(CallOf const& call_of, ErrorKind kind,
                             Message const& message) {
    expect_failure_on_all(
        GetParam(),
        [&](PeStack& stack, Pe pe) { stack.rendezvous.meet(call_of(pe)); },
        kind, message);
  }
};

INSTANTIATE_TEST_SUITE_P(Nodes, RendezvousMismatch,
                         testing::Values(one_node(3), NodeShape{{2, 1}},
                                         NodeShape{{1, 2}},
                                         NodeShape{{1, 1, 1}}));

TEST_P(RendezvousMismatch, M27_different_values_are_named_with_their_pes) {
  expect_failure(
      [](Pe pe) {
        return Call{.operation = RuntimeCall::malloc,
                    .arguments = {pe == 1 ? 2048U : 1024U}};
      },
      ErrorKind::usage,
      AllOf(HasSubstr("mismatched"),
            HasSubstr("PEs 0, 2 called symm::malloc(bytes = 1024)"),
            HasSubstr("PE 1 called symm::malloc(bytes = 2048)")));
}

TEST_P(RendezvousMismatch, M28_any_of_the_arguments_may_differ) {
  expect_failure(
      [](Pe pe) {
        return Call{.operation = RuntimeCall::align,
                    .arguments = {1024, pe == 2 ? 64U : 32U}};
      },
      ErrorKind::usage,
      AllOf(HasSubstr("PEs 0, 1 called symm::align(bytes = 1024, alignment = "
                      "32)"),
            HasSubstr("PE 2 called symm::align(bytes = 1024, alignment = "
                      "64)")));
  expect_failure(
      [](Pe pe) {
        // C12: the product agrees.
        return Call{.operation = RuntimeCall::calloc,
                    .arguments = {16, pe == 0 ? 2U : 4U, pe == 0 ? 8U : 4U}};
      },
      ErrorKind::usage,
      AllOf(HasSubstr("PE 0 called symm::calloc(bytes = 16, count = 2, size = "
                      "8)"),
            HasSubstr("PEs 1, 2 called symm::calloc(bytes = 16, count = 4, "
                      "size = 4)")));
}

TEST_P(RendezvousMismatch, M29_different_operations_are_named_with_their_pes) {
  expect_failure(
      [](Pe pe) {
        if (pe == 0) {
          return Call{.operation = RuntimeCall::free, .arguments = {64}};
        }
        if (pe == 1) return Call{.operation = RuntimeCall::barrier_all};
        return Call{.operation = RuntimeCall::malloc, .arguments = {64}};
      },
      ErrorKind::usage,
      AllOf(HasSubstr("PE 0 called symm::free(offset = 64)"),
            HasSubstr("PE 1 called symm::barrier_all()"),
            HasSubstr("PE 2 called symm::malloc(bytes = 64)")));
}

TEST_P(RendezvousMismatch, views_are_named_with_their_labels) {
  expect_failure(
      [](Pe pe) {
        return Call{.operation = RuntimeCall::allocate_view,
                    .arguments = {pe == 0 ? 100U : 200U, 256, 128},
                    .label     = pe == 0 ? "density" : "velocity"};
      },
      ErrorKind::usage,
      AllOf(HasSubstr("PE 0 called allocation of a View \"density\"(bytes = "
                      "100"),
            HasSubstr("PEs 1, 2 called allocation of a View \"velocity\"(bytes "
                      "= 200")));
}

TEST_P(RendezvousMismatch, labels_alone_may_differ) {
  expect_on_nodes(GetParam(), [](Bootstrap& bootstrap, PeStack& stack) {
    auto const label = "of PE " + std::to_string(bootstrap.my_pe());
    EXPECT_NO_THROW(
        stack.rendezvous.meet({.operation = RuntimeCall::allocate_view,
                               .arguments = {1, 2, 3},
                               .label     = label.c_str()}));
  });
}

TEST_P(RendezvousMismatch, M34_a_failure_of_one_pe_is_thrown_on_all) {
  for (auto const kind :
       {ErrorKind::usage, ErrorKind::out_of_memory, ErrorKind::system}) {
    expect_failure(
        [kind](Pe pe) {
          Call call{.operation = RuntimeCall::free, .arguments = {64}};
          if (pe == 1) call.failure = Failure{kind, "it was freed already"};
          return call;
        },
        kind,
        AllOf(HasSubstr("symm::free(offset = 64) failed"),
              HasSubstr("on PE 1: it was freed already"),
              Not(HasSubstr("PE 0"))));
  }
}

TEST_P(RendezvousMismatch, equal_failures_are_named_once_with_their_pes) {
  expect_failure(
      [](Pe pe) {
        Call call{.operation = RuntimeCall::free, .arguments = {64}};
        call.failure =
            Failure{ErrorKind::usage, pe == 1 ? "one reason" : "another"};
        return call;
      },
      ErrorKind::usage,
      AllOf(HasSubstr("on PE 1: one reason"),
            HasSubstr("on PEs 0, 2: another")));
}

TEST_P(RendezvousMismatch, a_different_operation_counts_more_than_a_failure) {
  expect_failure(
      [](Pe pe) {
        if (pe == 1) return Call{.operation = RuntimeCall::barrier_all};
        return Call{.operation = RuntimeCall::free,
                    .arguments = {64},
                    .failure   = Failure{ErrorKind::usage, "a reason"}};
      },
      ErrorKind::usage,
      AllOf(HasSubstr("PE 1 called symm::barrier_all()"),
            HasSubstr("PEs 0, 2 called symm::free(offset = 64)")));
}

TEST_P(RendezvousMismatch, texts_that_are_too_long_are_cut) {
  std::string const text(1000, 'x');
  auto const is_cut = AllOf(HasSubstr(std::string(511, 'x')),
                            Not(HasSubstr(std::string(512, 'x'))));
  expect_failure(
      [&](Pe pe) {
        return Call{.operation = RuntimeCall::allocate_view,
                    .arguments = {pe == 0 ? 1U : 2U},
                    .label     = text.c_str()};
      },
      ErrorKind::usage, is_cut);
  expect_failure(
      [&](Pe pe) {
        Call call{.operation = RuntimeCall::barrier_all};
        if (pe == 2) call.failure = Failure{ErrorKind::system, text};
        return call;
      },
      ErrorKind::system, is_cut);
}

TEST_P(RendezvousMismatch, an_agreement_does_not_pass_for_another_call) {
  expect_on_nodes(GetParam(), [](Bootstrap& bootstrap, PeStack& stack) {
    auto const failure = symm::Impl::failure_of([&] {
      if (bootstrap.my_pe() == 1) {
        stack.rendezvous.meet(
            {.operation = RuntimeCall::malloc, .arguments = {64}});
      } else {
        static_cast<void>(stack.rendezvous.agree(std::nullopt));
      }
    });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message,
                HasSubstr("PE 1 called symm::malloc(bytes = 64)"));
    EXPECT_NO_THROW(
        stack.rendezvous.meet({.operation = RuntimeCall::barrier_all}));
  });
}

}  // namespace
}  // namespace symm_test
