// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_RANDOM_ROUNDS_HPP
#define SYMM_TEST_RANDOM_ROUNDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>

namespace symm_test {

using symm::Pe;

/// Random rounds of mailboxes, a map, a queue, plans and a migration. Every PE
/// computes what all PEs do, and so what it must have when a round has ended:
/// that of this round, nothing of another one. PEs pause at random, and begin
/// what has no order in an order of their own.
class RandomRounds {
 public:
  // What a round is made of.

  /// Who sends the messages of a round.
  enum class Sender { thread, views, other_thread, handlers, tasks, n };
  /// What a PE waits in, between messages that it has sent and their end.
  enum class Wait {
    nothing,
    barrier,
    reduction,
    view,
    signal,
    lock,
    exchange,
    migration,
    queue,
    other_mailbox,
    n
  };
  /// What a PE does wrong.
  enum class Mistake {
    none,
    other_finish,        // ends another mailbox than the others
    other_plan_room,     // makes room in another plan
    reserve_in_between,  // begin and end of an exchange
    other_views_at_end,
    other_bytes,
    other_thread,  // uses a mailbox there
    n
  };

  /// How often which of them has occurred together.
  struct Coverage {
    std::map<std::pair<Sender, Wait>, std::uint64_t> waits;
    std::map<Mistake, std::uint64_t> mistakes;
    std::uint64_t n_other_orders = 0;  // PEs have begun plans in other orders
  };

  /// Collective. \param seed equal on all PEs.
  explicit RandomRounds(std::uint64_t seed);
  RandomRounds(RandomRounds const&)            = delete;
  RandomRounds& operator=(RandomRounds const&) = delete;
  ~RandomRounds();

  /// Collective. Reports what is wrong by EXPECT.
  void run(Coverage& coverage);

 private:
  struct Objects;

  /// A number that all PEs draw alike.
  std::uint64_t common(std::uint64_t below) { return m_common() % below; }
  template <class Enum>
  Enum any() {
    return static_cast<Enum>(common(static_cast<std::uint64_t>(Enum::n)));
  }
  void pause();

  void send(Sender sender);
  void wait_in(Wait wait);
  void end_mail(Sender sender);
  void gather_in_any_order(Coverage& coverage);
  void migrate();
  void ask_map();
  void err(Mistake mistake);
  void expect_error(bool is_error, char const* what) const;

  std::mt19937_64 m_common;
  std::mt19937_64 m_own;
  int m_round = 0;
  std::unique_ptr<Objects> m_its;
};

}  // namespace symm_test

#endif
