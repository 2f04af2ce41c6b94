// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CONTAINERS_WORLD_HPP
#define SYMM_TEST_CONTAINERS_WORLD_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>

/// What all parts of the model check know: numbers that all PEs draw alike,
/// numbers of this PE alone, and what was found wrong.
namespace symm_test {

/// A number that every PE can compute for every other one.
inline std::uint64_t number_from(std::uint64_t a, std::uint64_t b = 0,
                                 std::uint64_t c = 0, std::uint64_t d = 0) {
  std::uint64_t x = a;
  for (auto const word : {b, c, d}) {
    x = (x ^ (x >> 31U) ^ word) * 0x9e37'79b9'7f4a'7c15U;
    x = (x ^ (x >> 29U)) * 0xbf58'476d'1ce4'e5b9U;
  }
  return x ^ (x >> 32U);
}

class World {
 public:
  explicit World(unsigned seed)
      : m_seed(seed),
        m_shared(seed),
        m_mine(seed * 1000 + static_cast<unsigned>(me) + 1) {}

  int const n_pes = symm::n_pes();
  int const me    = symm::my_pe();

  /// The same on all PEs, below `end`.
  unsigned draw(unsigned end) {
    return static_cast<unsigned>(m_shared() % end);
  }
  /// Another one on each PE.
  unsigned draw_mine(unsigned end) {
    return static_cast<unsigned>(m_mine() % end);
  }
  template <class T>
  void shuffle_mine(std::vector<T>& list) {
    std::shuffle(list.begin(), list.end(), m_mine);
  }
  /// Now and then a PE is late, or loses its core.
  void pause() {
    auto const kind = draw_mine(200);
    if (kind == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(draw_mine(3000)));
    } else if (kind < 10) {
      std::this_thread::sleep_for(std::chrono::microseconds(draw_mine(100)));
    } else if (kind < 40) {
      std::this_thread::yield();
    }
  }

  // Of each round.
  void begin_round(std::uint64_t number) { m_round = number; }
  /// What this PE does, for messages. \param name lives as long as the program.
  void begin(char const* name) {
    std::move(m_latest.begin() + 1, m_latest.end(), m_latest.begin());
    m_latest.back() = name;
  }
  [[nodiscard]] std::string describe() const {
    std::ostringstream text;
    text << "PE " << me << ", seed " << m_seed << ", round " << m_round
         << ", after";
    for (auto const* const name : m_latest) text << ' ' << name;
    return text.str();
  }
  [[nodiscard]] std::uint64_t round() const { return m_round; }

  /// A collective call over the world has returned.
  void has_met() { ++m_n_met; }
  [[nodiscard]] std::uint64_t n_met() const { return m_n_met; }

  void expect(bool is_right, char const* what) {
    if (is_right) return;
    if (m_n_wrong++ != 0) return;
    std::ostringstream text;
    text << what << ": " << describe();
    m_first_wrong = text.str();
  }
  [[nodiscard]] std::uint64_t n_wrong() const { return m_n_wrong; }
  [[nodiscard]] std::string const& first_wrong() const { return m_first_wrong; }

  /// Calls f(), which is collective over the PE team, or the world.
  /// \returns whether it threw Error, which it must do on all PEs or on none.
  template <class Error, class F>
  bool throws_on_all(F const& f, char const* what,
                     symm::PeTeam const& team = symm::team_world()) {
    int has_thrown = 0;
    try {
      f();
    } catch (Error const&) {
      has_thrown = 1;
    }
    auto const n = symm::reduce(team, has_thrown, symm::Sum{});
    if (team.n_pes() == n_pes) has_met();
    expect(n == 0 || n == team.n_pes(), what);
    return n != 0;
  }

 private:
  unsigned m_seed;
  std::mt19937 m_shared;
  std::mt19937 m_mine;
  std::array<char const*, 6> m_latest{"", "", "", "", "", ""};
  std::uint64_t m_round   = 0;
  std::uint64_t m_n_met   = 0;
  std::uint64_t m_n_wrong = 0;
  std::string m_first_wrong;
};

/// The PEs that have an object.
struct Group {
  symm::PeTeam team;  // of this PE; none: it has no part
  bool is_world;      // the same on all PEs
};

/// Objects of a kind, in slots. They are made and ended at random.
template <class Object>
class Slots {
 public:
  explicit Slots(std::size_t n) : m_slots(n) {}

  [[nodiscard]] std::size_t n() const { return m_slots.size(); }
  std::unique_ptr<Object>& at(std::size_t k) { return m_slots[k]; }
  /// The same on all PEs; null: there are none.
  Object* choose(World& world) {
    auto const all = find_all();
    return all.empty() ? nullptr
                       : all[world.draw(static_cast<unsigned>(all.size()))];
  }
  [[nodiscard]] std::vector<Object*> find_all() const {
    std::vector<Object*> all;
    for (auto const& its : m_slots)
      if (its) all.push_back(its.get());
    return all;
  }

 private:
  std::vector<std::unique_ptr<Object>> m_slots;
};

}  // namespace symm_test

#endif
