// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Messages in Views, which kernels make.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>
#include <Kokkos_SymmetricContainers/mail/MailViews.hpp>
#include <support/pes.hpp>

namespace {

using symm::Mailbox;
using symm::MailRouting;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using Exec = Kokkos::DefaultExecutionSpace;

struct Letter {
  std::int64_t number;
  Pe from;
};

/// Where message k goes.
KOKKOS_FUNCTION Pe target(std::size_t k, Pe from, int n_pes) {
  auto const x = (k * 2654435761U + static_cast<std::size_t>(from)) >> 7U;
  return static_cast<Pe>(x % static_cast<std::size_t>(n_pes));
}

template <class Pes, class Messages>
struct MakeMessages {
  Pes pes;
  Messages messages;
  Pe me;
  int n_pes;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    pes(k)      = static_cast<typename Pes::value_type>(target(k, me, n_pes));
    messages(k) = {static_cast<std::int64_t>(k), me};
  }
};

/// Enqueues a kernel that makes them.
template <class Pes, class Messages>
void make_messages(Pes const& pes, Messages const& messages) {
  Kokkos::parallel_for(
      "messages", Kokkos::RangePolicy<Exec>(Exec(), 0, pes.extent(0)),
      MakeMessages<Pes, Messages>{pes, messages, symm::my_pe(), symm::n_pes()});
}

/// Of all PEs, for this one; each PE sends n.
std::vector<std::pair<Pe, std::int64_t>> letters_for_me(std::size_t n) {
  std::vector<std::pair<Pe, std::int64_t>> result;
  for (Pe from = 0; from < symm::n_pes(); ++from)
    for (std::size_t k = 0; k < n; ++k)
      if (target(k, from, symm::n_pes()) == symm::my_pe())
        result.push_back({from, static_cast<std::int64_t>(k)});
  return result;
}

class ReceivedLetters {
 public:
  void operator()(Letter const& its) {
    m_all.push_back({its.from, its.number});
  }
  std::vector<std::pair<Pe, std::int64_t>> take() {
    std::sort(m_all.begin(), m_all.end());
    return std::exchange(m_all, {});
  }

 private:
  std::vector<std::pair<Pe, std::int64_t>> m_all;
};

template <class Pes, class Messages>
void send_and_expect(Pes const& pes, Messages const& messages,
                     MailRouting routing) {
  ReceivedLetters received;
  Mailbox<Letter> mailbox("views", [&](Letter const& its) { received(its); },
                          {.block_bytes = 1024, .routing = routing});
  for (int phase = 0; phase < 2; ++phase) {
    make_messages(pes, messages);
    mailbox.send(Exec(), pes, messages);
    mailbox.finish();
    EXPECT_TRUE(received.take() == letters_for_me(pes.extent(0)));
  }
}

class MailOfViews : public testing::TestWithParam<MailRouting> {};

INSTANTIATE_TEST_SUITE_P(Routings, MailOfViews,
                         testing::Values(MailRouting::direct,
                                         MailRouting::by_nodes),
                         [](auto const& info) {
                           return info.param == MailRouting::direct
                                      ? "direct"
                                      : "by_nodes";
                         });

TEST_P(MailOfViews, each_element_is_a_message) {
  for (std::size_t const n : {0U, 1U, 17U, 70'001U}) {
    send_and_expect(Kokkos::View<int*, Exec>("pes", n),
                    Kokkos::View<Letter*, Exec>("messages", n), GetParam());
  }
}

TEST_P(MailOfViews, Views_may_be_in_symmetric_memory_with_gaps) {
  constexpr std::size_t n = 3'000;
  using Two = Kokkos::View<Letter* [2], Kokkos::LayoutRight, SYMM_TEST_SPACE>;
  Two const two("messages", n);
  Kokkos::View<std::uint8_t*, SYMM_TEST_SPACE> const pes("pes", n);
  send_and_expect(pes, Kokkos::subview(two, Kokkos::ALL, 1), GetParam());
}

struct Threefold {
  Kokkos::View<long*, Exec> messages;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    messages(k) = static_cast<long>(k) * 3;
  }
};

