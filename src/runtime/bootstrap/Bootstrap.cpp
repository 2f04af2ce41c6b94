// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap.hpp"

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
  // A PE that cannot take part in an agreement cannot notify the others either.
  try {
    auto const failed = first_to_say(bootstrap, mine.has_value());
    if (!failed) return std::nullopt;
    bootstrap.broadcast(&report, sizeof report, *failed);
    return PeFailure{*failed, Failure{report.kind, {report.message}}};
  } catch (...) {
    end_job_alone(bootstrap, "agreement of the PEs");
  }
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
