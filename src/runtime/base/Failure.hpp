// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FAILURE_HPP
#define SYMM_FAILURE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../symm_errors.hpp"
#include "Text.hpp"

namespace symm::Impl {

/// Identifies an exception class by a number that PEs can send to each other.
enum class ErrorKind : std::uint32_t { none, usage, out_of_memory, system };

/// The reason why a PE could not complete its part of a collective call.
struct Failure {
  ErrorKind kind = ErrorKind::none;
  Text message;
};

/// Throws an exception of the class identified by `failure.kind`.
[[noreturn]] void throw_failure(Failure const& failure);

/// Converts the exception that is being handled to a Failure. Call only inside
/// a catch block.
Failure current_failure() noexcept;

/// Runs `step`. Returns nullopt if it succeeded, and the failure otherwise.
/// This is the first step of "catch locally, agree, undo, throw". Allocates no
/// memory.
template <class Step>
std::optional<Failure> failure_of(Step&& step) noexcept {
  try {
    step();
    return std::nullopt;
  } catch (...) {
    return current_failure();
  }
}

/// Returns `address` as "0x...", for error messages.
std::string address_text(void const* address);

/// Returns "<bytes> bytes", for error messages.
inline std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + " bytes";
}

}  // namespace symm::Impl

#endif
