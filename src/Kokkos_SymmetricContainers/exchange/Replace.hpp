// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_REPLACE_HPP
#define SYMM_EXCHANGE_REPLACE_HPP

#include <Kokkos_Core.hpp>

namespace symm {

/// An operation for ExchangePlan::scatter() and DistributedHashMap that
/// replaces the old value with the contribution. If several PEs contribute to
/// the same element in scatter(), the highest PE number wins. If several PEs
/// contribute to the same key of a map, any of them may win.
struct Replace {
  template <class T>
  KOKKOS_FUNCTION T operator()(T const&, T const& b) const {
    return b;
  }
};

}  // namespace symm

#endif
