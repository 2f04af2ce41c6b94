// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../symm_memory.hpp"

#include "../base/Failure.hpp"
#include "../base/PeNumbers.hpp"
#include "../base/Text.hpp"
#include "LastError.hpp"
#include "Runtime.hpp"

namespace symm {

namespace Impl {

namespace {

/// Runs a call. If the call throws, returns null and sets last_error().
/// \param address An address in the heap to use; null means the default heap.
template <class Call>
void* null_on_failure(char const* name, void const* address,
                      Call const& call) noexcept {
  void* result = nullptr;
  run_noting_failure(
      [&] { result = call(Runtime::instance(name).heap_of(address)); });
  return result;
}

/// Out of line to keep ptr() small.
[[noreturn, gnu::noinline]] void throw_no_copy(HeapMap const& map,
                                               void const* address, Pe pe) {
  expect_pe(pe, map.n_pes, "symm::ptr");
  if (!map.is_near(pe)) {
    throw UsageError(
        Text("symm::ptr: PE ", pe,
             " is on another node, whose memory loads and stores cannot reach; "
             "use symm::put and symm::get"));
  }
  throw UsageError(Text("symm::ptr: address ", address,
                        " is not in the symmetric heap of PE ", map.my_pe));
}

/// Calls body(runtime). The messages of its exceptions are prefixed with
/// `name`.
template <class Body>
void run_named(char const* name, Body const& body) {
  auto& runtime = Runtime::instance(name);
  if (auto const failure = failure_of([&] { body(runtime); })) {
    throw_failure({failure->kind, Text(name, ": ", failure->message)});
  }
}

}  // namespace

}  // namespace Impl

template <Impl::NoType T>
void* malloc(std::size_t bytes) noexcept {
  return Impl::null_on_failure(
      "symm::malloc", nullptr,
      [&](Impl::SymmetricHeap& heap) { return heap.malloc(bytes); });
}

void* align(std::size_t alignment, std::size_t bytes) noexcept {
  return Impl::null_on_failure(
      "symm::align", nullptr,
      [&](Impl::SymmetricHeap& heap) { return heap.align(alignment, bytes); });
}

template <Impl::NoType T>
void* calloc(std::size_t count, std::size_t size) noexcept {
  return Impl::null_on_failure(
      "symm::calloc", nullptr,
      [&](Impl::SymmetricHeap& heap) { return heap.calloc(count, size); });
}

template <Impl::NoType T>
void* realloc(void* address, std::size_t bytes) noexcept {
  return Impl::null_on_failure(
      "symm::realloc", address,
      [&](Impl::SymmetricHeap& heap) { return heap.realloc(address, bytes); });
}

template <Impl::NoType T>
void free(void* address) noexcept {
  auto const kind = Impl::run_noting_failure([&] {
    if (address == nullptr) return;
    auto& runtime        = Impl::Runtime::instance("symm::free");
    auto& heap           = runtime.heap_of(address);
    auto* const listener = runtime.rendezvous().listener();
    if (!heap.contains(address) && listener != nullptr &&
        listener->free_at_once(address)) {
      return;
    }
    heap.free(address);
  });
  if (kind != Impl::ErrorKind::none) Impl::print_last_error();
}

template void* malloc<void>(std::size_t) noexcept;
template void* calloc<void>(std::size_t, std::size_t) noexcept;
template void* realloc<void>(void*, std::size_t) noexcept;
template void free<void>(void*) noexcept;

void* ptr(void const* address, Pe pe) noexcept {
  return Impl::null_on_failure(
      "symm::ptr", address, [&](Impl::SymmetricHeap& heap) -> void* {
        auto const& map = heap.map();
        if (!map.is_near(pe) || !map.contains(address)) {
          Impl::throw_no_copy(map, address, pe);
        }
        return map.peer_ptr(static_cast<char*>(const_cast<void*>(address)), pe);
      });
}

Status buffer_register(void* address, std::size_t bytes) noexcept {
  return Impl::status_of([&] {
    Impl::run_named("symm::buffer_register", [&](Impl::Runtime& runtime) {
      runtime.register_buffer(address, bytes);
    });
  });
}

Status buffer_unregister(void* address) noexcept {
  return Impl::status_of([&] {
    Impl::run_named("symm::buffer_unregister", [&](Impl::Runtime& runtime) {
      runtime.buffers().remove(address);
    });
  });
}

void buffer_unregister_all() noexcept {
  auto const status = Impl::status_of([&] {
    Impl::run_named("symm::buffer_unregister_all",
                    [](Impl::Runtime& runtime) { runtime.buffers().clear(); });
  });
  if (status != Status::success) Impl::print_last_error();
}

void* buffer_register_symmetric(void* buffer, std::size_t bytes,
                                int flags) noexcept {
  void* address = nullptr;
  Impl::run_noting_failure([&] {
    address = Impl::Runtime::instance("symm::buffer_register_symmetric")
                  .heap_for(buffer)
                  .register_memory(buffer, bytes, flags);
  });
  return address;
}

Status buffer_unregister_symmetric(void* address, std::size_t bytes) noexcept {
  return Impl::status_of([&] {
    Impl::Runtime::instance("symm::buffer_unregister_symmetric")
        .heap_of(address)
        .unregister_memory(address, bytes);
  });
}

}  // namespace symm
