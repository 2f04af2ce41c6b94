// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Sharing pools between processes, and access to a pool's memory.
#include <fcntl.h>

#include <cerrno>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "Pools.hpp"

namespace symm::Impl {

namespace {

void check_handle(char const* call, MemPoolHandleType type, unsigned flags) {
  if (type != MemPoolHandleType::posix_file_descriptor) {
    throw UsageError(Text(
        call, ": unsupported handle type ", static_cast<std::uint32_t>(type),
        "; expected MemPoolHandleType::posix_file_descriptor"));
  }
  if (flags != 0) {
    throw UsageError(Text(call, ": flags are ", flags, "; expected 0"));
  }
}

MemAccessFlags flags_of(Vmm::Access access) {
  switch (access) {
    case Vmm::Access::none: return MemAccessFlags::none;
    case Vmm::Access::read: return MemAccessFlags::read;
    case Vmm::Access::read_write: break;
  }
  return MemAccessFlags::read_write;
}

char const* name_of(MemAccessFlags flags) {
  switch (flags) {
    case MemAccessFlags::none: return "no access";
    case MemAccessFlags::read: return "read access";
    case MemAccessFlags::read_write: return "read and write access";
  }
  return "unknown access";
}

Text name_of(MemLocation const& location) {
  if (location.memory == MemoryKind::host) return Text("the host");
  return Text("GPU ", location.device);
}

}  // namespace

std::unique_ptr<LocalHeap> Pools::make_own_heap(
    MemPoolProperties const& properties, char const* call) {
  check_handle(call, properties.handle_type, 0);
  auto const bytes = properties.max_bytes;
  if (bytes == 0) {
    throw UsageError(Text(
        call,
        ": max_bytes is 0; a pool with handles is allocated as a whole when "
        "it is created, so max_bytes must be above 0"));
  }
  auto& shared = m_runtime.heap(properties.memory, call);
  if (bytes > shared.limit_bytes()) {
    throw OutOfMemory(Text(call, ": max_bytes is ", bytes,
                           "; a heap is limited to ", shared.limit_bytes(),
                           " bytes per PE; raise SYMM_HEAP_LIMIT"));
  }
  return std::make_unique<LocalHeap>(m_runtime.bootstrap(), shared.provider(),
                                     properties.memory, shared.rounded(bytes));
}

MemoryProvider& Pools::provider_of(StreamPool const& pool) {
  return m_runtime.heap(pool.properties().memory, "a pool").provider();
}

ImportedPool* Pools::find_imported(MemPool pool) {
  for (auto const& candidate : m_imported) {
    if (candidate->number() == pool.number() && !candidate->is_ending()) {
      return candidate.get();
    }
  }
  return nullptr;
}

ImportedPool* Pools::find_importer(void const* address) {
  for (auto const& pool : m_imported) {
    if (pool->has(address)) return pool.get();
  }
  return nullptr;
}

UniqueFd Pools::export_pool(MemPool which, MemPoolHandleType type,
                            unsigned flags) {
  constexpr char const* call = "symm::mem_pool_export_to_shareable_handle";
  BothLocks const lock(m_mutex, m_local_mutex);
  check_handle(call, type, flags);
  auto& pool = get(which, call).pool;
  if (pool.properties().handle_type != type) {
    throw UsageError(Text(call,
                          ": the pool was created without handles "
                          "(MemPoolProperties::handle_type)"));
  }
  auto& provider    = provider_of(pool);
  auto const handle = provider.retain(pool.map().part(0));
  UniqueFd descriptor;
  auto const failure =
      failure_of([&] { descriptor = provider.export_handle(handle); });
  provider.release(handle);
  if (failure) throw_failure(*failure);
  auto name    = SharedPoolName::of(descriptor, call);
  name.process = static_cast<std::uint64_t>(::getpid());
  name.number  = pool.number();
  pool.set_shared_name(name);
  return descriptor;
}

MemPool Pools::import_pool(int descriptor, MemPoolHandleType type,
                           unsigned flags) {
  constexpr char const* call = "symm::mem_pool_import_from_shareable_handle";
  BothLocks const lock(m_mutex, m_local_mutex);
  check_handle(call, type, flags);
  UniqueFd duplicate(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!duplicate && errno != EBADF) {
    throw SystemError(call, "fcntl(F_DUPFD_CLOEXEC)", errno);
  }
  bool can_import = false;
  for (auto const memory : {MemoryKind::host, MemoryKind::device}) {
    auto* const heap = m_runtime.find_heap(memory);
    can_import       = can_import || (duplicate && heap != nullptr &&
                                heap->provider().can_import(duplicate));
  }
  if (!can_import) {
    throw UsageError(Text(call, ": ", descriptor,
                          duplicate
                              ? " is not a descriptor of memory that this PE "
                                "can map; expected one from "
                                "mem_pool_export_to_shareable_handle"
                              : " is not an open file descriptor"));
  }
  auto const name   = SharedPoolName::of(duplicate, call);
  auto const number = local_bit | ++m_n_local;
  m_imported.push_back(std::make_unique<ImportedPool>(
      number, m_runtime.bootstrap(), std::move(duplicate), name));
  return MemPool::make(number);
}

MemPoolPtrExportData Pools::export_pointer(void const* address) {
  constexpr char const* call = "symm::mem_pool_export_pointer";
  BothLocks const lock(m_mutex, m_local_mutex);
  auto* const pool = find_owner(address);
  if (pool == nullptr) throw_no_block(call, address);
  auto const& name = pool->shared_name();
  if (!name) {
    throw UsageError(Text(call,
                          ": the pool of the block has not been exported; "
                          "call mem_pool_export_to_shareable_handle first"));
  }
  SharedPointer pointer;
  pointer.memory     = static_cast<std::uint32_t>(pool->properties().memory);
  pointer.pool       = *name;
  pointer.pool_bytes = pool->properties().max_bytes;
  pointer.offset     = pool->map().offset_of(address);
  pointer.bytes      = pool->bytes_of(*pool->find(address));
  return pointer.pack();
}

void* Pools::import_pointer(MemPool which, MemPoolPtrExportData const& data) {
  constexpr char const* call = "symm::mem_pool_import_pointer";
  BothLocks const lock(m_mutex, m_local_mutex);
  auto* const pool = find_imported(which);
  if (pool == nullptr) {
    static_cast<void>(find(which, call));
    throw UsageError(
        Text(call, ": the pool is not imported; it belongs to this process"));
  }
  auto const pointer = SharedPointer::unpack(data, call);
  auto& heap = m_runtime.heap(static_cast<MemoryKind>(pointer.memory), call);
  return pool->import(call, pointer, heap.provider());
}

bool Pools::free_at_once(void* address) {
  BothLocks const lock(m_mutex, m_local_mutex);
  if (auto* const pool = find_owner(address)) {
    if (!pool->is_local()) return false;
    provider_of(*pool).synchronize();
    free_block(*pool, address, pool->find(address)->stream);
    return true;
  }
  auto* const imported = find_importer(address);
  if (imported == nullptr) return false;
  imported->provider()->synchronize();
  imported->free(address, m_local.order.advance());
  return true;
}

// Access.

MemAccessFlags Pools::access(MemPool which, MemLocation const& location,
                             char const* call) {
  BothLocks const lock(m_mutex, m_local_mutex);
  MemoryProvider* provider = nullptr;
  if (auto const* const imported = find_imported(which)) {
    provider = imported->provider();
    if (provider == nullptr) {
      throw UsageError(
          Text(call,
               ": the location of an imported pool is not known yet; call "
               "mem_pool_import_pointer first"));
    }
  } else {
    provider = &provider_of(get(which, call).pool);
  }
  auto const access = provider->access_from(location.memory, location.device);
  if (!access) {
    throw UsageError(Text(call, ": there is no GPU ", location.device));
  }
  return flags_of(*access);
}

void Pools::set_access(MemPool which, std::span<MemAccessDesc const> list) {
  constexpr char const* call = "symm::mem_pool_set_access";
  BothLocks const lock(m_mutex, m_local_mutex);
  static_cast<void>(find(which, call));
  for (auto const& [location, flags] : list) {
    auto const there = access(which, location, call);
    if (there == flags) continue;
    throw UsageError(
        Text(call, ": ", name_of(location), " has ", name_of(there),
             " to the pool and cannot get ", name_of(flags),
             "; a PE's memory is accessible to its own GPU, and to those of "
             "other PEs in a symmetric pool or by import"));
  }
}

}  // namespace symm::Impl
