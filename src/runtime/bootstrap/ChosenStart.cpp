// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ChosenStart.hpp"

#include "../base/EnvironmentTable.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "Bootstrap_Alone.hpp"
#include "Bootstrap_Mpi.hpp"
#include "Bootstrap_Pmix.hpp"
#include "Bootstrap_Tcp.hpp"

namespace symm::Impl {

namespace {

#ifdef SYMM_HAS_MPI
constexpr bool has_mpi = true;
JobStart* mpi_start() { return &start_by_mpi(); }
#else
constexpr bool has_mpi = false;
JobStart* mpi_start() { return nullptr; }
#endif

#ifdef SYMM_HAS_PMIX
JobStart* pmix_start() { return &start_by_pmix(); }
bool is_pmix_there() { return is_pmix_offered(); }
#else
JobStart* pmix_start() { return nullptr; }
bool is_pmix_there() { return false; }
#endif

JobStart& start_or_refuse(JobStart* start, char const* name,
                          char const* option) {
  if (start != nullptr) return *start;
  throw UsageError(Text("symm::initialize: SYMM_START=", name,
                        ": this library was built without it (", option,
                        "); unset SYMM_START, or set it to tcp"));
}

}  // namespace

JobStart& chosen_start() {
  auto const asked = setting_of(environment::start);
  if (!asked) {
    if (is_tcp_asked_for()) return start_by_tcp();
    if (has_mpi) return *mpi_start();
    return is_pmix_there() ? *pmix_start() : start_alone();
  }
  if (asked->text == "tcp") return start_by_tcp();
  if (asked->text == "mpi")
    return start_or_refuse(mpi_start(), "mpi", "SYMM_ENABLE_MPI");
  if (asked->text == "pmix")
    return start_or_refuse(pmix_start(), "pmix", "SYMM_ENABLE_PMIX");
  throw UsageError(Text("symm::initialize: SYMM_START=", asked->text,
                        ": it must be mpi, tcp or pmix"));
}

}  // namespace symm::Impl
