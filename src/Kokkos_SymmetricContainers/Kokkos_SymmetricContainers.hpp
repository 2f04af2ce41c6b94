// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_HPP
#define KOKKOS_SYMMETRICCONTAINERS_HPP

/// This header includes the whole library: distributed Views, exchange plans,
/// migration, sorting, mailboxes, hash maps and queues, along with the Views
/// and operations on which these are built.

#include <Kokkos_SymmetricSpace.hpp>

#include <Kokkos_SymmetricContainers_DistributedView.hpp>
#include <Kokkos_SymmetricContainers_Exchange.hpp>
#include <Kokkos_SymmetricContainers_HashMap.hpp>
#include <Kokkos_SymmetricContainers_Mailbox.hpp>
#include <Kokkos_SymmetricContainers_Migration.hpp>
#include <Kokkos_SymmetricContainers_Sort.hpp>
#include <Kokkos_SymmetricContainers_TrackedMigration.hpp>
#include <Kokkos_SymmetricContainers_WorkQueue.hpp>

#endif
