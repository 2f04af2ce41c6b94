// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../symm_pools.hpp"

#include <cstdio>
#include <optional>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "../job/LastError.hpp"
#include "../job/Runtime.hpp"
#include "PoolCalls.hpp"
#include "Pools.hpp"

namespace symm {

namespace Impl {

namespace {

/// \throws UsageError if `argument` is null.
template <class T>
T& required(T* argument, char const* call, char const* name) {
  if (argument != nullptr) return *argument;
  throw UsageError(Text(call, ": ", name, " is null"));
}

bool is_int(MemPoolAttribute attribute) {
  return attribute == MemPoolAttribute::reuse_follow_event_dependencies ||
         attribute == MemPoolAttribute::reuse_allow_opportunistic ||
         attribute == MemPoolAttribute::reuse_allow_internal_dependencies;
}

}  // namespace

Status malloc_async(void** address, std::size_t bytes, MemPool const* pool,
                    StreamName const& stream) noexcept {
  if (address != nullptr) *address = nullptr;
  return status_of([&] {
    char const* const call =
        pool == nullptr ? "symm::malloc_async" : "symm::malloc_from_pool_async";
    auto& result = required(address, call, "the address of the pointer");
    auto& pools  = Pools::instance(call);
    result       = pools.malloc(
              call,
        pool != nullptr
                  ? *pool
                  : pools.current_pool(MemPoolProperties::default_memory_kind()),
              std::nullopt, bytes, 0, stream, "");
  });
}

Status free_async(void* address, StreamName const& stream) noexcept {
  return status_of([&] {
    constexpr char const* call = "symm::free_async";
    Pools::instance(call).free(call, address, stream);
  });
}

Status order_after(StreamName const& stream,
                   StreamName const& earlier) noexcept {
  return status_of([&] {
    Pools::instance("symm::order_after").order_after(stream, earlier);
  });
}

void note_stream_barrier(StreamName const& stream) {
  if (auto* const pools = Pools::find()) pools->note_barrier(stream);
}

void* allocate_in_pool(MemPool pool, MemoryKind memory, std::size_t bytes,
                       std::size_t header, StreamName const& stream,
                       char const* label) {
  constexpr char const* call = "allocation of a View in a pool";
  return Pools::instance(call).malloc(call, pool, memory, bytes, header, stream,
                                      label);
}

void free_in_pool(char const* label, void* address) noexcept {
  auto* const pools = Pools::find();
  if (pools == nullptr) return;
  auto const failure = failure_of([&] { pools->free_on_its_stream(address); });
  if (failure) {
    std::fprintf(stderr, "symm: View \"%s\": %s\n", label,
                 failure->message.c_str());
  }
}

bool is_in_pool(void const* address) {
  auto* const pools = Pools::find();
  return pools != nullptr && pools->is_block(address);
}

}  // namespace Impl

void Impl::throw_failed(Status status) {
  switch (status) {
    case Status::success: return;
    case Status::out_of_memory: throw OutOfMemory(Text(last_error()));
    case Status::internal: throw SystemError(Text(last_error()));
    default: throw UsageError(Text(last_error()));
  }
}

MemoryKind MemPoolProperties::default_memory_kind() noexcept {
  if (!Impl::Runtime::is_initialized()) return MemoryKind::host;
  return Impl::Runtime::instance("symm::MemPoolProperties").heap().memory();
}

Status mem_pool_create(MemPool* pool,
                       MemPoolProperties const& properties) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_create";
    auto& result = Impl::required(pool, call, "the address of the pool");
    result       = Impl::Pools::instance(call).create(properties);
  });
}

Status mem_pool_destroy(MemPool pool) noexcept {
  return Impl::status_of(
      [&] { Impl::Pools::instance("symm::mem_pool_destroy").destroy(pool); });
}

Status device_get_default_mem_pool(MemPool* pool, MemoryKind memory) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::device_get_default_mem_pool";
    auto& result = Impl::required(pool, call, "the address of the pool");
    result       = Impl::Pools::instance(call).default_pool(memory);
  });
}

Status device_get_mem_pool(MemPool* pool, MemoryKind memory) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::device_get_mem_pool";
    auto& result = Impl::required(pool, call, "the address of the pool");
    result       = Impl::Pools::instance(call).current_pool(memory);
  });
}

