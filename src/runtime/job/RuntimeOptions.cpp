// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Reads a runtime's options from the environment.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "../base/Env.hpp"
#include "../base/EnvironmentTable.hpp"
#include "../symm_errors.hpp"
#include "Runtime.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t gib = std::size_t{1} << 30U;

/// The size of a static heap if SYMM_SYMMETRIC_SIZE is not set.
constexpr std::size_t default_static_bytes = gib;

/// Reserved addresses occupy no memory, so a PE's heap can be large. However,
/// all near PEs' parts must fit in a single address space (128 TiB on x86-64),
/// together with the program.
constexpr std::size_t addresses_to_use = 32'768 * gib;

}  // namespace

RuntimeOptions RuntimeOptions::from_environment(int n_near) {
  RuntimeOptions options;
  auto const is_default = [](EnvironmentVariable const& variable) {
    return setting_of(variable).value().is_default;
  };
  options.is_static       = env_flag(environment::static_heap).value();
  options.symmetric_bytes = env_bytes(environment::symmetric_size).value();
  if (options.is_static && is_default(environment::symmetric_size)) {
    options.symmetric_bytes = default_static_bytes;
  }
  options.limit_bytes = env_bytes(environment::heap_limit).value();
  if (is_default(environment::heap_limit)) {
    auto const share =
        std::bit_floor(addresses_to_use / static_cast<std::size_t>(n_near));
    options.limit_bytes = std::min(options.limit_bytes, share);
  }
  if (options.limit_bytes == 0) {
    throw UsageError("SYMM_HEAP_LIMIT=0: expected a size above 0");
  }
  if (options.is_static && options.symmetric_bytes == 0) {
    throw UsageError(
        "SYMM_SYMMETRIC_SIZE=0: a static heap (SYMM_STATIC_HEAP) needs a size "
        "above 0");
  }
  options.huge_pages = env_pages(environment::huge_pages).value();
  options.timeout =
      std::chrono::duration<double>(env_seconds(environment::timeout).value());
  auto const trace = setting_of(environment::trace);
  options.traces   = trace && !trace->text.empty();
  return options;
}

}  // namespace symm::Impl
