// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_OUTCOME_HPP
#define SYMM_PES_OUTCOME_HPP

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "Combination.hpp"
#include "PeGroups.hpp"

namespace symm::Impl {

/// A question to all PEs. The answers explain the error of a step.
enum class Question : std::uint8_t { none, calls, failures, labels };

Question question_of(Summary const& summary);

/// A PE's answer to the question; empty if the PE has none.
/// \param text the text of the PE's record: the failure, or otherwise the
///        label.
[[nodiscard]] Text answer_of(Question question, ComparedCall const& call,
                             char const* text);

/// The result of a step, equal on all PEs.
struct Outcome {
  Summary summary{};
  // The answer of the lowest PE that has one.
  Pe lowest_pe             = 0;
  ErrorKind lowest_failure = ErrorKind::none;
  PeGroups::Words lowest_words;
  /// The failure that all PEs throw, unless the trails differ; the list of
  /// labels, if the question was for them.
  Failure failure;
};

/// Sets `outcome` to the result of a step.
/// \param groups the answers of all PEs.
/// \param text   the text of the call that PEs have made, if it is an
///        ObjectCall.
void conclude(Outcome& outcome, Summary const& summary, PeGroups const& groups,
              char const* text = "");

/// The arguments of the step of compare_trails that exchanges labels.
inline constexpr RuntimeCallArguments ask_for_labels{0, 0, 1};

}  // namespace symm::Impl

#endif
