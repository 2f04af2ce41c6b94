// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SymmetricMemory.hpp"

#include <cstdio>

#include "../base/Failure.hpp"
#include "../base/LastError.hpp"
#include "../base/Text.hpp"
#include "Runtime.hpp"

namespace symm {

namespace {

/// Runs a call and turns what it throws into null and last_error().
/// \param address whose heap it is about; null: the default one.
template <class Call>
void* null_on_failure(char const* name, void const* address,
                      Call const& call) noexcept {
  void* result = nullptr;
  run_noting_failure(
      [&] { result = call(Runtime::instance(name).heap_of(address)); });
  return result;
}

/// Apart from ptr(), which has few instructions otherwise.
[[noreturn, gnu::noinline]] void throw_no_copy(HeapMap const& map,
                                               void const* address, Pe pe) {
  if (pe < 0 || pe >= map.n_pes) {
    throw UsageError(Text("symm::ptr: there is no PE ", pe, "; PEs are 0 to ",
                          map.n_pes - 1));
  }
  throw UsageError(Text("symm::ptr: address ", address,
                        " is not in the symmetric heap of PE ", map.my_pe));
}

}  // namespace

Pe my_pe() { return Runtime::instance("symm::my_pe").my_pe(); }

int n_pes() { return Runtime::instance("symm::n_pes").n_pes(); }

void barrier_all() { Runtime::instance("symm::barrier_all").barrier_all(); }

void* malloc(std::size_t bytes) noexcept {
  return null_on_failure("symm::malloc", nullptr, [&](SymmetricHeap& heap) {
    return heap.malloc(bytes);
  });
}

void* align(std::size_t alignment, std::size_t bytes) noexcept {
  return null_on_failure("symm::align", nullptr, [&](SymmetricHeap& heap) {
    return heap.align(alignment, bytes);
  });
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  return null_on_failure("symm::calloc", nullptr, [&](SymmetricHeap& heap) {
    return heap.calloc(count, size);
  });
}

void* realloc(void* address, std::size_t bytes) noexcept {
  return null_on_failure("symm::realloc", address, [&](SymmetricHeap& heap) {
    return heap.realloc(address, bytes);
  });
}

void free(void* address) noexcept {
  auto const kind = run_noting_failure([&] {
    if (address != nullptr) {
      Runtime::instance("symm::free").heap_of(address).free(address);
    }
  });
  if (kind != ErrorKind::none) {
    std::fprintf(stderr, "symm: %s\n", last_error());
  }
}

void* ptr(void const* address, Pe pe) noexcept {
  return null_on_failure(
      "symm::ptr", address, [&](SymmetricHeap& heap) -> void* {
        auto const& map  = heap.map();
        bool const is_pe = 0 <= pe && pe < map.n_pes;
        if (!is_pe || !map.contains(address)) throw_no_copy(map, address, pe);
        return map.peer_ptr(static_cast<char*>(const_cast<void*>(address)), pe);
      });
}

HeapMap heap_map(MemoryKind kind) {
  constexpr char const* name = "symm::heap_map";
  return Runtime::instance(name).heap(kind, name).map();
}

HeapStats heap_stats() {
  return Runtime::instance("symm::heap_stats").heap().stats();
}

HeapStats heap_stats(MemoryKind kind) {
  constexpr char const* name = "symm::heap_stats";
  return Runtime::instance(name).heap(kind, name).stats();
}

std::size_t heap_trim() { return Runtime::instance("symm::heap_trim").trim(); }

}  // namespace symm
