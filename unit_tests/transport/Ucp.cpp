// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Finding UCX.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <csignal>

#include <runtime/base/Failure.hpp>

#include "ucx_test.hpp"

namespace {

using namespace symm_test;
using symm::Impl::ErrorKind;
using symm::Impl::failure_of;
using symm::Impl::Ucp;
using testing::AllOf;
using testing::HasSubstr;

class UcpOfMachine : public UcxTest {};

/// Of an MPI that needs UCX itself, as Debian's MPICH does.
bool has_ucx_from_the_start() {
  return ::dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD) != nullptr;
}
constexpr char const* no_other =
    "MPI's library has loaded UCX, and no other one can take its name";

/// dlopen() finds what has the name already.
void load_instead_of_ucx(char const* library) {
  ASSERT_NE(::dlopen(library, RTLD_NOW | RTLD_LOCAL), nullptr) << ::dlerror();
}

TEST(Ucp, a_library_that_is_too_old_is_refused_with_what_to_install) {
  if (has_ucx_from_the_start()) GTEST_SKIP() << no_other;
  expect_on_pes(1, [](ForkedBootstrap&) {
    load_instead_of_ucx(SYMM_TEST_OLD_UCP);
    auto const failure = failure_of([] { static_cast<void>(Ucp::instance()); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::system);
    EXPECT_THAT(failure->message.c_str(),
                AllOf(HasSubstr("the UCX on this machine is version 1.12.1"),
                      HasSubstr("needs UCX 1.13 or later")));
  });
}

TEST(Ucp, a_library_that_lacks_a_function_is_refused_with_its_name) {
  if (has_ucx_from_the_start()) GTEST_SKIP() << no_other;
  expect_on_pes(1, [](ForkedBootstrap&) {
    load_instead_of_ucx(SYMM_TEST_EMPTY_UCP);
    auto const failure = failure_of([] { static_cast<void>(Ucp::instance()); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::system);
    EXPECT_THAT(failure->message.c_str(),
                HasSubstr("the UCX on this machine lacks ucp_am_recv_data"));
  });
}

TEST_F(UcpOfMachine, all_pes_fail_where_one_has_no_ucx) {
  if (has_ucx_from_the_start()) GTEST_SKIP() << no_other;
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    if (bootstrap.my_pe() == 1) load_instead_of_ucx(SYMM_TEST_OLD_UCP);
    auto const failure = failure_of([&] { TestEngine const test(bootstrap); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::system);
    EXPECT_THAT(
        failure->message.c_str(),
        AllOf(HasSubstr("starting UCX: PE 1 failed"), HasSubstr("1.12.1")));
  });
}

TEST_F(UcpOfMachine, handlers_of_signals_stay_with_the_program) {
  expect_on_pes(1, [](ForkedBootstrap& bootstrap) {
    ::unsetenv("UCX_ERROR_SIGNALS");
    struct sigaction before {};
    ASSERT_EQ(::sigaction(SIGSEGV, nullptr, &before), 0);
    TestEngine test(bootstrap);
    struct sigaction after {};
    ASSERT_EQ(::sigaction(SIGSEGV, nullptr, &after), 0);
    EXPECT_EQ(before.sa_handler, after.sa_handler);
    test.engine->close();
  });
}

}  // namespace
