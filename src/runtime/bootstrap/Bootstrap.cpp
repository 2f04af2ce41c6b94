// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace symm::Impl {

std::optional<PeFailure> agree(Bootstrap& bootstrap,
                               std::optional<Failure> const& my_failure) {
  struct Report {
    ErrorKind kind = ErrorKind::none;
    char message[512]{};
  };
  Report report;
  if (my_failure) {
    report.kind = my_failure->kind;
    std::string_view(my_failure->message)
        .copy(report.message, sizeof(report.message) - 1);
  }
  // A PE that cannot take part in an agreement cannot notify the others,
  // either.
  try {
    auto const failed = first_to_say(bootstrap, my_failure.has_value());
    if (!failed) return std::nullopt;
    bootstrap.broadcast(&report, sizeof report, *failed);
    return PeFailure{*failed, Failure{report.kind, {report.message}}};
  } catch (...) {
    end_job_alone(bootstrap, "agreement of the PEs");
  }
}

Agree agree_through(Bootstrap& bootstrap) {
  return [&bootstrap](std::optional<Failure> const& my_failure) {
    return agree(bootstrap, my_failure);
  };
}

void end_job_alone(Bootstrap& bootstrap, char const* call) noexcept {
  auto const failure = current_failure();
  std::fprintf(stderr,
               "symm: PE %d: %s: %s; the other PEs cannot be notified. "
               "Ending the job.\n",
               bootstrap.my_pe(), call, failure.message.c_str());
  bootstrap.abort();
  std::abort();  // for the compiler
}

}  // namespace symm::Impl
