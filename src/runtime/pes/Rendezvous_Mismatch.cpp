// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Error messages for calls that differ between PEs and for calls that fail on
// any PE.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "../base/Failure.hpp"
#include "OtherNodes.hpp"
#include "Rendezvous.hpp"

namespace symm::Impl {

/// The latest step's combined records.
Summary Rendezvous::summary() const {
  if (m_across != nullptr) return result().summary;
  Summary all;
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    Record const& pe_record = record(pe, m_sequence);
    all.add(Summary::of(pe, pe_record.call, pe_record.bits,
                        pe_record.has_more_notices != 0));
  }
  return all;
}

/// The answers from the PEs on this node.
PeGroups Rendezvous::answers(Summary const& all, std::string_view host) const {
  auto const question = question_of(all);
  PeGroups groups;
  for (Pe pe = m_first_near; pe < m_end_near; ++pe) {
    Record const& pe_record = record(pe, m_sequence);
    groups.add(pe, pe_record.call,
               answer_of(question, pe_record.call, pe_record.text.data()),
               host);
  }
  return groups;
}

/// The latest step's result, which is the same on every PE.
Outcome Rendezvous::outcome() const {
  if (m_across != nullptr) return result();
  auto const all = summary();
  Outcome outcome;
  conclude(outcome, all, answers(all, ""), m_label);
  return outcome;
}

void Rendezvous::throw_mismatch() {
  auto const found = outcome();
  if (!found.summary.is(Summary::other_trail)) throw_failure(found.failure);
  // The mismatched call to a pool came first and may have caused any other
  // mismatch.
  Text text("mismatched stream-ordered call", trail_difference());
  m_trail.start_anew();
  if (found.failure.kind != ErrorKind::none) {
    text.append(" Found in a collective call that also failed: ",
                found.failure.message);
  } else {
    text.append(" Found in ", found.lowest_words,
                ", which changed nothing on any PE; make the same calls in "
                "the same order on all PEs");
  }
  throw UsageError(text);
}

/// Collective: one step in the comparison of trails. All PEs are in this step,
/// so only the arguments can differ. Returns whether they are equal.
bool Rendezvous::compare(RuntimeCallArguments const& arguments,
                         char const* text) {
  step({.operation = RuntimeCall::compare_trails,
        .arguments = arguments,
        .label     = text});
  return !summary().is(Summary::other_arguments);
}

/// Collective. Returns nullopt if the first difference is older than the calls
/// that all PEs have kept.
std::optional<std::uint64_t> Rendezvous::first_differing_call() {
  compare({m_trail.count(), m_trail.oldest()});
  auto const all             = summary();
  auto low                   = all.highest_second;
  auto high                  = all.lowest_first;
  auto const is_equal_before = [&](std::uint64_t call) {
    return compare({call, m_trail.hash_before(call)});
  };
  if (low > high || !is_equal_before(low)) return std::nullopt;
  if (is_equal_before(high)) return high;  // some PEs made no further calls
  // Invariant: equal before call `low`, different before call `high`.
  while (high - low > 1) {
    auto const middle                      = low + (high - low) / 2;
    (is_equal_before(middle) ? low : high) = middle;
  }
  return low;
}

/// Collective. Describes the first difference between the trails, worded as the
/// end of a sentence.
Text Rendezvous::trail_difference() {
  auto const call = first_differing_call();
  Text label;
  if (!call) {
    label.append("made ", m_trail.count(), " calls");
  } else if (*call < m_trail.count()) {
    label.append("called ", m_trail.text_of(*call));
  } else {
    label.append("made no further call");
  }
  compare(ask_for_labels, label.c_str());
  Text text;
  if (call) {
    text.append(" #", *call + 1, ": ");
  } else {
    text.append(", before the latest ", CallTrail::capacity,
                " calls, the only ones that are kept: ");
  }
  text.append(outcome().failure.message);
  return text;
}

}  // namespace symm::Impl
