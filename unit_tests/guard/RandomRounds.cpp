// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <guard/RandomRounds.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace symm_test {

namespace {

using Exec     = symm::SymmetricHostSpace::execution_space;
using HostInts = Kokkos::View<int*, Kokkos::HostSpace>;

constexpr std::size_t n_owned = 40;
/// So few bytes that inboxes are full after some messages.
constexpr symm::MailboxOptions small_blocks{.block_bytes = 128};

std::size_t index(int number) { return static_cast<std::size_t>(number); }

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e37'79b9'7f4a'7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}
template <class... Rest>
std::uint64_t mix(std::uint64_t x, std::uint64_t y, Rest... rest) {
  return mix(mix(x) + y, rest...);
}

template <class T>
T sum_of_all(T mine) {
  return symm::reduce(symm::team_world(), mine, symm::Sum{});
}

struct Message {
  Pe from;
  int round;
  std::uint64_t value;
};
struct Answer {
  int asked_in;
  int answered_in;
};

/// What a PE sends in a round: message k goes to to(k).
struct Sent {
  std::uint64_t seed;
  int round;
  Pe from;

  [[nodiscard]] std::uint64_t number(std::uint64_t k) const {
    return mix(seed, index(round), index(from), k);
  }
  [[nodiscard]] int count() const {
    return static_cast<int>(
        number(1'000'000) % 4 == 0 ? 0 : number(1'000'001) % 150);
  }
  [[nodiscard]] Pe to(int k) const {
    return static_cast<Pe>(number(index(k)) %
                           static_cast<unsigned>(symm::n_pes()));
  }
  [[nodiscard]] Message message(int k) const {
    return {from, round, number(index(k))};
  }
};

/// Elements of the next PEs, another one for each plan.
symm::ExchangePlan plan_of(int distance) {
  HostInts indices("indices", 2 * n_owned), pes("pes", 2 * n_owned);
  for (std::size_t k = 0; k < 2 * n_owned; ++k) {
    indices(k) = static_cast<int>((k * 7) % n_owned);
    pes(k)     = (symm::my_pe() + distance + static_cast<int>(k / n_owned)) %
             symm::n_pes();
  }
  return symm::ExchangePlan::from_imports(n_owned, indices, pes);
}

}  // namespace

struct RandomRounds::Objects {
  template <class T>
  using OnHost = Kokkos::View<T*, symm::SymmetricHostSpace>;

  explicit Objects(std::uint64_t its_seed) : seed(its_seed) {}

  std::uint64_t seed;
  int round = 0;  // that this PE is in

  // What handlers have found.
  std::uint64_t n_wrong_rounds = 0;
  std::uint64_t n_received     = 0;
  std::uint64_t values         = 0;
  std::uint64_t n_answers      = 0;
  bool hops                    = false;  // handlers send on

  void take(Message const& its) {
    n_wrong_rounds += its.round != round ? 1 : 0;
    ++n_received;
    values += its.value;
  }

  symm::Mailbox<Answer> answers{
      "answers",
      [this](Answer const& its) {
        ++n_answers;
        n_wrong_rounds +=
            its.asked_in != its.answered_in || its.asked_in != round ? 1 : 0;
      },
      small_blocks};
  symm::Mailbox<Message> second{"second",
                                [this](Message const& its) {
                                  take(its);
                                  answers.send(its.from, {its.round, round});
                                },
                                small_blocks};
  symm::Mailbox<Message> first{
      "first",
      [this](Message const& its) {
        take(its);
        if (hops)
          second.send(static_cast<Pe>(its.value % index(symm::n_pes())),
                      {its.from, its.round, its.value});
      },
      small_blocks};
  symm::Mailbox<int> others{"others", [](int const&) {}};

  symm::DistributedHashMap<long, long, symm::Sum> map{"map", 0, small_blocks};
  std::map<long, long> expected;  // of all PEs

  symm::WorkQueue<int> queue{"queue", [this](int k) { task(k); }};
  /// Task k of PE k % n_pes: sends that PE's message, on whatever PE it runs.
  void task(int k) {
    Pe const of = k % symm::n_pes();
    Sent const sent{seed, round, of};
    int const m = k / symm::n_pes();
    first.send(sent.to(m), sent.message(m));
  }

