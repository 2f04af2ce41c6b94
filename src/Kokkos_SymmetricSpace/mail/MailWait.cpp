// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailWait.hpp"

#include "../../runtime/waiting/HostWait.hpp"

namespace symm::Impl {

void wait_for_mail(char const* call, std::function<bool()> const& is_done,
                   std::function<bool()> const& step,
                   std::function<Text()> const& whereabouts) {
  while (!is_done()) {
    if (step()) continue;
    HostWait wait(call);
    while (true) {
      if (is_done()) return;
      if (step()) break;
      if (!wait.pause()) continue;
      auto const why = wait.reason_to_give_up();
      if (is_done()) return;  // the last messages of lost PEs count
      if (step()) break;
      if (wait.must_report(why)) wait.report(why, "", whereabouts());
    }
  }
}

}  // namespace symm::Impl
