// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_OUTCOME_HPP
#define SYMM_PES_OUTCOME_HPP

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "Combination.hpp"
#include "PeGroups.hpp"

namespace symm::Impl {

/// What must be known of all PEs to say what was wrong in a step.
enum class Question : std::uint8_t { none, calls, failures, labels };

Question question_of(Summary const& summary);

/// What a PE has to say to the question; empty: nothing.
/// \param text of its record: its failure, or else its label.
[[nodiscard]] Text answer_of(Question question, ComparedCall const& call,
                             char const* text);

/// What came of a step that all PEs must know the same of.
struct Outcome {
  Summary summary{};
  // Of the lowest PE that had an answer.
  Pe lowest_pe             = 0;
  ErrorKind lowest_failure = ErrorKind::none;
  PeGroups::Words lowest_words;
  /// What is wrong, for all PEs to throw, but for the trail; the list of
  /// labels, where they are asked for.
  Failure failure;
};

/// \param groups the answers of all PEs.
void conclude(Outcome& outcome, Summary const& summary, PeGroups const& groups);

/// The arguments of the step of compare_trails that exchanges labels.
inline constexpr RuntimeCallArguments ask_for_labels{0, 0, 1};

}  // namespace symm::Impl

#endif
