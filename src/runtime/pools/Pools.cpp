// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Pools.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "../job/LastError.hpp"

namespace symm::Impl {

namespace {

std::mutex s_begin;  // held while Pools is being created

char const* name_of(MemoryKind memory) {
  return memory == MemoryKind::host ? "host" : "GPU";
}

void refuse_captured(char const* call, StreamName const& name) {
  if (!name.is_captured(name.what)) return;
  throw NotSupported(
      Text(call,
           ": the stream is being captured into a graph; allocate before the "
           "capture, and free after the last launch of the graph"));
}

}  // namespace

Pools* Pools::find() noexcept {
  if (!Runtime::is_initialized()) return nullptr;
  return static_cast<Pools*>(
      Runtime::instance("pools").rendezvous().listener());
}

Pools& Pools::instance(char const* call) {
  auto& runtime  = Runtime::instance(call);
  auto* listener = runtime.rendezvous().listener();
  if (listener == nullptr) {
    std::lock_guard const lock(s_begin);
    if (runtime.rendezvous().listener() == nullptr) {
      runtime.set_listener(std::make_unique<Pools>(runtime));
    }
    listener = runtime.rendezvous().listener();
  }
  return static_cast<Pools&>(*listener);
}

Pools::Pools(Runtime& runtime) : m_runtime(runtime) {
  static_cast<void>(symmetric());
}

// The list of pools.

Pools::PoolSet& Pools::symmetric() {
  auto const generation = m_runtime.rendezvous().trail().generation();
  while (m_symmetric.size() <= generation) begin_generation();
  return *m_symmetric.back();
}

void Pools::begin_generation() {
  m_n_symmetric = m_symmetric.size() << generation_shift;
  m_symmetric.push_back(std::make_unique<PoolSet>(m_runtime.n_pes()));
  auto& group = *m_symmetric.back();
  for (auto const memory : {MemoryKind::host, MemoryKind::device}) {
    // Count even a heap that does not exist so that the numbers are the same
    // with and without it.
    ++m_n_symmetric;
    auto* const heap = m_runtime.find_heap(memory);
    if (heap == nullptr) continue;
    MemPoolProperties properties;
    properties.memory = memory;
    group.pools.push_back(std::make_unique<StreamPool>(
        m_n_symmetric, properties, *heap, group.order));
    m_default[index_of(memory)] = MemPool::make(m_n_symmetric);
  }
  for (std::size_t i = 0; i < m_current.size(); ++i) {
    m_current[i] = m_default[i].number();
  }
  m_n_generations = m_symmetric.size();
}

StreamPool* Pools::find_stream_pool(MemPool pool) {
  auto const find_in = [&](PoolSet const& group) {
    auto const found = std::find_if(
        group.pools.begin(), group.pools.end(), [&](auto const& candidate) {
          return candidate->number() == pool.number() &&
                 !candidate->is_ending();
        });
    return found == group.pools.end() ? nullptr : found->get();
  };
  if (is_local(pool)) return find_in(m_local);
  static_cast<void>(symmetric());
  auto const generation = pool.number() >> generation_shift;
  if (generation >= m_symmetric.size()) return nullptr;
  return find_in(*m_symmetric[generation]);
}

void Pools::throw_no_pool(MemPool pool, char const* call) {
  throw UsageError(Text(
      call, pool.is_valid()
                ? ": the pool has been destroyed"
                : ": the pool is invalid; create one with mem_pool_create"));
}

Pool& Pools::find(MemPool pool, char const* call) {
  if (auto* const found = find_stream_pool(pool)) return *found;
  if (auto* const found = is_local(pool) ? find_imported(pool) : nullptr) {
    return *found;
  }
  throw_no_pool(pool, call);
}

Pools::Found Pools::get(MemPool pool, char const* call) {
  if (auto* const found = find_stream_pool(pool)) {
    return {group_of(*found), *found};
  }
  if (!is_local(pool) || find_imported(pool) == nullptr) {
    throw_no_pool(pool, call);
  }
  throw UsageError(Text(
      call,
      ": the pool is imported; only the process that created it allocates"));
}

Pools::Found Pools::get_in_step(MemPool pool, char const* call) {
  auto const found = get(pool, call);
  if (!is_out_of_step(found.pool)) return found;
  throw UsageError(
      Text(call,
           ": the PEs have made different calls on symmetric pools, as an "
           "earlier collective call reported; create another pool, or get the "
           "default pool again"));
}

SymmetricHeap& Pools::local_heap(MemoryKind memory, char const* call) {
  auto& shared = m_runtime.heap(memory, call);
  auto& heap   = m_local_heaps[index_of(memory)];
  if (heap == nullptr) {
    heap = std::make_unique<LocalHeap>(m_runtime.bootstrap(), shared.provider(),
                                       memory, shared.limit_bytes());
  }
  return heap->heap();
}

MemPool Pools::create(MemPoolProperties const& properties) {
  constexpr char const* call = "symm::mem_pool_create";
  bool const is_local        = properties.kind == MemPoolKind::local;
  Lock const lock(is_local ? m_local_mutex : m_mutex);
  if (!is_local && properties.handle_type != MemPoolHandleType::none) {
    throw UsageError(Text(
        call,
        ": a symmetric pool has no handles, because all PEs can access it; "
        "to share memory with other processes, use a local pool"));
  }
  auto own          = properties.handle_type == MemPoolHandleType::none
                          ? nullptr
                          : make_own_heap(properties, call);
  auto& heap        = own        ? own->heap()
                      : is_local ? local_heap(properties.memory, call)
                                 : m_runtime.heap(properties.memory, call);
  auto& group       = is_local ? m_local : symmetric();
  auto const number = is_local ? local_bit | ++m_n_local : ++m_n_symmetric;
  auto rounded      = properties;
  rounded.max_bytes =
      heap.rounded(std::min(properties.max_bytes, heap.limit_bytes()));
  auto pool = std::make_unique<StreamPool>(number, rounded, heap, group.order,
                                           std::move(own));
  if (properties.handle_type != MemPoolHandleType::none) pool->take_all();
  group.pools.push_back(std::move(pool));
  note(*group.pools.back(), RuntimeCall::pool_create,
       {number, static_cast<std::uint64_t>(properties.memory),
        properties.max_bytes});
  return MemPool::make(number);
}

void Pools::destroy(MemPool pool) {
  constexpr char const* call = "symm::mem_pool_destroy";
  auto const lock            = lock_for(pool);
  auto& found                = find(pool, call);
  if (!is_local(pool) &&
      std::find(m_default.begin(), m_default.end(), pool) != m_default.end()) {
    throw UsageError(Text(call, ": a default pool cannot be destroyed"));
  }
  auto const memory = index_of(found.properties().memory);
  auto number       = pool.number();
  m_current[memory].compare_exchange_strong(number, m_default[memory].number());
  note(found, RuntimeCall::pool_destroy, {pool.number()});
  found.end();
}

MemPool Pools::default_pool(MemoryKind memory) {
  // Throws, with the reason, if there is no such heap.
  static_cast<void>(
      m_runtime.heap(memory, "symm::device_get_default_mem_pool"));
  Lock const lock(m_mutex);
  static_cast<void>(symmetric());
  return m_default[index_of(memory)];
}

MemPool Pools::current_pool(MemoryKind memory) {
  static_cast<void>(m_runtime.heap(memory, "symm::device_get_mem_pool"));
  // Take the lock only if necessary, because a thread that holds it may be
  // waiting for other PEs.
  if (m_n_generations <= m_runtime.rendezvous().trail().generation()) {
    Lock const lock(m_mutex);
    static_cast<void>(symmetric());
  }
  return MemPool::make(m_current[index_of(memory)]);
}

void Pools::set_current_pool(MemoryKind memory, MemPool pool) {
  constexpr char const* call = "symm::device_set_mem_pool";
  auto const lock            = lock_for(pool);
  auto const found           = get_in_step(pool, call);
  require_memory(found.pool, memory, call);
  // Record the call, because the current pool determines where malloc_async()
  // allocates.
  note(found.pool, RuntimeCall::pool_current, {pool.number()});
  m_current[index_of(memory)] = pool.number();
}

void Pools::require_memory(Pool const& pool, MemoryKind memory,
                           char const* call) {
  auto const pool_memory = pool.properties().memory;
  if (pool_memory == memory) return;
  throw UsageError(Text(call, ": the pool is in ", name_of(pool_memory),
                        " memory, not in ", name_of(memory), " memory"));
}

// Blocks.

bool Pools::is_out_of_step(Pool const& pool) {
  return !pool.is_local() && &group_of(pool) != &symmetric();
}

void Pools::note(Pool const& pool, RuntimeCall call,
                 RuntimeCallArguments const& arguments, char const* label) {
  if (pool.is_local() || is_out_of_step(pool)) return;
  m_runtime.rendezvous().trail().note(call, arguments, label);
}

template <class Step>
decltype(auto) Pools::run_noted(Pool const& pool, Step const& step) {
  try {
    return step();
  } catch (...) {
    note(pool, RuntimeCall::pool_failure, {pool.number()});
    throw;
  }
}

void Pools::catch_up(PoolSet& group) {
  auto const ended = group.order.ended_here();
  if (ended == group.collected_to) return;
  group.collected_to   = ended;
  std::uint64_t in_use = 0;
  for (auto const& pool : group.pools) {
    pool->prepare_to_collect();  // already done for symmetric pools
    pool->collect();
    in_use |= pool->streams_in_use();
  }
  group.order.forget_all_but(in_use);
}

void* Pools::malloc(char const* call, MemPool which,
                    std::optional<MemoryKind> memory, std::size_t bytes,
                    std::size_t phase, StreamName const& name,
                    char const* label) {
  auto const lock  = lock_for(which);
  auto const found = get_in_step(which, call);
  auto& group      = found.group;
  auto& pool       = found.pool;
  auto const take  = [&](StreamOrder::Number on) {
    return run_noted(pool, [&] { return pool.take(on, bytes, phase, label); });
  };
  if (memory) require_memory(pool, *memory, call);
  refuse_captured(call, name);
  if (bytes == 0) return nullptr;
  catch_up(group);
  auto const stream = group.order.number_of(name);
  note(pool, RuntimeCall::malloc_async, {pool.number(), bytes, stream}, label);
  void* const address = take(stream);
  if (address != nullptr) return address;
  pool.grow(bytes, phase, label);
  catch_up(group);
  // Look up the number again, because catch_up() may have forgotten the stream.
  return take(group.order.number_of(name));
}

bool Pools::is_in_symmetric_heap(void const* address) {
  for (auto const memory : {MemoryKind::host, MemoryKind::device}) {
    auto* const heap = m_runtime.find_heap(memory);
    if (heap != nullptr && heap->contains(address)) return true;
  }
  return false;
}

StreamPool* Pools::find_owner(void const* address) {
  auto const find_in = [&](PoolSet const& group) -> StreamPool* {
    for (auto const& pool : group.pools) {
      if (pool->map().contains(address) && pool->find(address) != nullptr) {
        return pool.get();
      }
    }
    return nullptr;
  };
  if (!is_in_symmetric_heap(address)) return find_in(m_local);
  for (auto i = m_symmetric.size(); i > 0; --i) {
    if (auto* const pool = find_in(*m_symmetric[i - 1])) return pool;
  }
  return nullptr;
}

void Pools::throw_no_block(char const* call, void const* address) {
  throw UsageError(Text(call, ": address ", address,
                        " is not a block of a pool; pass an address that "
                        "malloc_async has returned, once"));
}

void Pools::free_block(StreamPool& pool, void* address,
                       StreamOrder::Number stream) {
  auto& order = group_of(pool).order;
  note(pool, RuntimeCall::free_async,
       {pool.number(), pool.map().offset_of(address), stream});
  run_noted(pool, [&] {
    pool.free(stream, address, !order.stream(stream).is_on_gpu());
  });
}

void Pools::free(char const* call, void* address, StreamName const& name) {
  if (address == nullptr) return;
  auto const lock = lock_for(address);
  refuse_captured(call, name);
  auto* const pool = find_owner(address);
  if (pool == nullptr) {
    auto* const imported =
        is_in_symmetric_heap(address) ? nullptr : find_importer(address);
    if (imported == nullptr) throw_no_block(call, address);
    // The memory belongs to the process that created the pool. This process
    // unmaps the memory once all known streams have been idle, so make this
    // stream known.
    static_cast<void>(m_local.order.number_of(name));
    return imported->free(address, m_local.order.advance());
  }
  auto& group = group_of(*pool);
  catch_up(group);
  free_block(*pool, address, group.order.number_of(name));
}

void Pools::free_on_its_stream(void* address) {
  auto const lock  = lock_for(address);
  auto* const pool = find_owner(address);
  if (pool == nullptr) return;  // a block from a job that has ended
  catch_up(group_of(*pool));
  free_block(*pool, address, pool->find(address)->stream);
}

bool Pools::is_block(void const* address) {
  auto const lock = lock_for(address);
  return find_owner(address) != nullptr;
}

// The order of streams.

void Pools::order_after(StreamName const& later, StreamName const& earlier) {
  constexpr char const* call = "symm::order_after";
  BothLocks const lock(m_mutex, m_local_mutex);
  refuse_captured(call, later);
  refuse_captured(call, earlier);
  if (later.key == earlier.key) return;
  later.make(later.what)->wait_for(*earlier.make(earlier.what));
  for (auto* const group : groups()) {
    catch_up(*group);
    auto& order = group->order;
    // If no pool in this group uses either stream, ignore the order.
    if (!order.knows(later) && !order.knows(earlier)) continue;
    auto const numbers =
        std::pair(order.number_of(later), order.number_of(earlier));
    order.order_after(numbers.first, numbers.second);
    if (group != &m_local) {
      m_runtime.rendezvous().trail().note(RuntimeCall::order_after,
                                          {numbers.first, numbers.second});
    }
  }
}

void Pools::note_barrier(StreamName const& name) {
  Lock const lock(m_mutex);
  auto& group = symmetric();
  catch_up(group);
  // A captured barrier does not run now, and later launches of its graph are
  // not recorded, so ignore it.
  if (!group.order.knows(name) || name.is_captured(name.what)) return;
  auto const number = group.order.number_of(name);
  group.order.barrier(number);
  m_runtime.rendezvous().trail().note(RuntimeCall::stream_barrier, {number});
}

}  // namespace symm::Impl
