// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/LastError.hpp"

#include <string>

namespace symm {

namespace {

thread_local std::string t_last_error;

}  // namespace

char const* last_error() noexcept { return t_last_error.c_str(); }

ErrorKind run_noting_failure(std::function<void()> const& body) noexcept {
  auto failure = failure_of(body);
  if (!failure) {
    t_last_error.clear();
    return ErrorKind::none;
  }
  t_last_error = std::move(failure->message);
  return failure->kind;
}

}  // namespace symm
