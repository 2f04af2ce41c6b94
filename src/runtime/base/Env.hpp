// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_ENV_HPP
#define SYMM_ENV_HPP

#include <cstddef>
#include <initializer_list>
#include <optional>

#include "Types.hpp"

namespace symm::Impl {

/// Readers of environment variables. Each takes names in order of precedence
/// and reads the first one that is set and not empty; junk is an error that
/// names the variable, its value and what it accepts.

/// A number of bytes: digits, optionally a fraction, and one of the units B, K,
/// M, G, T (or KB, KiB, ...; powers of 1024; either case): `512M`, `1.5G`.
/// \throws UsageError on this PE.
std::optional<std::size_t> env_bytes(std::initializer_list<char const*> names);

/// 1, true, yes, on or 0, false, no, off (either case).
/// \throws UsageError on this PE.
std::optional<bool> env_flag(std::initializer_list<char const*> names);

/// A number of seconds, at least 0: `30`, `0.5`.
/// \throws UsageError on this PE.
std::optional<double> env_seconds(std::initializer_list<char const*> names);

}  // namespace symm::Impl

#endif