  std::array<symm::ExchangePlan, 3> plans{plan_of(0), plan_of(1), plan_of(2)};
  std::array<Kokkos::View<double*, Kokkos::HostSpace>, 3> fields{
      Kokkos::View<double*, Kokkos::HostSpace>("x", 3 * n_owned),
      Kokkos::View<double*, Kokkos::HostSpace>("y", 3 * n_owned),
      Kokkos::View<double*, Kokkos::HostSpace>("z", 3 * n_owned)};
  std::size_t room = sizeof(double);

  symm::Migration migration;
  HostInts elements{"elements", 20};
  std::size_t n_elements = 20;

  OnHost<std::uint64_t> signal{"signal", 1};
  std::uint64_t n_signals = 0;
  OnHost<symm::Lock> lock{"lock", 1};

  void fill(std::size_t p) {
    for (std::size_t k = 0; k < n_owned; ++k)
      fields[p](k) = value(p, symm::my_pe(), k);
  }
  [[nodiscard]] double value(std::size_t p, Pe pe, std::size_t k) const {
    return static_cast<double>(mix(seed, p, index(round), index(pe), k) %
                               1'000'003);
  }
  [[nodiscard]] std::size_t n_wrong(std::size_t p) const {
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 2 * n_owned; ++k) {
      auto const pe = (symm::my_pe() + static_cast<int>(p) +
                       static_cast<int>(k / n_owned)) %
                      symm::n_pes();
      wrong += fields[p](n_owned + k) != value(p, pe, (k * 7) % n_owned);
    }
    return wrong;
  }
};

RandomRounds::RandomRounds(std::uint64_t seed)
    : m_common(seed),
      m_own(mix(seed, index(symm::my_pe()))),
      m_its(std::make_unique<Objects>(seed)) {
  for (int k = 0; k < 20; ++k) m_its->elements(k) = symm::my_pe() * 1000 + k;
}
RandomRounds::~RandomRounds() = default;

void RandomRounds::pause() {
  auto const draw = m_own() % 600;
  if (draw < 150) std::this_thread::sleep_for(std::chrono::microseconds(draw));
}

void RandomRounds::run(Coverage& coverage) {
  auto& its          = *m_its;
  its.round          = ++m_round;
  auto const sender  = any<Sender>();
  auto const wait    = any<Wait>();
  auto const mistake = common(3) == 0 ? any<Mistake>() : Mistake::none;
  ++coverage.waits[{sender, wait}];
  ++coverage.mistakes[mistake];
  SCOPED_TRACE("round " + std::to_string(m_round) + ", sender " +
               std::to_string(static_cast<int>(sender)) + ", wait " +
               std::to_string(static_cast<int>(wait)) + ", mistake " +
               std::to_string(static_cast<int>(mistake)));
  pause();
  send(sender);
  pause();
  wait_in(wait);
  if (mistake != Mistake::none) err(mistake);
  end_mail(sender);
  if (common(2) == 0) gather_in_any_order(coverage);
  if (common(2) == 0) ask_map();
  if (common(3) == 0) migrate();
}

void RandomRounds::send(Sender sender) {
  auto& its      = *m_its;
  its.n_received = its.values = its.n_answers = its.n_wrong_rounds = 0;
  its.hops = sender == Sender::handlers;
  Sent const sent{its.seed, m_round, symm::my_pe()};
  int const n = sent.count();
  if (sender == Sender::tasks) {
    for (int k = 0; k < n; ++k)
      its.queue.push(symm::my_pe() + k * symm::n_pes());
  } else if (sender == Sender::views) {
    HostInts pes("pes", index(n));
    Kokkos::View<Message*, Kokkos::HostSpace> messages("messages", index(n));
    for (int k = 0; k < n; ++k) {
      pes(k)      = sent.to(k);
      messages(k) = sent.message(k);
    }
    its.first.send(Exec(), pes, messages);
  } else if (sender == Sender::other_thread) {
    auto const mail = its.first.sender();
    std::thread([&] {
      for (int k = 0; k < n; ++k) mail.send(sent.to(k), sent.message(k));
    }).join();
  } else {
    for (int k = 0; k < n; ++k) its.first.send(sent.to(k), sent.message(k));
  }
}

