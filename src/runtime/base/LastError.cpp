// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "LastError.hpp"

#include <array>
#include <string_view>

#include "Text.hpp"

namespace symm::Impl {

namespace {

// No Text: calls that succeed would look whether it is constructed.
constinit thread_local std::array<char, sizeof(Text)> t_last_error{};

}  // namespace

void clear_last_error() noexcept { t_last_error[0] = '\0'; }

ErrorKind note_last_error() noexcept {
  auto const failure = current_failure();
  std::string_view const text(failure.message);
  t_last_error[text.copy(t_last_error.data(), t_last_error.size() - 1)] = '\0';
  return failure.kind;
}

}  // namespace symm::Impl

char const* symm::last_error() noexcept { return Impl::t_last_error.data(); }
