// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "baselines/OpenShmem.hpp"

#include <shmem.h>

#include <cstdlib>
#include <new>
#include <stdexcept>

namespace perf::openshmem {
namespace {

/// \throws std::runtime_error if the variable cannot be set.
void set_unless_given(char const* variable, char const* value) {
  constexpr int keep_what_the_user_said = 0;
  if (setenv(variable, value, keep_what_the_user_said) != 0)
    throw std::runtime_error(std::string("cannot set ") + variable);
}

}  // namespace

bool available() { return true; }

Job::Job() {
  // Open MPI 4.1.4 crashes in its own memory hooks otherwise.
  set_unless_given("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0");
  // For 64 MiB blocks beside 100 000 holes; pages that are not used cost
  // nothing.
  set_unless_given("SHMEM_SYMMETRIC_SIZE", "1G");
  shmem_init();
}

Job::~Job() { shmem_finalize(); }

void* allocate(std::size_t bytes) {
  void* const p = shmem_malloc(bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void deallocate(void* p) { shmem_free(p); }

void barrier() { shmem_barrier_all(); }

void put(void* target, void const* source, std::size_t bytes, int pe,
         std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i) {
    shmem_putmem(target, source, bytes, pe);
    shmem_quiet();
  }
}

void post(void* target, void const* source, std::size_t bytes, int pe,
          std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i)
    shmem_putmem(target, source, bytes, pe);
  shmem_quiet();
}

void get(void* target, void const* source, std::size_t bytes, int pe,
         std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i)
    shmem_getmem(target, source, bytes, pe);
}

void put_word(std::uint64_t* target, std::uint64_t value, int pe,
              std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i) {
    shmem_uint64_p(target, value, pe);
    shmem_quiet();
  }
}

std::uint64_t get_word(std::uint64_t const* source, int pe,
                       std::int64_t iterations) {
  std::uint64_t word = 0;
  for (std::int64_t i = 0; i < iterations; ++i)
    word = shmem_uint64_g(source, pe);
  return word;
}

void post_word(std::uint64_t* target, std::uint64_t value, int pe) {
  shmem_uint64_p(target, value, pe);
}

void post_words(std::uint64_t* target, std::uint64_t value, int pe,
                std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i)
    shmem_uint64_p(target, value, pe);
  shmem_quiet();
}

void wait_word(std::uint64_t* word, std::uint64_t value) {
  shmem_uint64_wait_until(word, SHMEM_CMP_EQ, value);
}

// "ulong", for Open MPI 4.1.4 has not all of these for "uint64".

std::uint64_t fetch_add_word(std::uint64_t* target, int pe,
                             std::int64_t iterations) {
  std::uint64_t word = 0;
  for (std::int64_t i = 0; i < iterations; ++i)
    word = shmem_ulong_atomic_fetch_add(target, 1, pe);
  return word;
}

std::uint64_t fetch_word(std::uint64_t const* source, int pe,
                         std::int64_t iterations) {
  std::uint64_t word = 0;
  for (std::int64_t i = 0; i < iterations; ++i)
    word = shmem_ulong_atomic_fetch(source + word, pe);
  return word;
}

void set_word(std::uint64_t* target, int pe, std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i) {
    shmem_ulong_atomic_set(target, static_cast<std::uint64_t>(i) + 1, pe);
    shmem_quiet();
  }
}

std::uint64_t compare_swap_word(std::uint64_t* target, std::uint64_t value,
                                int pe, std::int64_t iterations) {
  std::uint64_t word = value;
  for (std::int64_t i = 0; i < iterations; ++i, ++value)
    word = shmem_ulong_atomic_compare_swap(target, value, value + 1, pe);
  return word;
}

void add_word(std::uint64_t* target, int pe, std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i)
    shmem_ulong_atomic_add(target, 1, pe);
  shmem_quiet();
}

void xor_words(std::uint64_t* words, std::span<std::uint64_t const> numbers,
               Spread const& spread) {
  for (std::uint64_t const number : numbers)
    shmem_ulong_atomic_xor(words + spread.word_of(number), number,
                           spread.pe_of(number));
  shmem_quiet();
}

}  // namespace perf::openshmem
