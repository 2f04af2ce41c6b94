// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "OtherLauncher.hpp"

#include <cstdlib>
#include <utility>

#include "../base/Env.hpp"

namespace symm::Impl {

namespace {

/// The number in a launcher's environment variable; 0 if the variable is unset
/// or does not contain a number.
int number_of(char const* variable) {
  auto const setting =
      setting_of({.names = {variable}, .type = VariableType::text});
  return setting ? std::atoi(setting->text.data()) : 0;
}

}  // namespace

std::optional<OtherLauncher> other_launcher() {
  for (auto const& [size_of_job, rank] :
       {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
        std::pair("PMI_SIZE", "PMI_RANK")}) {
    int const started = number_of(size_of_job);
    if (started > 1 && number_of(rank) == 0)
      return OtherLauncher{started, size_of_job};
  }
  return std::nullopt;
}

}  // namespace symm::Impl
