// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/Bootstrap.hpp"

#include <algorithm>

namespace symm {

std::optional<PeFailure> agree(Bootstrap& bootstrap,
                               std::optional<Failure> const& mine) {
  struct Report {
    ErrorKind kind = ErrorKind::none;
    char message[512]{};
  };
  Report report;
  if (mine) {
    report.kind = mine->kind;
    mine->message.copy(report.message, sizeof(report.message) - 1);
  }
  auto const reports = allgather(bootstrap, report);
  auto const failed =
      std::find_if(reports.begin(), reports.end(),
                   [](Report const& r) { return r.kind != ErrorKind::none; });
  if (failed == reports.end()) return std::nullopt;
  return PeFailure{static_cast<Pe>(failed - reports.begin()),
                   Failure{failed->kind, failed->message}};
}

Agree agree_through(Bootstrap& bootstrap) {
  return [&bootstrap](std::optional<Failure> const& mine) {
    return agree(bootstrap, mine);
  };
}

void all_or_none(Agree const& agree, std::string const& what,
                 std::function<void()> const& step,
                 std::function<void()> const& undo) {
  auto const mine   = failure_of(step);
  auto const failed = agree(mine);
  if (!failed) return;
  if (!mine && undo) undo();
  throw_failure(
      {failed->failure.kind, what + ": PE " + std::to_string(failed->pe) +
                                 " failed: " + failed->failure.message});
}

}  // namespace symm
