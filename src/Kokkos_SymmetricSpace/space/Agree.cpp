// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Agree.hpp"

#include <string_view>

#include "../../runtime/job/Runtime.hpp"
#include "../../runtime/symm_job.hpp"

namespace symm::Impl {

namespace {

/// Removes "prefix: " from the beginning of the text.
void remove(std::string_view& text, std::string_view prefix) {
  if (text.starts_with(prefix) && text.substr(prefix.size()).starts_with(": "))
    text.remove_prefix(prefix.size() + 2);
}

}  // namespace

Text without_call(Text const& text, char const* call) {
  std::string_view rest = text;
  remove(rest, call);
  remove(rest, Text("PE ", my_pe()));
  return rest;
}

std::uint64_t agree(ObjectCall const& call, std::optional<Failure> failure) {
  if (failure) failure->message = without_call(failure->message, call.text);
  return Runtime::instance(call.text).meet(call, failure);
}

}  // namespace symm::Impl
