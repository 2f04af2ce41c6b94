// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/LastError.hpp"

#include <string>
#include <utility>

namespace symm {

namespace {

thread_local std::string t_last_error;

}  // namespace

char const* last_error() noexcept { return t_last_error.c_str(); }

void clear_last_error() noexcept { t_last_error.clear(); }

ErrorKind note_last_error() noexcept {
  try {
    auto failure = current_failure();
    t_last_error = std::move(failure.message);
    return failure.kind;
  } catch (...) {
    // No memory for the text. This one needs none.
    t_last_error = "no memory";
    return ErrorKind::out_of_memory;
  }
}

}  // namespace symm
