// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CONTAINERS_MODEL_OF_EXCHANGES_HPP
#define SYMM_TEST_CONTAINERS_MODEL_OF_EXCHANGES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>

#include <support/LackOfMemory.hpp>
#include "../exchange/plans.hpp"
#include "World.hpp"

/// Plans, migrations and sorts.
namespace symm_test {

/// A plan of random lists, and all that its ghosts must be.
class ModelOfPlan {
 public:
  /// Collective over the world.
  ModelOfPlan(World& world, Group const& group, unsigned seed,
              LackOfMemory const* lack)
      : m_world(world), m_group(group), m_seed(seed) {
    if (group.team.is_valid())
      m_lists = random_lists(seed, my_member(), n_members());
    auto const indices = ints(m_lists.indices);
    auto const pes     = ints(m_lists.pes);
    m_x = decltype(m_x)("x", m_lists.n_owned + m_lists.pes.size());
    for (symm::Pe m = 0; m < n_members(); ++m) {
      auto const its = random_lists(seed, m, n_members());
      for (std::size_t k = 0; k < its.pes.size(); ++k) {
        if (its.pes[k] == my_member())
          m_copies.push_back(
              {static_cast<std::size_t>(its.indices[k]), m, its.n_owned + k});
      }
    }
    auto const boxes = my_boxes();
    LackOfMemory::in(lack, [&] {
      m_plan = symm::ExchangePlan::from_imports(m_lists.n_owned, indices, pes,
                                                group.team);
      if (!is_joined()) return;
      auto const of_boxes = symm::ExchangePlan::from_boxes(boxes, group.team);
      m_plan = symm::ExchangePlan::joined({of_boxes, m_plan}, group.team);
    });
  }

  void begin_gather(Exec const& exec) {
    ++m_phase;
    set(m_lists.n_owned);
    with(m_x, [&](auto const& x) { m_plan.begin_gather(exec, x); });
  }
  void end_gather(Exec const& exec) {
    with(m_x, [&](auto const& x) { m_plan.end_gather(exec, x); });
    auto const x        = on_host();
    std::size_t n_wrong = 0;
    for (std::size_t k = 0; k < m_lists.pes.size(); ++k)
      n_wrong +=
          x(m_lists.n_owned + k) !=
          value(m_lists.pes[k], static_cast<std::size_t>(m_lists.indices[k]));
    m_world.expect(n_wrong == 0, "ghosts of gather()");
  }
  void begin_scatter(Exec const& exec) {
    ++m_phase;
    set(m_x.extent(0));
    with(m_x, [&](auto const& x) { m_plan.begin_scatter(exec, x); });
  }
  void end_scatter(Exec const& exec) {
    with(m_x, [&](auto const& x) { m_plan.end_scatter(exec, symm::Sum{}, x); });
    std::vector<double> sums(m_lists.n_owned);
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = value(my_member(), i);
    for (auto const& copy : m_copies)
      sums[copy.of] += value(copy.member, copy.place);
    auto const x        = on_host();
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) n_wrong += x(i) != sums[i];
    m_world.expect(n_wrong == 0, "sums of scatter()");
  }
  /// Elements of more bytes. The plan makes room, if it has less.
  void gather_components(Exec const& exec, int n) {
    ++m_phase;
    Kokkos::View<int**, Memory> const v("v", m_x.extent(0), n);
    auto const components = static_cast<std::size_t>(n);
    auto const host       = Kokkos::create_mirror_view(v);
    auto const its_value  = [&](symm::Pe pe, std::size_t i, std::size_t c) {
      return static_cast<int>(
          number_from(m_seed, m_phase, 10 * i + c, static_cast<unsigned>(pe)));
    };
    for (std::size_t i = 0; i < m_lists.n_owned; ++i)
      for (std::size_t c = 0; c < components; ++c)
        host(i, c) = its_value(my_member(), i, c);
    Kokkos::deep_copy(v, host);
    with(v, [&](auto const& its) { m_plan.gather(exec, its); });
    Kokkos::deep_copy(host, v);
    std::size_t n_wrong = 0;
    for (std::size_t k = 0; k < m_lists.pes.size(); ++k)
      for (std::size_t c = 0; c < components; ++c)
        n_wrong += host(m_lists.n_owned + k, c) !=
                   its_value(m_lists.pes[k],
                             static_cast<std::size_t>(m_lists.indices[k]), c);
    m_world.expect(n_wrong == 0, "ghosts of gather() of components");
  }
  void reserve(std::size_t bytes) { m_plan.reserve(bytes); }
  /// The same on all PEs.
  [[nodiscard]] bool is_of_world() const { return m_group.is_world; }
  /// Its buffers go with it.
  void move() {
    auto plan = std::move(m_plan);
    m_plan    = std::move(plan);
  }

