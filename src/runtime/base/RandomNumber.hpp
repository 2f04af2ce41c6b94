// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RANDOM_NUMBER_HPP
#define SYMM_RANDOM_NUMBER_HPP

#include <sys/random.h>

#include <cerrno>
#include <cstdint>

#include "../symm_errors.hpp"
#include "Interrupted.hpp"

namespace symm::Impl {

/// Returns a random number that is unique to this job and cannot be guessed.
/// \throws SystemError on this PE.
[[nodiscard]] inline std::uint64_t draw_number() {
  std::uint64_t number = 0;
  if (uninterrupted([&] { return ::getrandom(&number, sizeof number, 0); }) !=
      static_cast<ssize_t>(sizeof number)) {
    throw SystemError("cannot generate a random number for the job",
                      "getrandom", errno);
  }
  return number;
}

}  // namespace symm::Impl

#endif