void RandomRounds::wait_in(Wait wait) {
  auto& its      = *m_its;
  Pe const right = (symm::my_pe() + 1) % symm::n_pes();
  switch (wait) {
    case Wait::barrier: symm::barrier_all(); break;
    case Wait::reduction: EXPECT_EQ(sum_of_all(1), symm::n_pes()); break;
    case Wait::view: {
      Kokkos::View<int*, symm::SymmetricHostSpace> const view("view", 10);
      break;
    }
    case Wait::signal:
      symm::signal_op(its.signal.data(), 1, symm::SignalOp::add, right);
      symm::signal_wait_until(its.signal.data(), symm::Compare::ge,
                              ++its.n_signals);
      break;
    case Wait::lock:
      symm::set_lock(its.lock.data());
      pause();
      symm::clear_lock(its.lock.data());
      break;
    case Wait::exchange: {
      its.fill(0);
      its.plans[0].gather(Exec(), its.fields[0]);
      EXPECT_EQ(its.n_wrong(0), 0U);
      break;
    }
    case Wait::migration: migrate(); break;
    case Wait::queue: its.queue.finish(); break;
    case Wait::other_mailbox: its.others.finish(); break;
    case Wait::nothing:
    case Wait::n: break;
  }
}

void RandomRounds::end_mail(Sender sender) {
  auto& its = *m_its;
  // (Without tasks, the queue ends at once.)
  if (sender == Sender::tasks || common(2) == 0) its.queue.finish();
  its.first.finish();
  its.second.finish();
  its.answers.finish();
  std::uint64_t n_received = 0, values = 0, n_answers = 0;
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Sent const sent{its.seed, m_round, pe};
    for (int k = 0; k < sent.count(); ++k) {
      auto const message = sent.message(k);
      bool const is_mine = sent.to(k) == symm::my_pe();
      n_received += is_mine ? 1 : 0;
      values += is_mine ? message.value : 0;
      if (!its.hops) continue;
      bool const hops_here =
          static_cast<Pe>(message.value % index(symm::n_pes())) ==
          symm::my_pe();
      n_received += hops_here ? 1 : 0;
      values += hops_here ? message.value : 0;
      n_answers += pe == symm::my_pe() ? 1U : 0U;
    }
  }
  EXPECT_EQ(its.n_received, n_received);
  EXPECT_EQ(its.values, values);
  EXPECT_EQ(its.n_answers, n_answers);
  EXPECT_EQ(its.n_wrong_rounds, 0U);
}

void RandomRounds::gather_in_any_order(Coverage& coverage) {
  auto& its = *m_its;
  std::array<std::size_t, 3> begins{0, 1, 2}, ends{0, 1, 2};
  std::shuffle(begins.begin(), begins.end(), m_own);
  std::shuffle(ends.begin(), ends.end(), m_own);
  for (auto const p : begins) {
    its.fill(p);
    its.plans[p].begin_gather(Exec(), its.fields[p]);
  }
  pause();
  for (auto const p : ends) {
    its.plans[p].end_gather(Exec(), its.fields[p]);
    EXPECT_EQ(its.n_wrong(p), 0U) << "plan " << p;
  }
  auto const order = begins[0] * 9 + begins[1] * 3 + begins[2];
  auto const most  = symm::reduce(symm::team_world(), order, symm::Max{});
  auto const least = symm::reduce(symm::team_world(), order, symm::Min{});
  coverage.n_other_orders += most != least ? 1 : 0;
}

void RandomRounds::migrate() {
  auto& its = *m_its;
  HostInts dest("dest", its.n_elements);
  for (std::size_t k = 0; k < its.n_elements; ++k)
    dest(k) = static_cast<int>(m_own() % index(symm::n_pes()));
  its.n_elements     = its.migration.migrate(Exec(), dest, its.elements);
  std::uint64_t mine = 0;
  for (std::size_t k = 0; k < its.n_elements; ++k)
    mine += mix(index(its.elements(k)));
  std::uint64_t expected = 0;
  for (Pe pe = 0; pe < symm::n_pes(); ++pe)
    for (int k = 0; k < 20; ++k) expected += mix(index(pe * 1000 + k));
  EXPECT_EQ(sum_of_all(its.n_elements), 20 * index(symm::n_pes()));
  EXPECT_EQ(sum_of_all(mine), expected);
}

