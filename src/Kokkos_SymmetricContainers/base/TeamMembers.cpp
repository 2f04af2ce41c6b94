// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TeamMembers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"

namespace symm::Impl {

namespace {

// Kinds of the collective calls in which the PEs of a PE team exchange
// failures.
constexpr std::uint64_t kind_of_first = 0x6661'696c'0000'0000;
constexpr std::uint64_t kind_of_text  = 0x6661'696c'0000'0001;

}  // namespace

void TeamMembers::agree(ObjectCall const& call,
                        std::optional<Failure> const& failure) const {
  if (m_is_world) {
    Impl::agree(call, failure);
    return;
  }
  if (n() == 0) {
    throw UsageError(Text(call.text, ": PE ", my_pe(),
                          " is not in the PE team that created it"));
  }
  // (Impl::agree() does this for the world.)
  quiet_all_contexts(call.text);
  WordsOfPes const words(m_team, call.text,
                         call.key() ^ (call.value * 0x9e37'79b9'7f4a'7c15U),
                         failure ? 1 : 0);
  for (Pe k = 0; k < n(); ++k)
    if (words.of(k) != 0) throw_failure_of(k, call.text, failure);
}

void TeamMembers::expect_to_fit(char const* call) const {
  std::uint64_t hash = 0;
  for (Pe k = 0; k < n(); ++k) {
    hash = (hash ^ static_cast<std::uint64_t>(world_pe(k) + 1)) *
           0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 31U;
  }
  auto const n_members = static_cast<std::uint64_t>(n());
  auto const mine      = (me() == 0 ? n_members * hash : 0) - hash;
  if (reduce(team_world(), mine, Sum{}) == 0) return;
  throw UsageError(
      Text(call,
           ": the PE teams do not match; pass the PE team on all of its PEs, "
           "and on other PEs PeTeam() or a team without these PEs"));
}

void TeamMembers::throw_first_failure(
    char const* call, std::optional<Failure> const& failure) const {
  if (m_is_world) Impl::throw_first_failure(call, failure);
  Pe first = 0;
  {
    WordsOfPes const words(m_team, call, kind_of_first, failure ? 1 : 0);
    while (first < n() - 1 && words.of(first) == 0) ++first;
  }
  throw_failure_of(first, call, failure);
}

/// Exchanges the text word by word, without allocating memory: a PE may have
/// failed because it ran out of memory.
void TeamMembers::throw_failure_of(
    Pe member, char const* call,
    std::optional<Failure> const& my_failure) const {
  constexpr std::size_t n_words = 64;
  std::array<char, n_words * sizeof(std::uint64_t)> text{};
  std::uint64_t kind =
      my_failure ? static_cast<std::uint64_t>(my_failure->kind) : 0;
  if (my_failure) {
    Text const message           = without_call(my_failure->message, call);
    std::string_view const chars = message;
    std::copy_n(chars.data(), std::min(chars.size(), text.size() - 1),
                text.data());
  }
  kind = WordsOfPes(m_team, call, kind_of_text, kind).of(member);
  for (std::size_t k = 0; k < n_words; ++k) {
    auto* const at     = text.data() + k * sizeof(std::uint64_t);
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    word = WordsOfPes(m_team, call, kind_of_text + 1 + k, word).of(member);
    std::memcpy(at, &word, sizeof word);
  }
  throw_failure({static_cast<ErrorKind>(kind),
                 Text(call, ": PE ", world_pe(member), ": ", text.data())});
}

}  // namespace symm::Impl
