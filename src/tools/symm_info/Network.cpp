// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/transport/MessageEngineOptions.hpp"
#include "Sections.hpp"

namespace symm_info {

Section network() {
  Facts facts;
  facts.emplace_back("within_a_node", text("shared memory"));
  try {
    facts.emplace_back("between_nodes",
                       text(symm::Impl::message_engine_of_this_machine()));
  } catch (symm::Error const& error) {
    facts.emplace_back("between_nodes",
                       with_remark(nothing("none"), error.what()));
  }
  return {"network", false, {facts}};
}

}  // namespace symm_info
