// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <unistd.h>

#include <cstdio>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/transport/MessageEngineOptions.hpp"
#include "Sections.hpp"

namespace symm_info {

namespace {

/// The result of ask(), or why it has none.
template <class Ask>
Value answer(Ask const& ask) {
  try {
    return ask();
  } catch (symm::Error const& error) {
    return with_remark(nothing("none"), error.what());
  }
}

/// Redirects standard output to standard error while it lives: UCX's warnings
/// would be in the middle of JSON. (If MPI uses UCX, it is too late to set
/// UCX_LOG_FILE: UCX reads it before main(). Failures are ignored.)
class ToStandardError {
 public:
  ToStandardError() : m_output(::dup(STDOUT_FILENO)) {
    if (m_output < 0) return;
    static_cast<void>(std::fflush(stdout));
    static_cast<void>(::dup2(STDERR_FILENO, STDOUT_FILENO));
  }
  ToStandardError(ToStandardError const&)            = delete;
  ToStandardError& operator=(ToStandardError const&) = delete;
  ~ToStandardError() {
    if (m_output < 0) return;
    static_cast<void>(std::fflush(stdout));
    static_cast<void>(::dup2(m_output, STDOUT_FILENO));
    static_cast<void>(::close(m_output));
  }

 private:
  int m_output;
};

}  // namespace

Section network() {
  ToStandardError const redirected;
  Facts facts;
  facts.emplace_back("within_a_node", text("shared memory"));
  facts.emplace_back(
      "between_nodes", answer([] {
        return text(symm::Impl::message_engine_of_this_machine());
      }));
  facts.emplace_back(
      "transports", answer([] {
        return texts(symm::Impl::message_transports_of_this_machine());
      }));
  return {"network", false, {facts}};
}

}  // namespace symm_info
