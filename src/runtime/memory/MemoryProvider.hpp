// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_PROVIDER_HPP
#define SYMM_MEMORY_PROVIDER_HPP

#include "CopyQueue.hpp"
#include "ForeignMemory.hpp"
#include "Vmm.hpp"

namespace symm::Impl {

/// Provides memory of one kind in one location. The three interfaces share one
/// record of the mappings. Each heap has one provider. Code that needs only one
/// interface uses that base class.
class MemoryProvider : public Vmm, public ForeignMemory, public CopyQueue {};

}  // namespace symm::Impl

#endif
