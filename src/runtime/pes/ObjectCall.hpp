// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_OBJECT_CALL_HPP
#define SYMM_PES_OBJECT_CALL_HPP

#include <cstdint>

#include "../base/NameHash.hpp"
#include "RuntimeCall.hpp"

namespace symm::Impl {

/// A collective call by all PEs on an object built from Views, such as a plan
/// or a mailbox. A Rendezvous compares all members except `text`.
struct ObjectCall {
  /// \param its_kind The call's name, such as "symm::ExchangePlan::reserve".
  constexpr ObjectCall(char const* its_text, char const* its_kind,
                       std::uint64_t its_number = 0,
                       std::uint64_t its_value  = 0)
      : text(its_text),
        kind(hash_of_name(its_kind)),
        number(its_number),
        value(its_value) {}
  /// A call without a number. The text is the call's name.
  constexpr explicit ObjectCall(char const* its_kind)
      : ObjectCall(its_kind, its_kind) {}

  [[nodiscard]] constexpr RuntimeCallArguments arguments() const {
    return {kind, number, value};
  }
  /// A nonzero key that is the same for all calls of this kind on this object,
  /// regardless of `value`.
  [[nodiscard]] constexpr std::uint64_t key() const {
    return key_of(arguments());
  }
  [[nodiscard]] static constexpr std::uint64_t key_of(
      RuntimeCallArguments const& call_arguments) {
    return (call_arguments[0] ^ call_arguments[1] * 0x9e37'79b9'7f4a'7c15U) |
           1U;
  }

  char const* text;  // the call as a user would write it, for error messages
  std::uint64_t kind;
  std::uint64_t number;  // the object's number, the same on all PEs
  std::uint64_t value;   // another value that must be the same on all PEs
};

}  // namespace symm::Impl

#endif
