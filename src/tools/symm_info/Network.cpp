// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <cstdlib>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/transport/MessageEngineOptions.hpp"
#include "Sections.hpp"

namespace symm_info {

namespace {

/// What `ask()` returns, or why there is nothing.
template <class Ask>
Value answer(Ask const& ask) {
  try {
    return ask();
  } catch (symm::Error const& error) {
    return with_remark(nothing("none"), error.what());
  }
}

}  // namespace

Section network() {
  // UCX's warnings would be in the middle of JSON. (If this fails, so be it.)
  static_cast<void>(::setenv("UCX_LOG_FILE", "stderr", 0));
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
