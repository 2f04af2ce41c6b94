// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/LastError.hpp"

#include "../runtime/Text.hpp"

namespace symm {

namespace {

thread_local Text t_last_error;

}  // namespace

char const* last_error() noexcept { return t_last_error.c_str(); }

void clear_last_error() noexcept { t_last_error.clear(); }

ErrorKind note_last_error() noexcept {
  auto const failure = current_failure();
  t_last_error       = failure.message;
  return failure.kind;
}

}  // namespace symm
