// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../symm_job.hpp"

#include <cstdio>
#include <cstdlib>

#include "../base/Check.hpp"
#include "Runtime.hpp"

namespace symm {

Pe my_pe() { return Impl::Runtime::instance("symm::my_pe").my_pe(); }

int n_pes() { return Impl::Runtime::instance("symm::n_pes").n_pes(); }

bool is_near(Pe pe) {
  return Impl::Runtime::instance("symm::is_near").nodes().is_near(pe);
}

bool pe_accessible(Pe pe) {
  int const n_pes = Impl::Runtime::instance("symm::pe_accessible").n_pes();
  return 0 <= pe && pe < n_pes;
}

bool addr_accessible(void const* address, Pe pe) {
  auto& runtime = Impl::Runtime::instance("symm::addr_accessible");
  return 0 <= pe && pe < runtime.n_pes() &&
         runtime.heap_of(address).is_mapped(address, 1);
}

ThreadLevel init_thread(ThreadLevel) {
  initialize_runtime();
  return query_thread();
}

ThreadLevel query_thread() {
  static_cast<void>(Impl::Runtime::instance("symm::query_thread"));
  return ThreadLevel::multiple;
}

void info_get_version(int* major, int* minor) noexcept {
  *major = 1;
  *minor = 5;
}

char const* info_get_name() noexcept {
  return "Kokkos SymmetricSpace " SYMM_VERSION;
}

void barrier_all() {
  Impl::check::quiet();
  Impl::Runtime::instance("symm::barrier_all").barrier_all();
}

HeapMap heap_map(MemoryKind kind) {
  constexpr char const* name = "symm::heap_map";
  return Impl::Runtime::instance(name).heap(kind, name).map();
}

void global_exit(int status) {
  auto& bootstrap = Impl::Runtime::instance("symm::global_exit").bootstrap();
  static_cast<void>(std::fflush(nullptr));
  Impl::check::job_ends();
  bootstrap.abort(status);
  std::abort();  // not reached; for the compiler
}

HeapStats heap_stats() {
  return Impl::Runtime::instance("symm::heap_stats").heap().stats();
}

HeapStats heap_stats(MemoryKind kind) {
  constexpr char const* name = "symm::heap_stats";
  return Impl::Runtime::instance(name).heap(kind, name).stats();
}

std::size_t heap_trim() {
  return Impl::Runtime::instance("symm::heap_trim").trim();
}

}  // namespace symm