 private:
  struct Copy {
    std::size_t of;  // this PE's element
    symm::Pe member;
    std::size_t place;  // there
  };

  /// Some plans are two, of which the second one is used. The same on all PEs.
  [[nodiscard]] bool is_joined() const { return m_seed % 3 == 0; }
  template <class View, class F>
  void with(View const& view, F const& f) const {
    is_joined() ? f(symm::of_plan(1, view)) : f(view);
  }
  /// Members in turn have a box of a ring.
  [[nodiscard]] symm::GridBoxes my_boxes() const {
    constexpr int n_boxes = 40;
    symm::GridBoxes its;
    its.grid     = {static_cast<std::size_t>(3 * n_boxes * n_members())};
    its.periodic = {true, false, false};
    for (int b = 0; b < n_boxes && n_members() > 0; ++b)
      its.boxes.push_back({{3 * (b * n_members() + my_member())}, {3}});
    return its;
  }
  [[nodiscard]] symm::Pe my_member() const {
    return m_group.team.is_valid() ? m_group.team.my_pe() : -1;
  }
  [[nodiscard]] int n_members() const {
    return m_group.team.is_valid() ? m_group.team.n_pes() : 0;
  }
  [[nodiscard]] double value(symm::Pe member, std::size_t element) const {
    return static_cast<double>(
        number_from(m_seed, m_phase, element, static_cast<unsigned>(member)) >>
        40U);
  }
  /// Ghosts that no gather() fills are wrong.
  void set(std::size_t end) {
    auto const host = Kokkos::create_mirror_view(m_x);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      host(i) = i < end ? value(my_member(), i) : -1.;
    Kokkos::deep_copy(m_x, host);
  }
  [[nodiscard]] Kokkos::View<double*, Memory>::host_mirror_type on_host()
      const {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_x);
  }

  World& m_world;
  Group m_group;
  unsigned m_seed;
  std::uint64_t m_phase = 0;
  Lists m_lists;
  std::vector<Copy> m_copies;  // of this PE's elements
  symm::ExchangePlan m_plan;
  Kokkos::View<double*, Memory> m_x;
};

/// A migration, whose calls move new elements each.
class ModelOfMigration {
 public:
  /// Collective over the world, if it is not all PEs'.
  ModelOfMigration(World& world, Group const& group)
      : m_world(world), m_group(group) {
    if (group.is_world) return;
    m_migration = symm::TrackedMigration(group.team);
    m_migration.reserve(100'000, 6'250);
    world.has_met();
  }
  [[nodiscard]] bool has_part() const { return m_group.team.is_valid(); }