TEST(Mail, Views_are_copied_in_pieces_where_the_host_does_not_reach_them) {
  // As of GPUs, by kernels of the host. Pieces are of 32 768 elements.
  symm::Impl::MailPieces pieces;
  for (std::size_t const n :
       {1U, 32'767U, 32'768U, 32'769U, 65'536U, 200'001U}) {
    Kokkos::View<long*, Exec> const pes("pes", n);
    Kokkos::View<long*, Exec> const messages("messages", n);
    Kokkos::parallel_for("numbers", Kokkos::RangePolicy<Exec>(0, n),
                         Threefold{messages});
    long next = 0;
    symm::Impl::for_each_message<true, true>(
        "mailbox", Exec(), pes, messages, 1'000'000, pieces,
        [&](Pe, long message) { next += message == 3 * next ? 1 : 0; });
    EXPECT_EQ(next, static_cast<long>(n));
  }
  EXPECT_EQ(pieces.extent(0), 1U << 20U);
}

template <class Pes>
struct SetElement {
  Pes pes;
  std::size_t element;
  typename Pes::value_type value;
  KOKKOS_FUNCTION void operator()(int) const { pes(element) = value; }
};

template <class Number>
std::string error_of_wrong_pe(Number value) {
  constexpr std::size_t n = 1000;
  Kokkos::View<Number*, Exec> const pes("pes", n);
  Kokkos::View<Letter*, Exec> const messages("messages", n);
  std::string error = "no error";
  Mailbox<Letter> mailbox("views", [](Letter const&) {});
  make_messages(pes, messages);
  for (std::size_t const element : {900U, 701U}) {
    Kokkos::parallel_for(
        "wrong", Kokkos::RangePolicy<Exec>(0, 1),
        SetElement<Kokkos::View<Number*, Exec>>{pes, element, value});
  }
  try {
    mailbox.send(Exec(), pes, messages);
  } catch (UsageError const& caught) {
    error = caught.what();
  }
  EXPECT_EQ(mailbox.finish(), 0U);  // nothing has been sent
  return error;
}

TEST(Mail, a_PE_that_does_not_exist_is_an_error_before_anything_is_sent) {
  auto const where = "symm::Mailbox \"views\"::send: PE " +
                     std::to_string(symm::my_pe()) + ": element 701: ";
  EXPECT_THAT(error_of_wrong_pe<int>(symm::n_pes()),
              HasSubstr(where + "invalid PE " + std::to_string(symm::n_pes()) +
                        "; PEs are 0 to " + std::to_string(symm::n_pes() - 1)));
  EXPECT_THAT(error_of_wrong_pe<short>(-3), HasSubstr(where + "invalid PE -3"));
  EXPECT_THAT(error_of_wrong_pe<std::uint64_t>(std::uint64_t{1} << 32U),
              HasSubstr(where + "invalid PE 4294967296"));
}

TEST(Mail, a_message_without_a_PE_is_an_error) {
  Mailbox<int> mailbox("views", [](int const&) {});
  Kokkos::View<int*, Exec> const pes("pes", 5);
  Kokkos::View<int*, Exec> const messages("messages", 6);
  std::string error = "no error";
  try {
    mailbox.send(Exec(), pes, messages);
  } catch (UsageError const& caught) {
    error = caught.what();
  }
  EXPECT_THAT(error, AllOf(HasSubstr("symm::Mailbox \"views\"::send"),
                           HasSubstr("6 messages, but 5 PEs")));
  EXPECT_EQ(mailbox.finish(), 0U);
}

TEST(Mail, handlers_may_send_Views) {
  // Each message of a View makes a View, once.
  ReceivedLetters received;
  Mailbox<Letter>* its = nullptr;
  Kokkos::View<int*, Exec> const pes("pes", 100);
  Kokkos::View<Letter*, Exec> const messages("messages", 100);
  make_messages(pes, messages);
  Mailbox<Letter> mailbox("views",
                          [&](Letter const& message) {
                            received(message);
                            if (message.number < 0)
                              its->send(Exec(), pes, messages);
                          },
                          {.block_bytes = 64});
  its = &mailbox;
  mailbox.send((symm::my_pe() + 1) % symm::n_pes(), {-1, symm::my_pe()});
  mailbox.finish();
  auto all = letters_for_me(100);
  all.push_back({(symm::my_pe() + symm::n_pes() - 1) % symm::n_pes(), -1});
  std::sort(all.begin(), all.end());
  EXPECT_TRUE(received.take() == all);
}

}  // namespace
