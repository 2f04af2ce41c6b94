// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BOX_LISTS_HPP
#define SYMM_EXCHANGE_BOX_LISTS_HPP

#include "../../runtime/symm_job.hpp"
#include "BoxDecomposition.hpp"
#include "ExchangeLists.hpp"

namespace symm::Impl {

/// This PE's lists for its box and the neighboring boxes.
/// \param call the call's name, for error messages.
/// \throws UsageError on this PE if the settings of `box` are invalid.
ExchangeLists lists_of_box(char const* call, BoxDecomposition const& box,
                           Pe my_pe, int n_pes);

}  // namespace symm::Impl

#endif
