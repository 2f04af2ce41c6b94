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

/// Meets all PEs in a collective call over the world, which is also a barrier.
/// All PEs make the same call; if one has failed, all throw.
/// \param failure why this PE cannot do its part, if it cannot.
/// \returns a number for the objects that all PEs make. It is equal on all PEs
///          and different for each call.
/// \throws UsageError on every PE, if the calls differ. On every PE, the error
///         of the failure.
std::uint64_t agree(ObjectCall const& call,
                    std::optional<Failure> failure = {});

/// The text of a failure without the call and this PE at its beginning. The
/// message that all PEs throw begins with them already.
Text without_call(Text const& text, char const* call);

/// \param call the name of the call, such as "symm::sort".
inline std::uint64_t agree(char const* call,
                           std::optional<Failure> const& failure) {
  return agree(ObjectCall(call), failure);
}

}  // namespace symm::Impl

#endif
