// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Outcome.hpp"

namespace symm::Impl {

namespace {

Failure difference(PeGroups const& groups) {
  Failure failure{ErrorKind::usage, {"mismatched collective call: "}};
  auto& text            = failure.message;
  char const* separator = "";
  char const* advice    = "";
  for (auto const& group : groups.groups()) {
    text.append(separator, group.names(), " called ", group.words);
    separator = "; ";
    if (*advice == '\0') advice = advice_for(group.operation);
  }
  text.append(groups.others(),
              ". Nothing was changed on any PE; make the same call with equal "
              "arguments on all PEs",
              advice, groups.hosts());
  return failure;
}

Failure failures(PeGroups const& groups, ComparedCall const& call,
                 char const* text_of_object) {
  Failure failure;
  auto& text           = failure.message;
  bool const is_object = call.operation == RuntimeCall::object;
  text.append(to_string(call.operation, call.arguments,
                        is_object ? text_of_object : "", call.memory),
              " failed:");
  for (auto const& group : groups.groups()) {
    if (failure.kind == ErrorKind::none) failure.kind = group.failure;
    text.append(" on ", group.names(), ": ", group.words, ";");
  }
  text.append(groups.others(), groups.others().empty() ? "" : ";",
              " nothing was changed on any PE", groups.hosts());
  return failure;
}

Text list(PeGroups const& groups) {
  Text text;
  char const* separator = "";
  for (auto const& group : groups.groups()) {
    text.append(separator, group.names(), " ", group.words);
    separator = "; ";
  }
  text.append(groups.others(), ".", groups.hosts());
  return text;
}

}  // namespace

Question question_of(Summary const& summary) {
  if (summary.is(Summary::other_operation)) return Question::calls;
  // Failures take precedence over differences, because a failure may have
  // caused a difference.
  if (summary.is(Summary::has_failed)) return Question::failures;
  if (summary.call.operation == RuntimeCall::compare_trails) {
    bool const asks = summary.call.arguments == ask_for_labels;
    return asks ? Question::labels : Question::none;
  }
  bool const is_different =
      summary.is(Summary::other_arguments | Summary::other_trail);
  return is_different ? Question::calls : Question::none;
}

Text answer_of(Question question, ComparedCall const& call, char const* text) {
  bool const has_failed = call.failure != ErrorKind::none;
  switch (question) {
    case Question::calls:
      if (has_failed && call.operation == RuntimeCall::object)
        return Text("a call that failed there (", text, ")");
      return to_string(call.operation, call.arguments, has_failed ? "" : text,
                       call.memory);
    case Question::failures: return has_failed ? text : "";
    case Question::labels: return text;
    default: return {};
  }
}

void conclude(Outcome& outcome, Summary const& summary, PeGroups const& groups,
              char const* text) {
  outcome.summary        = summary;
  outcome.lowest_failure = ErrorKind::none;
  outcome.failure.kind   = ErrorKind::none;
  auto const question    = question_of(summary);
  if (groups.groups().empty()) return;
  auto const& lowest     = groups.groups().front();
  outcome.lowest_pe      = lowest.pes[0];
  outcome.lowest_failure = lowest.failure;
  outcome.lowest_words   = lowest.words;
  if (question == Question::failures) {
    outcome.failure = failures(groups, summary.call, text);
  } else if (question == Question::labels) {
    outcome.failure.message = list(groups);
  } else if (summary.is(Summary::other_operation | Summary::other_arguments)) {
    outcome.failure = difference(groups);
  }
}

}  // namespace symm::Impl
