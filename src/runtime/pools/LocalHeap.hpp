// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_LOCAL_HEAP_HPP
#define SYMM_POOLS_LOCAL_HEAP_HPP

#include <cstddef>

#include "../bootstrap/Bootstrap_Self.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/Vmm_HostMemfd.hpp"
#include "../pes/Rendezvous.hpp"

namespace symm::Impl {

/// A heap that belongs to this PE alone: a SymmetricHeap in a one-PE job. Its
/// collective calls never wait for another PE.
class LocalHeap {
 public:
  /// \param job The job that abort() ends.
  /// \throws OutOfMemory, SystemError on this PE.
  LocalHeap(Bootstrap& job, MemoryProvider& provider, MemoryKind memory,
            std::size_t limit_bytes)
      : m_self(job),
        m_exchange(m_self, {}),
        m_control(1),
        m_rendezvous(m_self, m_exchange, m_control, {}),
        m_heap(provider, m_exchange, m_self, m_rendezvous,
               {.limit_bytes = limit_bytes, .memory = memory}) {}

  [[nodiscard]] SymmetricHeap& heap() { return m_heap; }

 private:
  Bootstrap_Self m_self;
  FdExchange m_exchange;
  Vmm_HostMemfd m_control;
  Rendezvous m_rendezvous;
  SymmetricHeap m_heap;
};

}  // namespace symm::Impl

#endif
