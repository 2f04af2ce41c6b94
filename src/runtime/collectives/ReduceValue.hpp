// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_REDUCEVALUE_HPP
#define SYMM_COLLECTIVES_REDUCEVALUE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/NameHash.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../teams/PassedSources.hpp"
#include "../teams/PeTeam.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveRun.hpp"
#include "Combine.hpp"

namespace symm::Impl {

/// Selects the PEs whose values are combined in a PE's result.
enum class Combined { all, up_to_mine, before_mine };

/// reduce(), inscan() and exscan() on the host, with one value per PE. The
/// value is piggybacked on the checks, with one exchange per word.
template <class T, class Op, Combined whose = Combined::all>
class ReduceValue {
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  static constexpr std::size_t n_words =
      (sizeof(T) + word_bytes - 1) / word_bytes;
  using Words = std::array<std::uint64_t, n_words>;

 public:
  ReduceValue(PeTeam const& team, Op const& op) : m_team(team), m_op(op) {}

  /// Collective.
  /// \param init The initial value for exscan(); otherwise null.
  [[nodiscard]] T operator()(T const& value, T const* init = nullptr) const {
    Observed const observed([] {
      return Operation{OperationKind::collective, name, -1, sizeof(T)};
    });
    Words mine{};
    std::memcpy(mine.data(), &value, sizeof(T));
    if constexpr (n_words == 1) {
      return combined(pass(mine[0]), init);
    } else {
      std::vector<Words> all;
      auto const failure =
          failure_of([&] { all.resize(index_of(m_team.n_pes())); });
      for (std::size_t i = 0; i < n_words; ++i) {
        auto const words = pass(mine[i], failure);
        for (Pe pe = 0; pe < m_team.n_pes(); ++pe)
          all[index_of(pe)][i] = words.template elements<std::uint64_t>(pe)[0];
      }
      return combined(PassedSources::in_order(all.data(), sizeof(Words)), init);
    }
  }

 private:
  static constexpr char const* name = whose == Combined::all ? "symm::reduce"
                                      : whose == Combined::up_to_mine
                                          ? "symm::inscan"
                                          : "symm::exscan";

  /// Exchanges a word and returns the word from each PE.
  [[nodiscard]] PassedSources pass(
      std::uint64_t word, std::optional<Failure> const& failure = {}) const {
    constexpr std::uint64_t type = hash_of_type<ReduceValue>();
    auto const epoch = pass_to_all(m_team, name, type, word, failure);
    auto const words = m_team.words();
    return PassedSources::in_order(words.passed(words.map.my_pe, 0, epoch, 1),
                                   2 * word_bytes);
  }
  [[nodiscard]] T combined(PassedSources const& values, T const* init) const {
    Pe const end = whose == Combined::all          ? m_team.n_pes()
                   : whose == Combined::up_to_mine ? m_team.my_pe() + 1
                                                   : m_team.my_pe();
    // T may not have a default constructor.
    alignas(T) std::array<std::byte, sizeof(T)> memory;
    auto* const result = reinterpret_cast<T*>(memory.data());
    combine_passed(result, 1, m_op, end, values, init);
    return *result;
  }

  PeTeam const& m_team;
  Op const& m_op;
};

}  // namespace symm::Impl

#endif