Status device_set_mem_pool(MemoryKind memory, MemPool pool) noexcept {
  return Impl::status_of([&] {
    Impl::Pools::instance("symm::device_set_mem_pool")
        .set_current_pool(memory, pool);
  });
}

Status malloc_async(void** address, std::size_t bytes, void* stream) noexcept {
  return Impl::malloc_async(address, bytes, nullptr,
                            Impl::name_of_queue(stream));
}

Status malloc_from_pool_async(void** address, std::size_t bytes, MemPool pool,
                              void* stream) noexcept {
  return Impl::malloc_async(address, bytes, &pool, Impl::name_of_queue(stream));
}

Status free_async(void* address, void* stream) noexcept {
  return Impl::free_async(address, Impl::name_of_queue(stream));
}

Status order_after(void* stream, void* earlier) noexcept {
  return Impl::order_after(Impl::name_of_queue(stream),
                           Impl::name_of_queue(earlier));
}

Status mem_pool_get_attribute(MemPool pool, MemPoolAttribute attribute,
                              void* value) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_get_attribute";
    Impl::required(static_cast<char*>(value), call, "the address of the value");
    auto const result = Impl::Pools::instance(call).attribute(pool, attribute);
    if (Impl::is_int(attribute)) {
      *static_cast<int*>(value) = static_cast<int>(result);
    } else {
      *static_cast<std::uint64_t*>(value) = result;
    }
  });
}

Status mem_pool_set_attribute(MemPool pool, MemPoolAttribute attribute,
                              void const* value) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_set_attribute";
    Impl::required(static_cast<char const*>(value), call,
                   "the address of the value");
    auto const number =
        Impl::is_int(attribute)
            ? std::uint64_t{*static_cast<int const*>(value) != 0}
            : *static_cast<std::uint64_t const*>(value);
    Impl::Pools::instance(call).set_attribute(pool, attribute, number);
  });
}

Status mem_pool_trim_to(MemPool pool, std::size_t min_bytes_to_hold) noexcept {
  return Impl::status_of([&] {
    Impl::Pools::instance("symm::mem_pool_trim_to")
        .trim_to(pool, min_bytes_to_hold);
  });
}

Status mem_pool_set_access(MemPool pool, MemAccessDesc const* list,
                           std::size_t count) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_set_access";
    if (count > 0) static_cast<void>(Impl::required(list, call, "the list"));
    Impl::Pools::instance(call).set_access(pool, {list, count});
  });
}

Status mem_pool_get_access(MemAccessFlags* flags, MemPool pool,
                           MemLocation const* location) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_get_access";
    auto& result      = Impl::required(flags, call, "the address of the flags");
    auto const& where = Impl::required(location, call, "the location");
    result            = Impl::Pools::instance(call).access(pool, where, call);
  });
}

Status mem_pool_export_to_shareable_handle(void* shared_handle, MemPool pool,
                                           MemPoolHandleType type,
                                           unsigned flags) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_export_to_shareable_handle";
    auto& result = Impl::required(static_cast<int*>(shared_handle), call,
                                  "the address of the handle");
    result =
        Impl::Pools::instance(call).export_pool(pool, type, flags).release();
  });
}

Status mem_pool_import_from_shareable_handle(MemPool* pool, void* shared_handle,
                                             MemPoolHandleType type,
                                             unsigned flags) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_import_from_shareable_handle";
    auto& result = Impl::required(pool, call, "the address of the pool");
    auto const descriptor = Impl::required(static_cast<int*>(shared_handle),
                                           call, "the address of the handle");
    result = Impl::Pools::instance(call).import_pool(descriptor, type, flags);
  });
}

Status mem_pool_export_pointer(MemPoolPtrExportData* export_data,
                               void* address) noexcept {
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_export_pointer";
    auto& result =
        Impl::required(export_data, call, "the address of the export data");
    result = Impl::Pools::instance(call).export_pointer(address);
  });
}

Status mem_pool_import_pointer(
    void** address, MemPool pool,
    MemPoolPtrExportData const* export_data) noexcept {
  if (address != nullptr) *address = nullptr;
  return Impl::status_of([&] {
    constexpr char const* call = "symm::mem_pool_import_pointer";
    auto& result = Impl::required(address, call, "the address of the pointer");
    auto const& data =
        Impl::required(export_data, call, "the address of the export data");
    result = Impl::Pools::instance(call).import_pointer(pool, data);
  });
}

}  // namespace symm
