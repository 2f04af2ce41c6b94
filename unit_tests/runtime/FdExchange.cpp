// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/ProcessResources.hpp>
#include <support/Sanitizers.hpp>
#include <support/Shared.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/bootstrap/FdExchange.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::FdExchange;
using symm::Impl::UniqueFd;

/// What the file holds that `from` passes in a round.
constexpr int value(Pe from, int round) { return from * 1000 + round; }

UniqueFd new_file(int content) {
  UniqueFd file(::memfd_create("content", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(file.get(), &content, sizeof content, 0),
            static_cast<ssize_t>(sizeof content));
  return file;
}

int content_of(UniqueFd const& file) {
  int content = -1;
  EXPECT_EQ(::pread(file.get(), &content, sizeof content, 0),
            static_cast<ssize_t>(sizeof content));
  return content;
}

/// Bytes that differ between PEs and rounds.
FdExchange::Attachment note_of(Pe pe, int round) {
  FdExchange::Attachment note;
  for (std::size_t i = 0; i < note.size(); ++i) {
    note[i] = static_cast<std::byte>(
        static_cast<std::size_t>(value(pe, round)) * 31 + i);
  }
  return note;
}

/// A round of the exchange in which all PEs pass a file but `without`, and all
/// a note.
void expect_round(Bootstrap const& bootstrap, FdExchange& exchange, int round,
                  Pe without = -1) {
  Pe const me    = bootstrap.my_pe();
  auto const own = me == without ? UniqueFd() : new_file(value(me, round));
  auto const all = exchange.exchange(own.get(), note_of(me, round));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(bootstrap.n_pes()));
  for (Pe pe = 0; pe < bootstrap.n_pes(); ++pe) {
    auto const& [file, note] = all[static_cast<std::size_t>(pe)];
    if (pe != me) {
      EXPECT_EQ(note, note_of(pe, round)) << "from PE " << pe;
    }
    if (pe == me || pe == without) {
      EXPECT_FALSE(file) << "from PE " << pe << " to PE " << me;
    } else {
      EXPECT_EQ(content_of(file), value(pe, round)) << "from PE " << pe;
    }
  }
}

class FdExchangeSizes : public testing::TestWithParam<int> {};

TEST_P(FdExchangeSizes, every_pe_gets_every_others_descriptor) {
  expect_on_pes(GetParam(), [](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap);
    for (int round = 0; round < 20; ++round) {
      expect_round(bootstrap, exchange, round);
    }
  });
}

TEST_P(FdExchangeSizes, a_pe_may_pass_none) {
  int const n_pes = GetParam();
  expect_on_pes(n_pes, [&](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap);
    for (Pe without = 0; without < n_pes; ++without) {
      expect_round(bootstrap, exchange, without, without);
    }
    expect_round(bootstrap, exchange, n_pes);
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, FdExchangeSizes, testing::Values(1, 2, 3, 4, 5));

TEST(FdExchange, V33_a_descriptor_that_arrives_is_closed_on_exec) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap);
    auto const own = new_file(bootstrap.my_pe());
    for (auto const& [file, note] : exchange.exchange(own.get())) {
      if (!file) continue;
      EXPECT_NE(::fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
    }
  });
}

TEST(FdExchange, descriptors_balance) {
  expect_on_pes(3, [](Bootstrap& bootstrap) {
    auto const before = n_open_descriptors();
    {
      FdExchange exchange(bootstrap);
      EXPECT_EQ(n_open_descriptors(), before + 4)
          << "a socket and a process per peer";
      for (int round = 0; round < 50; ++round) {
        expect_round(bootstrap, exchange, round);
      }
      EXPECT_EQ(n_open_descriptors(), before + 4);
    }
    EXPECT_EQ(n_open_descriptors(), before);
  });
}

// The system counts the descriptors that are on their way between all processes
// of a user, against the limit of one: 24 PEs that sent first and received then
// would have 552 under way. Privileged users are not limited.
TEST(FdExchange, many_pes_of_a_user_with_a_low_limit) {
  expect_on_pes(24, [](Bootstrap& bootstrap) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0) {
      EXPECT_EQ(::setuid(nobody), 0);
    }
    rlimit const limit{100, 100};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    FdExchange exchange(bootstrap);
    for (int round = 0; round < 3; ++round) {
      expect_round(bootstrap, exchange, round);
    }
  });
}

