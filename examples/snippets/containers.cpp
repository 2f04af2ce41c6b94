// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The snippets in docs/ about symm::DistributedHashMap, symm::Mailbox, and
// contexts that aggregate.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

struct Update {
  int index;
  double value;
};

// Each PE adds 1 to all elements of the next PE's table.
bool send_views() {
  int const n       = 1000;
  symm::Pe const to = (symm::my_pe() + 1) % symm::n_pes();
  std::vector<double> table(n);
  Exec const exec;
  // [mail_views
  symm::Mailbox<Update> updates("updates", [&](Update const& its) {
    table[static_cast<std::size_t>(its.index)] += its.value;
  });
  Kokkos::View<symm::Pe*> pes("pes", n);
  Kokkos::View<Update*> messages("messages", n);
  Kokkos::parallel_for(
      "updates", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int k) {
        pes(k)      = to;
        messages(k) = {k, 1};
      });
  updates.send(exec, pes, messages);  // messages(k) to PE pes(k)
  updates.finish();
  // mail_views]
  return std::count(table.begin(), table.end(), 1) == n;
}

// Each PE adds 1 to all elements of the next PE's table, using several threads.
bool send_in_kernels() {
  using HostExec    = Kokkos::DefaultHostExecutionSpace;
  int const n       = 1000;
  symm::Pe const to = (symm::my_pe() + 1) % symm::n_pes();
  std::vector<double> table(n);
  symm::Mailbox<Update> updates("updates", [&](Update const& its) {
    table[static_cast<std::size_t>(its.index)] += its.value;
  });
  // [mail_threads
  auto const sender = updates.sender();
  Kokkos::parallel_for(  // of OpenMP or Threads
      "updates", Kokkos::RangePolicy<HostExec>(0, n), KOKKOS_LAMBDA(int k) {
        sender.send(to, {k, 1});
      });
  Kokkos::fence();
  updates.finish();
  // mail_threads]
  return std::count(table.begin(), table.end(), 1) == n;
}

// Each PE counts 1000 keys in bins on all PEs.
bool count_keys() {
  int const n = 1000, n_pes = symm::n_pes();
  std::vector<int> keys(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) keys[static_cast<std::size_t>(k)] = k;
  Kokkos::View<long*, symm::SymmetricHostSpace> bins("bins", n);
  // [aggregate
  symm::Context updates({.aggregate = true});  // for this thread
  for (int const key : keys)
    symm::atomic_add(updates, &bins(key / n_pes), 1, key % n_pes);
  updates.quiet();      // all operations are complete
  symm::barrier_all();  // all PEs have counted
  // aggregate]
  return bins(0) == n_pes;
}

// The PEs of each half of the job send to each other.
bool send_in_halves() {
  int const half    = symm::my_pe() * 2 / symm::n_pes();
  int n_come        = 0;
  symm::PeTeam team = symm::team_split(symm::team_world(), half, 0);
  {
    // [team_mail
    // All PEs make the call, each with its own PE team.
    symm::Mailbox<int> mail(
        "mail of a half", [&](int) { ++n_come; }, {}, team);
    for (symm::Pe to = 0; to < team.n_pes(); ++to) mail.send(to, half);
    mail.finish();  // the PEs of this half
    // team_mail]
  }
  bool is_right = n_come == team.n_pes();
  {
    constexpr std::size_t n_rows = 100;
    // [team_rows
    using Rows =
        symm::DistributedView<Kokkos::View<double*, symm::SymmetricSpace>,
                              symm::OnTeam<symm::Blocks>>;
    // All PEs make the call. Each PE team has a whole View of its own, of any
    // length.
    Rows const rows("rows of a half", symm::OnTeam(team), n_rows);
    // team_rows]
    auto const n_mine = rows.local().extent(0);
    is_right &= symm::reduce(team, n_mine, symm::Sum{}) == n_rows;
  }
  symm::team_destroy(team);
  return is_right;
}

// Three atoms per PE, the first two of which are bound to each other. The
// second one moves to the next PE.
bool move_and_follow() {
  int const me = symm::my_pe(), next = (me + 1) % symm::n_pes();
  Kokkos::DefaultExecutionSpace const exec;
  std::size_t n = 3;
  Kokkos::View<double*> x("x", n);
  Kokkos::View<int*> owners("owners", n);
  Kokkos::deep_copy(owners, me);
  Kokkos::deep_copy(Kokkos::subview(owners, 1), next);
  // [tracked
  symm::TrackedMigration migration;  // in place of a Migration
  n = migration.migrate(exec, owners, x);
  migration.follow(exec);  // collective, like migrate()
  // The former element k on this PE is now element indices(k) on PE pes(k).
  auto const pes = migration.pes(), indices = migration.indices();
  // tracked]
  return n == 3 && pes(0) == me && indices(0) == 0 && pes(1) == next &&
         indices(1) == 1;
}

int solve() {
  std::vector<long> const words{3, 7, 7, 1};
  // [counts
  // How often each word occurs on all PEs.
  symm::DistributedHashMap<long, int, symm::Sum> counts("counts");
  for (long const word : words) counts.insert(word, 1);
  counts.finish();

  std::optional<int> n_sevens;  // empty if the key does not exist
  counts.find(7, n_sevens);
  counts.finish();
  // counts]
  bool are_sent = send_views();
  are_sent      = send_in_kernels() && are_sent;
  are_sent      = count_keys() && are_sent;
  are_sent      = send_in_halves() && are_sent;
  are_sent      = move_and_follow() && are_sent;
  bool const is_right =
      n_sevens == 2 * symm::n_pes() && counts.size() == 3 && are_sent;
  int const n_wrong =
      symm::reduce(symm::team_world(), is_right ? 0 : 1, symm::Sum{});
  if (symm::my_pe() == 0)
    std::printf("containers: %s\n", n_wrong == 0 ? "correct" : "WRONG");
  return n_wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  return solve();
}
