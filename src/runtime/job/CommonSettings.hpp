// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_COMMON_SETTINGS_HPP
#define SYMM_JOB_COMMON_SETTINGS_HPP

#include <array>
#include <cstddef>

#include "../base/Text.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

/// A setting whose value must be the same on all PEs.
struct CommonSetting {
  char const* name;
  std::size_t value;
};

/// Compares all settings in one collective step.
/// \throws UsageError on every PE if any setting differs.
template <std::size_t n>
void check_equal(Bootstrap& bootstrap, CommonSetting const (&settings)[n]) {
  std::array<std::size_t, n> mine{};
  for (std::size_t i = 0; i < n; ++i) mine[i] = settings[i].value;
  auto const other = difference_of(bootstrap, mine);
  if (!other) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (other->value[i] == other->of_first[i]) continue;
    throw UsageError(Text("symm::initialize: ", settings[i].name,
                          " differs between PEs: ", other->of_first[i],
                          " on PE 0, ", other->value[i], " on PE ", other->pe,
                          "; start all PEs with the same value"));
  }
}

}  // namespace symm::Impl

#endif
