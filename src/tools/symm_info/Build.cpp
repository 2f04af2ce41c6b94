// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <symm_info_build.hpp>

#include "../../runtime/bootstrap/JobStart.hpp"
#include "../../runtime/job/Job.hpp"
#include "../../runtime/symm_errors.hpp"
#include "Sections.hpp"

namespace symm_info {

namespace {

Value start() {
  try {
    return text(symm::Impl::job_start().name());
  } catch (symm::UsageError const& error) {
    return nothing(error.what());
  }
}

}  // namespace

Section build() {
  Facts facts;
  facts.emplace_back("version", text(SYMM_INFO_VERSION));
  facts.emplace_back("compiler", text(SYMM_INFO_COMPILER));
  facts.emplace_back("build_type", text(SYMM_INFO_BUILD_TYPE));
  facts.emplace_back("kokkos", text(SYMM_INFO_KOKKOS));
  facts.emplace_back(
      "mpi", *SYMM_INFO_MPI != '\0' ? text(SYMM_INFO_MPI) : nothing("none"));
  facts.emplace_back("gpu_support", text(SYMM_INFO_GPU));
  facts.emplace_back("bootstrap", start());
  facts.emplace_back("memory", text("host (memfd)" SYMM_INFO_MEMORY));
  return {"build", false, {facts}};
}

}  // namespace symm_info
