// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_MAIL_WAIT_HPP
#define SYMM_MAIL_MAIL_WAIT_HPP

#include <functional>

#include "../../runtime/base/Text.hpp"

namespace symm::Impl {

/// Calls is_done() and step() by turns until is_done() is true. Waits, reports
/// and ends the job as HostWait does, when step() has nothing to do.
/// \param step        returns whether something has moved.
/// \param whereabouts for the report.
void wait_for_mail(char const* call, std::function<bool()> const& is_done,
                   std::function<bool()> const& step,
                   std::function<Text()> const& whereabouts);

}  // namespace symm::Impl

#endif
