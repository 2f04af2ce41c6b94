// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_REPLACE_HPP
#define SYMM_EXCHANGE_REPLACE_HPP

#include <Kokkos_Core.hpp>

namespace symm {

/// An operation of ExchangePlan::scatter() and of DistributedHashMap: the
/// contribution replaces the element. Of several contributions to a ghost's
/// element the last one counts, in the order of PEs' numbers; of those to a key
/// of a map any one.
struct Replace {
  template <class T>
  KOKKOS_FUNCTION T operator()(T const&, T const& b) const {
    return b;
  }
};

}  // namespace symm

#endif
