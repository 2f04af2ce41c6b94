// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What is wrong where not all PEs have made the same calls, or one has failed.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "../base/Failure.hpp"
#include "Rendezvous.hpp"

namespace symm::Impl {

namespace {

/// Calls say(pes, first) for every set of PEs that are equal, with their names
/// and the lowest of them. One that does not equal itself is in none.
template <class AreEqual, class Say>
void for_equal_pes(int n_pes, AreEqual const& are_equal, Say const& say) {
  for (Pe first = 0; first < n_pes; ++first) {
    Pe lowest = 0;
    while (lowest < first && !are_equal(lowest, first)) ++lowest;
    if (lowest < first || !are_equal(first, first)) continue;
    Text numbers;
    int count = 0;
    for (Pe pe = first; pe < n_pes; ++pe) {
      if (!are_equal(first, pe)) continue;
      numbers.append(count == 0 ? "" : ", ", pe);
      ++count;
    }
    say(Text(count == 1 ? "PE " : "PEs ", numbers), first);
  }
}

}  // namespace

void Rendezvous::throw_mismatch() {
  // All that follows from the records is the same on every PE.
  auto const wrong    = mismatch();
  auto const& mine    = record(m_my_pe, m_sequence).call;
  bool is_trail_equal = true;
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    is_trail_equal =
        is_trail_equal && record(pe, m_sequence).call.trail == mine.trail;
  }
  if (is_trail_equal) throw_failure(*wrong);
  // It came first, and may be what made the rest.
  Text const found = call_of(record(0, m_sequence));
  Text text        = trail_difference();
  m_trail.start_anew();
  if (wrong) {
    text.append("Found in a collective call that went wrong itself: ",
                wrong->message);
  } else {
    text.append("Found in ", found,
                ", which did nothing on any PE; make the same calls in the "
                "same order on all PEs");
  }
  throw UsageError(text);
}

std::optional<Failure> Rendezvous::mismatch() const {
  auto const& mine    = record(m_my_pe, m_sequence).call;
  bool same_operation = true;
  bool same           = true;
  bool failed         = false;
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    auto const& other = record(pe, m_sequence).call;
    same_operation    = same_operation && other.operation == mine.operation;
    same              = same && other.memory == mine.memory &&
           other.arguments == mine.arguments;
    failed = failed || other.failure != ErrorKind::none;
  }
  if (!same_operation) return difference();
  // Before a difference: it may be what makes one.
  if (failed) return failures();
  if (!same) return difference();
  return std::nullopt;
}

Failure Rendezvous::difference() const {
  Failure failure{ErrorKind::usage, {"mismatched collective call: "}};
  auto& text            = failure.message;
  char const* separator = "";
  char const* advice    = "";
  for_equal_pes(
      m_n_pes,
      [&](Pe a, Pe b) {
        return call_of(record(a, m_sequence)) == call_of(record(b, m_sequence));
      },
      [&](Text const& pes, Pe first) {
        Record const& its = record(first, m_sequence);
        text.append(separator, pes, " called ", call_of(its));
        separator = "; ";
        if (*advice == '\0') advice = advice_for(its.call.operation);
      });
  text.append(
      ". Nothing was changed on any PE; make the same call with equal "
      "arguments on all PEs",
      advice);
  return failure;
}

Failure Rendezvous::failures() const {
  auto const& mine = record(m_my_pe, m_sequence).call;
  Failure failure;
  failure.message.append(
      to_string(mine.operation, mine.arguments, "", mine.memory), " failed:");
  for_equal_pes(
      m_n_pes,
      [&](Pe a, Pe b) {
        Record const& one   = record(a, m_sequence);
        Record const& other = record(b, m_sequence);
        return one.call.failure != ErrorKind::none &&
               other.call.failure != ErrorKind::none &&
               std::string_view(one.text.data()) == other.text.data();
      },
      [&](Text const& pes, Pe first) {
        Record const& its = record(first, m_sequence);
        if (failure.kind == ErrorKind::none) failure.kind = its.call.failure;
        failure.message.append(" on ", pes, ": ", its.text.data(), ";");
      });
  failure.message.append(" nothing was changed on any PE");
  return failure;
}

/// Collective: publishes a step of the comparison of trails. All PEs are in
/// it, so nothing but the arguments can differ; returns whether they do not.
bool Rendezvous::compare(RuntimeCallArguments const& mine, char const* text) {
  publish({.operation = RuntimeCall::compare_trails,
           .arguments = mine,
           .label     = text});
  wait_for_all();
  bool is_equal = true;
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    is_equal = is_equal && record(pe, m_sequence).call.arguments == mine;
  }
  return is_equal;
}

/// Collective. None if it is older than what is kept on all PEs.
std::optional<std::uint64_t> Rendezvous::first_differing_call() {
  compare({m_trail.count(), m_trail.oldest()});
  auto low  = m_trail.oldest();
  auto high = m_trail.count();
  for (Pe pe = 0; pe < m_n_pes; ++pe) {
    auto const [count, oldest, unused] = record(pe, m_sequence).call.arguments;
    low                                = std::max(low, oldest);
    high                               = std::min(high, count);
  }
  auto const is_equal_before = [&](std::uint64_t call) {
    return compare({call, m_trail.hash_before(call)});
  };
  if (low > high || !is_equal_before(low)) return std::nullopt;
  if (is_equal_before(high)) return high;  // and some PEs have made no more
  // Equal before `low`, different before `high`.
  while (high - low > 1) {
    auto const middle                      = low + (high - low) / 2;
    (is_equal_before(middle) ? low : high) = middle;
  }
  return low;
}

/// Collective: what the trails differ in, as sentences.
Text Rendezvous::trail_difference() {
  auto const call = first_differing_call();
  Text mine;
  if (!call) {
    mine.append("made ", m_trail.count(), " calls");
  } else if (*call < m_trail.count()) {
    mine.append("called ", m_trail.text_of(*call));
  } else {
    mine.append("made no further call");
  }
  compare({}, mine.c_str());
  Text text("mismatched stream-ordered call");
  if (call) {
    text.append(" #", *call + 1, ": ");
  } else {
    text.append(", before the latest ", CallTrail::capacity,
                ", which alone are kept: ");
  }
  char const* separator = "";
  for_equal_pes(
      m_n_pes,
      [&](Pe a, Pe b) {
        return std::string_view(record(a, m_sequence).text.data()) ==
               record(b, m_sequence).text.data();
      },
      [&](Text const& pes, Pe first) {
        text.append(separator, pes, " ", record(first, m_sequence).text.data());
        separator = "; ";
      });
  text.append(". ");
  return text;
}

}  // namespace symm::Impl
