// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_PE_NUMBERS_HPP
#define SYMM_BASE_PE_NUMBERS_HPP

#include <concepts>
#include <string_view>

#include "../symm_errors.hpp"
#include "Text.hpp"

namespace symm::Impl {

// Checks of the PE numbers that a program passes, and the corresponding error
// messages.

/// Returns the text "invalid PE 7; PEs are 0 to 3".
/// \param where text to insert after the PE number, such as " in the PE team".
[[nodiscard]] Text text_of_no_pe(std::integral auto pe,
                                 std::integral auto n_pes,
                                 std::string_view where = {}) {
  return Text("invalid PE ", pe, where, "; PEs are 0 to ", n_pes - 1);
}

/// \param call the beginning of the error message.
/// \throws UsageError on this PE.
[[noreturn, gnu::cold]] void throw_no_pe(std::integral auto pe,
                                         std::integral auto n_pes,
                                         std::string_view call,
                                         std::string_view where = {}) {
  throw UsageError(Text(call, ": ", text_of_no_pe(pe, n_pes, where)));
}

/// The type of `call` is a template parameter so that the text is built only if
/// there is an error.
/// \throws UsageError on this PE if there is no PE `pe`.
void expect_pe(std::integral auto pe, std::integral auto n_pes,
               TextLike auto const& call, char const* where = "") {
  if (pe < 0 || pe >= n_pes) [[unlikely]] {
    throw_no_pe(pe, n_pes, call, where);
  }
}

}  // namespace symm::Impl

#endif
