// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// An operator new of which one call fails.

#include "LackOfMemory.hpp"

#include <cstdlib>
#include <new>

namespace symm_test {

bool CountedAllocations::must_fail(std::size_t bytes) {
  return fails_at > 0 && bytes >= least_bytes && ++count == fails_at;
}

}  // namespace symm_test

using symm_test::CountedAllocations;

namespace {

void* allocate(std::size_t bytes) {
  if (!CountedAllocations::must_fail(bytes))
    if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
// Of std::stable_sort.
void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept {
  return CountedAllocations::must_fail(bytes) ? nullptr : std::malloc(bytes);
}
// Of Kokkos, for Views.
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   std::nothrow_t const&) noexcept {
  if (CountedAllocations::must_fail(bytes)) return nullptr;
  auto const its = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(its, (bytes + its - 1) / its * its);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::nothrow_t const&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t,
                     std::nothrow_t const&) noexcept {
  std::free(memory);
}
