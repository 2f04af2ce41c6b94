// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SPACE_IN_CONTAINERS_HPP
#define SYMM_SPACE_IN_CONTAINERS_HPP

namespace symm {

// Declarations only. If a program uses one of these classes without including
// the header, the compiler's error message shows the declaration below. The
// comment on that line names the header.
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
