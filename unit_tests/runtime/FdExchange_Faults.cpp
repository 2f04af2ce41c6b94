// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What becomes of the mesh when the system refuses to carry a message: all PEs
// get an error and it works as before, or the job ends with a message that says
// where. Never does a PE take one exchange's message for another's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>

#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/bootstrap/FdExchange.hpp>

namespace {

/// What the next calls of this process do instead of their work.
int s_sends_to_fail    = 0;
int s_receives_to_fail = 0;
int s_receives_to_lose = 0;

ssize_t system_recvmsg(int socket, msghdr* header, int flags) {
  return ::syscall(SYS_recvmsg, socket, header, flags);
}

}  // namespace

// In place of the C library's.
extern "C" ssize_t sendmsg(int socket, msghdr const* header, int flags) {
  if (s_sends_to_fail > 0) {
    --s_sends_to_fail;
    errno = ENOBUFS;
    return -1;
  }
  return ::syscall(SYS_sendmsg, socket, header, flags);
}

extern "C" ssize_t recvmsg(int socket, msghdr* header, int flags) {
  if (s_receives_to_fail > 0) {
    --s_receives_to_fail;
    errno = ENOMEM;
    return -1;
  }
  auto const received = system_recvmsg(socket, header, flags);
  if (received < 0 || s_receives_to_lose == 0) return received;
  --s_receives_to_lose;
  errno = EINTR;
  return -1;
}

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::FdExchange;
using testing::AllOf;
using testing::HasSubstr;

constexpr Pe faulty = 1;

/// A first exchange without faults, and two after `make_fault` on one PE.
std::vector<PeResult> exchange_with(int n_pes,
                                    std::function<void()> const& make_fault) {
  return run_pes(n_pes, [&](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap);
    static_cast<void>(exchange.exchange(STDERR_FILENO));
    if (bootstrap.my_pe() == faulty) make_fault();
    for (int i = 0; i < 2; ++i) {
      static_cast<void>(exchange.exchange(STDERR_FILENO));
    }
  });
}

void expect_ended(std::vector<PeResult> const& results,
                  testing::Matcher<std::string const&> const& message) {
  std::string all;
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_exited_with(aborted_status)) << result.output;
    all += result.output;
  }
  EXPECT_THAT(all, message);
}

TEST(FdExchangeFaults, a_message_that_is_not_received_ends_the_job) {
  expect_ended(exchange_with(3, [] { s_receives_to_fail = 1; }),
               AllOf(HasSubstr("PE 1"), HasSubstr("from PE 0"),
                     HasSubstr("exchange 2 of file descriptors"),
                     HasSubstr("Cannot allocate memory")));
}

TEST(FdExchangeFaults, a_message_that_is_not_sent_ends_the_job) {
  expect_ended(exchange_with(3, [] { s_sends_to_fail = 2; }),
               AllOf(HasSubstr("PE 1"), HasSubstr("to PE 2"),
                     HasSubstr("exchange 2 of file descriptors"),
                     HasSubstr("No buffer space available")));
}

TEST(FdExchangeFaults, a_message_of_another_exchange_ends_the_job) {
  expect_ended(exchange_with(2, [] { s_receives_to_lose = 1; }),
               AllOf(HasSubstr("PE 1"), HasSubstr("from PE 0"),
                     HasSubstr("exchange 2 of file descriptors"),
                     HasSubstr("belongs to exchange 3")));
}

TEST(FdExchangeFaults, a_descriptor_that_is_not_sent_is_an_error_of_one_PE) {
  expect_on_pes(3, [](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap);
    bool const is_faulty = bootstrap.my_pe() == faulty;
    if (is_faulty) s_sends_to_fail = 1;
    auto const failure = symm::Impl::failure_of(
        [&] { static_cast<void>(exchange.exchange(STDERR_FILENO)); });
    EXPECT_EQ(failure.has_value(), is_faulty);
    for (auto const& parcel : exchange.exchange(-1)) {
      EXPECT_FALSE(parcel.descriptor) << "of the exchange before";
    }
  });
}

}  // namespace
}  // namespace symm_test
