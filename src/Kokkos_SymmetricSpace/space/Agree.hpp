// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SPACE_AGREE_HPP
#define SYMM_SPACE_AGREE_HPP

#include <cstdint>
#include <optional>

#include "../../runtime/base/Failure.hpp"
#include "../../runtime/base/Text.hpp"
#include "../../runtime/pes/ObjectCall.hpp"

namespace symm::Impl {

/// Collective over the world, a barrier: all PEs make the same call, and all
/// throw if one has failed.
/// \param failure why this PE cannot do its part.
/// \returns a number, equal on all PEs, that no other call returns: for objects
///          that all PEs make.
/// \throws UsageError on every PE, if calls differ; that of the failure.
std::uint64_t agree(ObjectCall const& call,
                    std::optional<Failure> failure = {});

/// The text of a failure without the call and this PE at its beginning, which
/// the message of all PEs has before it.
Text without_call(Text const& text, char const* call);

/// \param call its name, such as "symm::sort".
inline std::uint64_t agree(char const* call,
                           std::optional<Failure> const& failure) {
  return agree(ObjectCall(call), failure);
}

}  // namespace symm::Impl

#endif
