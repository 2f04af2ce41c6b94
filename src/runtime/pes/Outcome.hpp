// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_OUTCOME_HPP
#define SYMM_PES_OUTCOME_HPP

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "Combination.hpp"
#include "PeGroups.hpp"

namespace symm::Impl {

/// The question that all PEs answer after a step has failed. The answers
/// explain the error.
enum class Question : std::uint8_t { none, calls, failures, labels };

Question question_of(Summary const& summary);

/// A PE's answer to the question; empty if the PE has none.
/// \param text The text in the PE's record: the failure or, if there is none,
///        the label.
[[nodiscard]] Text answer_of(Question question, ComparedCall const& call,
                             char const* text);

/// A step's result, which is the same on all PEs.
struct Outcome {
  Summary summary{};
  // The lowest-numbered PE that gave an answer and that answer.
  Pe lowest_pe             = 0;
  ErrorKind lowest_failure = ErrorKind::none;
  PeGroups::Words lowest_words;
  /// The failure that all PEs throw unless the trails differ. For
  /// Question::labels, the message is the list of labels.
  Failure failure;
};

/// Sets `outcome` to a step's result.
/// \param groups All PEs' answers.
/// \param text The call's text if the PEs made an ObjectCall.
void conclude(Outcome& outcome, Summary const& summary, PeGroups const& groups,
              char const* text = "");

/// The arguments of the compare_trails step that exchanges labels.
inline constexpr RuntimeCallArguments ask_for_labels{0, 0, 1};

}  // namespace symm::Impl

#endif
