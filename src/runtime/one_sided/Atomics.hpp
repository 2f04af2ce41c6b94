// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_ATOMICS_HPP
#define SYMM_ONE_SIDED_ATOMICS_HPP

#include <concepts>
#include <type_traits>

#include "../access/Access.hpp"
#include "../access/PeOperations.hpp"
#include "../base/Check.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/WordAtomics.hpp"
#include "../transport/HostCall.hpp"

namespace symm::Impl {

/// Types whose values processors fetch and replace in one step.
template <class T>
concept AtomicWord = (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                      std::is_pointer_v<T>)&&(sizeof(T) == 4 ||
                                              sizeof(T) == 8) &&
                     std::same_as<T, std::remove_cv_t<T>>;

/// Types that they also compute with.
template <class T>
concept AtomicNumber = AtomicWord<T> && std::is_arithmetic_v<T>;

/// Types whose single bits they also change.
template <class T>
concept AtomicBits = AtomicWord<T> && std::integral<T>;

/// The kind of an operation, for the detector of races.
template <class Result>
SYMM_INLINE_FUNCTION constexpr check::AtomicKind check_kind_of(AtomicOp op) {
  if (op == AtomicOp::fetch) return check::AtomicKind::reads;
  return std::is_void_v<Result> ? check::AtomicKind::posts
                                : check::AtomicKind::returns;
}

/// change_word() of the host, with observers.
template <class Result, class T, class Call, class Near, class... Operands>
[[gnu::always_inline]] inline Result change_on_host(Call call, T const* address,
                                                    Pe pe, Near near,
                                                    AtomicOp op,
                                                    Operands... operands) {
  return observe(
      OperationKind::atomic, name_of_call(call), pe, sizeof(T), address,
      nullptr, [=]() -> Result {
        check::atomic(address, sizeof(T), pe, check_kind_of<Result>(op));
        return change_word<Result, T>(address, pe, call, near, op, operands...);
      });
}

/// fetch_word_later(), with observers.
template <class T, class Near, class... Operands>
void fetch_on_host(HostCall const& call, T* fetch, T const* address, Pe pe,
                   Near near, AtomicOp op, Operands... operands) {
  check_private(fetch, call.name);
  Observed const observed([=] {
    return Operation{OperationKind::atomic, call.name, pe, sizeof(T), address};
  });
  check::atomic(address, sizeof(T), pe,
                op == AtomicOp::fetch ? check::AtomicKind::reads
                                      : check::AtomicKind::posts,
                fetch);
  fetch_word_later<T>(fetch, address, pe, call, near, op, operands...);
}

}  // namespace symm::Impl

#endif
