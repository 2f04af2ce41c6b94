// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "LastError.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include "../base/Text.hpp"

namespace symm {

namespace Impl {

namespace {

// An array needs no constructor. With a thread_local Text, every call would
// first have to check whether the Text has been constructed.
constinit thread_local std::array<char, sizeof(Text)> t_last_error{};

}  // namespace

ErrorKind note_last_error() noexcept {
  auto const failure = current_failure();
  std::string_view const text(failure.message);
  t_last_error[text.copy(t_last_error.data(), t_last_error.size() - 1)] = '\0';
  return failure.kind;
}

void clear_last_error() noexcept { t_last_error[0] = '\0'; }

void print_last_error() noexcept {
  std::fprintf(stderr, "symm: %s\n", last_error());
}

Status status_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::none: return Status::success;
    case ErrorKind::usage: return Status::invalid_value;
    case ErrorKind::out_of_memory: return Status::out_of_memory;
    default: return Status::internal;
  }
}

}  // namespace Impl

char const* last_error() noexcept { return Impl::t_last_error.data(); }

}  // namespace symm
