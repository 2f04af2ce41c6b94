// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SPACE_IN_CONTAINERS_HPP
#define SYMM_SPACE_IN_CONTAINERS_HPP

namespace symm {

// Declarations only: they let the compiler's error name the header, if a
// program uses these classes without including it.
class ExchangePlan;  // in <Kokkos_SymmetricContainers.hpp>
class Migration;     // in <Kokkos_SymmetricContainers.hpp>
template <class, class>
class DistributedView;  // in <Kokkos_SymmetricContainers.hpp>
template <class>
class Mailbox;  // in <Kokkos_SymmetricContainers.hpp>
template <class>
class WorkQueue;  // in <Kokkos_SymmetricContainers.hpp>
template <class, class, class, class>
class DistributedHashMap;  // in <Kokkos_SymmetricContainers.hpp>

}  // namespace symm

#endif
