// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_REPORT_HPP
#define SYMM_CHECK_REPORT_HPP

#include "CheckMemory.hpp"

namespace symm::Impl::check {

/// Prints all races to stderr, and writes them to the file given by
/// SYMM_CHECK_REPORT. Local.
void report(Tables const& tables);

/// Prints the limits that PE `me` has reached, except those that another PE has
/// already printed. Local.
void say_limits(Tables& tables, Pe me);

/// If races were found, makes exit(0) end the process with the exit status
/// given by SYMM_CHECK_STATUS.
void end_with_status();
void keep_result(Tables const& tables);

}  // namespace symm::Impl::check

#endif
