// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Rma.hpp"

#include "../base/Observer.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// put_bytes() and put_bytes_nbi().
/// \tparam until when it may return, if the PE is far.
template <Until until>
[[gnu::always_inline]] inline void put_bytes_until(void* dest,
                                                   void const* source,
                                                   std::size_t bytes, Pe pe,
                                                   char const* call) {
  if (bytes == 0) return;
  auto const its = resolve(dest, bytes, pe, call);
  check_private(source, call);
  put_to(its, source, bytes, until, call);
}

template <Until until>
[[gnu::always_inline]] inline void get_bytes_until(void* dest,
                                                   void const* source,
                                                   std::size_t bytes, Pe pe,
                                                   char const* call) {
  if (bytes == 0) return;
  auto const its = resolve(source, bytes, pe, call);
  check_private(dest, call);
  get_from(dest, its, bytes, until, call);
}

/// The same with an observer: out of line, since a put of one word takes less
/// time than the observing. (observe() would store what its closures hold
/// before it compares: ten stores in each put.)
template <Until until>
[[gnu::cold, gnu::noinline]] void put_bytes_observed(void* dest,
                                                     void const* source,
                                                     std::size_t bytes, Pe pe,
                                                     char const* call) {
  Observed const observed([=] {
    return Operation{OperationKind::put, call, pe, bytes, dest, source};
  });
  put_bytes_until<until>(dest, source, bytes, pe, call);
}

template <Until until>
[[gnu::cold, gnu::noinline]] void get_bytes_observed(void* dest,
                                                     void const* source,
                                                     std::size_t bytes, Pe pe,
                                                     char const* call) {
  Observed const observed([=] {
    return Operation{OperationKind::get, call, pe, bytes, source, dest};
  });
  get_bytes_until<until>(dest, source, bytes, pe, call);
}

[[noreturn, gnu::noinline]] void throw_null(char const* call) {
  throw UsageError(
      Text(call, ": the address of this PE's side of the copy is null"));
}

}  // namespace

void check_private(void const* address, char const* call) {
  if (address == nullptr) throw_null(call);
}

void put_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call) {
  if (is_observed()) [[unlikely]] {
    return put_bytes_observed<Until::is_safe>(dest, source, bytes, pe, call);
  }
  put_bytes_until<Until::is_safe>(dest, source, bytes, pe, call);
}

void get_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call) {
  if (is_observed()) [[unlikely]] {
    return get_bytes_observed<Until::is_safe>(dest, source, bytes, pe, call);
  }
  get_bytes_until<Until::is_safe>(dest, source, bytes, pe, call);
}

void put_bytes_nbi(void* dest, void const* source, std::size_t bytes, Pe pe,
                   char const* call) {
  if (is_observed()) [[unlikely]] {
    return put_bytes_observed<Until::is_begun>(dest, source, bytes, pe, call);
  }
  put_bytes_until<Until::is_begun>(dest, source, bytes, pe, call);
}

void get_bytes_nbi(void* dest, void const* source, std::size_t bytes, Pe pe,
                   char const* call) {
  if (is_observed()) [[unlikely]] {
    return get_bytes_observed<Until::is_begun>(dest, source, bytes, pe, call);
  }
  get_bytes_until<Until::is_begun>(dest, source, bytes, pe, call);
}

void put_bytes_in(HostCall const& call, Until until, void* dest,
                  void const* source, std::size_t bytes, Pe pe) {
  if (bytes == 0) return;
  Observed const observed([=, &call] {
    return Operation{OperationKind::put, call.name, pe, bytes, dest, source};
  });
  auto const its = resolve(dest, bytes, pe, call.name);
  check_private(source, call.name);
  put_to(its, source, bytes, until, call);
}

void get_bytes_in(HostCall const& call, Until until, void* dest,
                  void const* source, std::size_t bytes, Pe pe) {
  if (bytes == 0) return;
  Observed const observed([=, &call] {
    return Operation{OperationKind::get, call.name, pe, bytes, source, dest};
  });
  auto const its = resolve(source, bytes, pe, call.name);
  check_private(dest, call.name);
  get_from(dest, its, bytes, until, call);
}

}  // namespace symm::Impl