  void migrate(Exec const& exec, unsigned scale, LackOfMemory const* lack) {
    auto const round = m_world.round();
    auto const n_of  = [&](int pe) {
      auto const its = number_from(round, 1, static_cast<unsigned>(pe));
      return its % 5 == 0 ? 0 : its % scale;
    };
    auto const dest_of = [&](int pe, std::size_t k) {
      auto const its = number_from(round, 2, static_cast<unsigned>(pe), k);
      if (its % 11 == 5) return symm::no_pe;
      return its % 3 == 0 ? pe : static_cast<int>(its / 3 % n());
    };
    auto const id_of = [](int pe, std::size_t k) {
      return static_cast<std::int64_t>(pe) * 1'000'000 +
             static_cast<std::int64_t>(k);
    };
    auto const n_mine = n_of(me());
    std::vector<int> dest(n_mine);
    Kokkos::View<std::int64_t*, Memory> id("id", n_mine);
    Kokkos::View<int* [2], Memory> twice("twice", n_mine);
    {
      auto const ids  = Kokkos::create_mirror_view(id);
      auto const both = Kokkos::create_mirror_view(twice);
      for (std::size_t k = 0; k < n_mine; ++k) {
        dest[k]    = dest_of(me(), k);
        ids(k)     = id_of(me(), k);
        both(k, 0) = static_cast<int>(ids(k) % 1013);
        both(k, 1) = static_cast<int>(ids(k) % 1019);
      }
      Kokkos::deep_copy(id, ids);
      Kokkos::deep_copy(twice, both);
    }
    auto const pes    = ints(dest);
    std::size_t n_now = 0;
    auto const call   = [&] {
      n_now = m_migration.migrate(exec, pes, id, twice);
    };
    auto const with_lack = [&](auto const& its_call, char const* name) {
      if (lack != nullptr &&
          m_world.throws_on_all<symm::Error>([&] { lack->in(its_call); }, name,
                                             m_group.team)) {
        its_call();
      } else if (lack == nullptr) {
        its_call();
      }
    };
    with_lack(call, "migrate() without memory");
    with_lack([&] { m_migration.follow(exec); }, "follow() without memory");
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                           m_migration.pes());
    m_world.expect(found.extent(0) == n_mine &&
                       std::equal(dest.begin(), dest.end(), found.data()),
                   "PEs of follow()");
    if (m_group.is_world) m_world.has_met();
    std::vector<std::int64_t> expected;
    for (int pe = 0; pe < m_group.team.n_pes(); ++pe)
      for (std::size_t k = 0; k < n_of(pe); ++k)
        if (dest_of(pe, k) == me()) expected.push_back(id_of(pe, k));
    auto const ids =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), id);
    auto const both =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), twice);
    m_world.expect(n_now == expected.size() && n_now <= ids.extent(0),
                   "number of elements of migrate()");
    if (n_now > ids.extent(0)) return;
    std::size_t n_wrong = 0;
    for (std::size_t k = 0; k < n_now; ++k)
      n_wrong += both(k, 0) != ids(k) % 1013 || both(k, 1) != ids(k) % 1019;
    std::sort(ids.data(), ids.data() + n_now);
    m_world.expect(n_wrong == 0 &&
                       std::equal(expected.begin(), expected.end(), ids.data()),
                   "elements of migrate()");
  }

 private:
  [[nodiscard]] unsigned n() const {
    return static_cast<unsigned>(m_group.team.n_pes());
  }
  [[nodiscard]] int me() const { return m_group.team.my_pe(); }

  World& m_world;
  Group m_group;
  symm::TrackedMigration m_migration;
};

/// Collective over the world: the PEs of a group sort among themselves.
inline void sort_and_look(World& world, Group const& group, Exec const& exec,
                          LackOfMemory const* lack) {
  auto const round = world.round();
  auto const scale = world.draw(10) == 0 ? 800U : 40U;
  auto const range = world.draw(3) == 0 ? 7U : 1'000'003U;
  using Pair       = std::pair<int, int>;  // key, value
  std::vector<Pair> all;
  std::vector<Pair> mine;
  for (int pe = 0; pe < group.team.n_pes(); ++pe) {
    auto const n = number_from(round, 3, static_cast<unsigned>(pe)) % scale;
    for (std::size_t k = 0; k < n; ++k) {
      Pair const its{
          static_cast<int>(number_from(round, 4, static_cast<unsigned>(pe), k) %
                           range),
          static_cast<int>(all.size())};
      all.push_back(its);
      if (pe == group.team.my_pe()) mine.push_back(its);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
    return a.first < b.first;
  });
  std::vector<int> its_keys, its_values;
  for (auto const& [key, value] : mine) {
    its_keys.push_back(key);
    its_values.push_back(value);
  }
  auto keys         = ints(its_keys);
  auto values       = ints(its_values);
  std::size_t n_now = 0;
  auto const call   = [&] {
    n_now = symm::sort(exec, group.team, mine.size(), keys, values);
  };
  if (lack != nullptr) {
    bool const has_failed = world.throws_on_all<symm::Error>(
        [&] { lack->in(call); }, "sort() without memory");
    if (has_failed) call();
  } else {
    call();
  }
  world.has_met();
  if (!group.team.is_valid()) return;
  auto const n     = static_cast<std::size_t>(group.team.n_pes());
  auto const me    = static_cast<std::size_t>(group.team.my_pe());
  auto const first = all.size() / n * me + std::min(me, all.size() % n);
  auto const count = all.size() / n + (me < all.size() % n ? 1 : 0);
  world.expect(n_now == count, "number of elements of sort()");
  if (n_now != count) return;
  auto const host_keys =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), keys);
  auto const host_values =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  std::size_t n_wrong = 0;
  for (std::size_t k = 0; k < count; ++k)
    n_wrong += host_keys(k) != all[first + k].first ||
               host_values(k) != all[first + k].second;
  world.expect(n_wrong == 0, "elements of sort()");
}

}  // namespace symm_test

#endif