void RandomRounds::ask_map() {
  auto& its         = *m_its;
  auto const key_of = [](Message const& message) {
    return static_cast<long>(message.value % 500);
  };
  Sent const mine{its.seed + 1, m_round, symm::my_pe()};
  for (int k = 0; k < mine.count(); ++k)
    its.map.insert(key_of(mine.message(k)), m_round);
  pause();
  its.map.finish();
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Sent const sent{its.seed + 1, m_round, pe};
    for (int k = 0; k < sent.count(); ++k)
      its.expected[key_of(sent.message(k))] += m_round;
  }
  // Nothing of the next call is in it.
  std::size_t n = 0;
  its.map.for_each_local([&](long key, long value) {
    ++n;
    auto const found = its.expected.find(key);
    EXPECT_TRUE(found != its.expected.end() && found->second == value) << key;
  });
  auto const here = std::count_if(
      its.expected.begin(), its.expected.end(), [&](auto const& one) {
        return its.map.pe_of(one.first) == symm::my_pe();
      });
  EXPECT_EQ(n, static_cast<std::size_t>(here));
}

void RandomRounds::expect_error(bool is_error, char const* what) const {
  EXPECT_TRUE(is_error) << "no error: " << what;
}

void RandomRounds::err(Mistake mistake) {
  auto& its           = *m_its;
  Pe const who        = static_cast<Pe>(common(index(symm::n_pes())));
  bool const is_mine  = who == symm::my_pe();
  bool const is_alone = symm::n_pes() == 1;
  auto const throws   = [](auto const& call) {
    try {
      call();
    } catch (symm::UsageError const&) {
      return true;
    }
    return false;
  };
  auto& plan  = its.plans[1];
  auto& field = its.fields[1];
  Kokkos::View<double* [2], Kokkos::HostSpace> const large("large",
                                                           3 * n_owned);
  switch (mistake) {
    case Mistake::other_finish:
      if (is_alone) return;
      expect_error(throws([&] { (is_mine ? its.second : its.first).finish(); }),
                   "another mailbox");
      return;
    case Mistake::other_plan_room:
      if (is_alone) return;
      its.room += 8;
      expect_error(
          throws([&] { its.plans[is_mine ? 0 : 2].reserve(its.room); }),
          "room of another plan");
      for (auto& each : its.plans) each.reserve(its.room);
      return;
    case Mistake::reserve_in_between:
      its.fill(1);
      plan.begin_gather(Exec(), field);
      its.room += 8;
      expect_error(throws([&] { plan.reserve(its.room); }), "reserve");
      plan.end_gather(Exec(), field);
      EXPECT_EQ(its.n_wrong(1), 0U);
      for (auto& each : its.plans) each.reserve(its.room);
      return;
    case Mistake::other_views_at_end:
      its.fill(1);
      plan.begin_gather(Exec(), field);
      expect_error(throws([&] { plan.end_gather(Exec(), large); }),
                   "other Views");
      plan.end_gather(Exec(), field);
      EXPECT_EQ(its.n_wrong(1), 0U);
      return;
    case Mistake::other_bytes: {
      if (is_alone) return;
      for (auto& each : its.plans) each.reserve(16);
      its.room              = std::max<std::size_t>(its.room, 16);
      bool const has_thrown = throws([&] {
        if (is_mine) {
          plan.gather(Exec(), large);
        } else {
          plan.gather(Exec(), field);
        }
      });
      if (is_mine) expect_error(has_thrown, "other bytes");
      EXPECT_GE(sum_of_all(has_thrown ? 1 : 0), 2);
      return;
    }
    case Mistake::other_thread: {
      bool has_thrown = false;
      std::thread([&] {
        has_thrown = throws([&] { its.others.send(0, 1); });
      }).join();
      expect_error(has_thrown, "another thread");
      return;
    }
    case Mistake::none:
    case Mistake::n: return;
  }
}

}  // namespace symm_test
