// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_ATOMICS_HPP
#define SYMM_ONE_SIDED_ATOMICS_HPP

#include <concepts>
#include <type_traits>

#include "../access/Access.hpp"
#include "../access/GroupOperations.hpp"
#include "../access/Operations.hpp"
#include "../access/PeOperations.hpp"
#include "../base/Check.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/WordAtomics.hpp"
#include "../transport/HostCall.hpp"

namespace symm::Impl {

/// Types with atomic fetch, set and swap operations.
template <class T>
concept AtomicWord = (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                      std::is_pointer_v<T>)&&(sizeof(T) == 4 ||
                                              sizeof(T) == 8) &&
                     std::same_as<T, std::remove_cv_t<T>> &&
                     !std::same_as<T, long double>;

/// Types with atomic arithmetic.
template <class T>
concept AtomicNumber = AtomicWord<T> && std::is_arithmetic_v<T>;

/// Types with atomic bitwise operations.
template <class T>
concept AtomicBits = AtomicWord<T> && std::integral<T>;

/// The kind of the atomic operation `op`, for the race detector. Result is void
/// if the operation returns nothing.
template <class Result>
SYMM_INLINE_FUNCTION constexpr check::AtomicKind check_kind_of(AtomicOp op) {
  if (op == AtomicOp::fetch) return check::AtomicKind::reads;
  return std::is_void_v<Result> ? check::AtomicKind::posts
                                : check::AtomicKind::returns;
}

/// Performs an atomic operation on the host. \returns the old value, unless
/// Result is void.
template <class Result, class T, class Call, class Near, class... Operands>
[[gnu::always_inline]] inline Result change_on_host(Call call, T const* address,
                                                    Pe pe, Near near,
                                                    AtomicOp op,
                                                    Operands... operands) {
  return run_operation(AtomicOperation{name_of_call(call), address, sizeof(T),
                                       pe, check_kind_of<Result>(op)},
                       [=]() -> Result {
                         return change_word<Result, T>(address, pe, call, near,
                                                       op, operands...);
                       });
}

/// Begins an atomic operation on the host. When quiet() returns, the old value
/// is in `*fetch`.
template <class T, class Near, class... Operands>
void fetch_on_host(HostCall const& call, T* fetch, T const* address, Pe pe,
                   Near near, AtomicOp op, Operands... operands) {
  check_private(fetch, call.name);
  run_operation(AtomicOperation{call.name, address, sizeof(T), pe,
                                check_kind_of<void>(op), fetch},
                [=, &call] {
                  fetch_word_later<T>(fetch, address, pe, call, near, op,
                                      operands...);
                });
}

/// Performs one thread's atomic operation, on the host or in a kernel.
/// \returns the old value, unless Result is void.
template <class Result, class T, class Near, class... Operands>
SYMM_INLINE_FUNCTION Result change_in_heap(HeapMap const& heap,
                                           char const* call, T const* address,
                                           Pe pe, Near near, AtomicOp op,
                                           Operands... operands) {
  GroupOperation const operation(
      OneThread(), heap,
      AtomicOperation{call, address, sizeof(T), pe, check_kind_of<Result>(op)});
  return change_word<Result, T>(heap, address, pe, call, near, op, operands...);
}

}  // namespace symm::Impl

#endif
