// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace symm::Impl {

std::optional<PeFailure> agree(Bootstrap& bootstrap,
                               std::optional<Failure> const& mine) {
  struct Report {
    ErrorKind kind = ErrorKind::none;
    char message[512]{};
  };
  Report report;
  if (mine) {
    report.kind = mine->kind;
    std::string_view(mine->message)
        .copy(report.message, sizeof(report.message) - 1);
  }
  // Whoever cannot take part in an agreement cannot tell the others so.
  std::vector<Report> reports;
  try {
    reports = allgather(bootstrap, report);
  } catch (...) {
    end_job_alone(bootstrap, "agreement of the PEs");
  }
  auto const failed =
      std::find_if(reports.begin(), reports.end(),
                   [](Report const& r) { return r.kind != ErrorKind::none; });
  if (failed == reports.end()) return std::nullopt;
  return PeFailure{static_cast<Pe>(failed - reports.begin()),
                   Failure{failed->kind, {failed->message}}};
}

Agree agree_through(Bootstrap& bootstrap) {
  return [&bootstrap](std::optional<Failure> const& mine) {
    return agree(bootstrap, mine);
  };
}

void end_job_alone(Bootstrap& bootstrap, char const* call) noexcept {
  auto const failure = current_failure();
  std::fprintf(stderr,
               "symm: PE %d: %s: %s, where the other PEs cannot hear of it. "
               "Ending the job.\n",
               bootstrap.my_pe(), call, failure.message.c_str());
  bootstrap.abort();
  std::abort();  // for the compiler
}

}  // namespace symm::Impl
