// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_PROVIDER_HPP
#define SYMM_MEMORY_PROVIDER_HPP

#include "CopyQueue.hpp"
#include "ForeignMemory.hpp"
#include "Vmm.hpp"

namespace symm::Impl {

/// Memory of one kind and place in its three roles, which share the record of
/// its mappings. One for each heap; code that needs one role takes that class.
class MemoryProvider : public Vmm, public ForeignMemory, public CopyQueue {};

}  // namespace symm::Impl

#endif
