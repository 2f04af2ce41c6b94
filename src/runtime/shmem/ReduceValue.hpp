// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_REDUCEVALUE_HPP
#define SYMM_SHMEM_REDUCEVALUE_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <typeinfo>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveRun.hpp"
#include "PeTeam.hpp"
#include "Words.hpp"

namespace symm::Impl {

/// The PEs whose values make a PE's result.
enum class Combined { all, up_to_mine, before_mine };

/// The host's reduce() of one value a PE, also inscan() and exscan(). The value
/// is passed with the checks, in words: one exchange for each. Each PE combines
/// the values as ReduceWork::run_on_passed().
template <class T, class Op, Combined whose = Combined::all>
class ReduceValue {
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  static constexpr std::size_t n_words =
      (sizeof(T) + word_bytes - 1) / word_bytes;
  using Words = std::array<std::uint64_t, n_words>;

 public:
  ReduceValue(PeTeam const& team, Op const& op) : m_team(team), m_op(op) {}

  /// Collective. \param init of exscan(), else null.
  [[nodiscard]] T operator()(T const& value, T const* init = nullptr) const {
    Observed const observed([] {
      return Operation{OperationKind::collective, name, -1, sizeof(T)};
    });
    Words mine{};
    std::memcpy(mine.data(), &value, sizeof(T));
    if constexpr (n_words == 1) {
      auto const epoch = pass(mine[0]);
      return combined([&](Pe pe) { return Words{word_of(pe, epoch)}; }, init);
    } else {
      std::vector<Words> all;
      auto const failure = failure_of(
          [&] { all.resize(static_cast<std::size_t>(m_team.n_pes())); });
      for (std::size_t i = 0; i < n_words; ++i) {
        auto const epoch = pass(mine[i], failure);
        for (std::size_t pe = 0; pe < all.size(); ++pe)
          all[pe][i] = word_of(static_cast<Pe>(pe), epoch);
      }
      return combined(
          [&](Pe pe) -> auto& { return all[index_of(pe)]; }, init);
    }
  }

 private:
  static constexpr char const* name = whose == Combined::all ? "symm::reduce"
                                      : whose == Combined::up_to_mine
                                          ? "symm::inscan"
                                          : "symm::exscan";

  [[nodiscard]] std::uint64_t pass(
      std::uint64_t word, std::optional<Failure> const& failure = {}) const {
    static std::uint64_t const type = hash_of_name(typeid(ReduceValue).name());
    return pass_to_all(m_team, name, type, word, failure);
  }
  [[nodiscard]] std::uint64_t word_of(Pe pe, std::uint64_t epoch) const {
    auto const words = m_team.words();
    return load_relaxed(words.passed(words.map.my_pe, pe, epoch, 1));
  }
  /// Combines the bytes of the values; T may have no default constructor.
  template <class WordsOf>
  [[nodiscard]] T combined(WordsOf const& words_of, T const* init) const {
    auto const value = [&](Pe pe) {
      Words const words = words_of(pe);
      alignas(T) std::array<std::byte, sizeof(T)> its;
      std::memcpy(its.data(), words.data(), sizeof(T));
      return std::bit_cast<T>(its);
    };
    Pe const end = whose == Combined::all          ? m_team.n_pes()
                   : whose == Combined::up_to_mine ? m_team.my_pe() + 1
                                                   : m_team.my_pe();
    T result     = init == nullptr ? value(0) : *init;
    for (Pe pe = init == nullptr ? 1 : 0; pe < end; ++pe)
      result = static_cast<T>(m_op(result, value(pe)));
    return result;
  }

  PeTeam const& m_team;
  Op const& m_op;
};

}  // namespace symm::Impl

#endif
