// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <cstdlib>

#include <Kokkos_SymmetricSpace_Space.hpp>
#include <heap/heap_with.hpp>
#include <support/mpi_main.hpp>

// Every test starts its own heap.
symm_test::Start symm_test::what_to_start() { return Start::kokkos; }

namespace symm_test {

namespace {

constexpr char const* names[] = {
    "SYMM_STATIC_HEAP",       "SYMM_SYMMETRIC_SIZE",  "SYMM_HEAP_LIMIT",
    "NVSHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_SIZE", "SYMM_TIMEOUT"};

void set_only(Variables const& variables) {
  for (char const* name : names) ::unsetenv(name);
  for (auto const& [name, value] : variables) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
}

}  // namespace

Environment::Environment(Variables const& variables) {
  for (char const* name : names) {
    char const* const value = std::getenv(name);
    if (value != nullptr) m_before[name] = value;
  }
  set_only(variables);
}

Environment::~Environment() { set_only(m_before); }

HeapWith::HeapWith(Variables const& variables) : m_environment(variables) {
  symm::initialize();
  s_was_used = true;
}

HeapWith::~HeapWith() { symm::finalize(); }

}  // namespace symm_test