TEST(FdExchange, more_pes_than_connect_at_once) {
  expect_on_pes(70, [](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap);
    expect_round(bootstrap, exchange, 0);
  });
}

/// Lets this process have no further descriptor as long as it lives.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &m_before), 0);
    auto limit     = m_before;
    limit.rlim_cur = 128;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    while (true) {
      UniqueFd filler(::dup(STDERR_FILENO));
      if (!filler) return;
      m_fillers.push_back(std::move(filler));
    }
  }
  NoMoreDescriptors(NoMoreDescriptors const&)            = delete;
  NoMoreDescriptors& operator=(NoMoreDescriptors const&) = delete;
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &m_before); }

 private:
  rlimit m_before{};
  std::vector<UniqueFd> m_fillers;
};

// UBSan needs descriptors itself when an exception is caught (it looks through
// a pipe whether an address can be read).
constexpr bool can_run_out_of_descriptors = !is_sanitized;

TEST(FdExchange, a_pe_without_descriptors_left_says_so_and_stays_in_step) {
  if (!can_run_out_of_descriptors) GTEST_SKIP() << "sanitizers need some";
  expect_on_pes(3, [](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap);
    auto const own    = new_file(bootstrap.my_pe());
    auto const before = n_open_descriptors();
    for (int round = 0; round < 3; ++round) {
      if (bootstrap.my_pe() == 1) {
        NoMoreDescriptors const none;
        EXPECT_THROW(static_cast<void>(exchange.exchange(own.get())),
                     symm::SystemError);
      } else {
        auto const all = exchange.exchange(own.get());
        EXPECT_EQ(content_of(all[1].descriptor), 1)
            << "the others are not concerned";
      }
    }
    EXPECT_EQ(n_open_descriptors(), before) << "what arrived is closed";
    expect_round(bootstrap, exchange, 0);
  });
}

TEST(FdExchange, a_pe_that_cannot_connect_makes_all_fail) {
  if (!can_run_out_of_descriptors) GTEST_SKIP() << "sanitizers need some";
  expect_on_pes(3, [](Bootstrap& bootstrap) {
    auto const before     = n_open_descriptors();
    auto const connection = symm::Impl::failure_of([&] {
      if (bootstrap.my_pe() != 1) return FdExchange(bootstrap);
      NoMoreDescriptors const none;
      return FdExchange(bootstrap);
    });
    ASSERT_TRUE(connection);
    EXPECT_EQ(connection->kind, symm::Impl::ErrorKind::system);
    EXPECT_NE(std::string_view(connection->message).find("PE 1 failed"),
              std::string_view::npos)
        << connection->message;
    EXPECT_EQ(n_open_descriptors(), before);
    FdExchange exchange(bootstrap);
    expect_round(bootstrap, exchange, 0);
  });
}

TEST(FdExchange, tells_which_process_is_gone) {
  Shared<std::atomic<int>> const n_done;
  expect_on_pes(3, [&](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap);
    for (Pe pe = 0; pe < 3; ++pe) EXPECT_FALSE(exchange.is_gone(pe));
    bootstrap.barrier();
    if (bootstrap.my_pe() == 1) return;
    while (!exchange.is_gone(1)) std::this_thread::yield();
    EXPECT_FALSE(exchange.is_gone(2 - bootstrap.my_pe()));
    EXPECT_FALSE(exchange.is_gone(bootstrap.my_pe()));
    ++*n_done;
    while (*n_done < 2) std::this_thread::yield();
  });
}

TEST(FdExchange, says_for_whom_it_waits) {
  auto const results = run_pes(2, [](Bootstrap& bootstrap) {
    FdExchange exchange(bootstrap, std::chrono::milliseconds(200));
    expect_round(bootstrap, exchange, 0);
    if (bootstrap.my_pe() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
    }
    expect_round(bootstrap, exchange, 1);
  });
  EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
  EXPECT_TRUE(results[1].has_succeeded()) << results[1].output;
  EXPECT_THAT(results[0].output, testing::HasSubstr("symm: PE 0 has waited"));
  EXPECT_THAT(results[0].output,
              testing::HasSubstr("for PE 1 in exchange 2 of file descriptors"));
  EXPECT_EQ(results[1].output, "");
}

}  // namespace
}  // namespace symm_test
