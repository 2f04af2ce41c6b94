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

/// Collective over the world; also acts as a barrier. If any PE passes a
/// failure, all PEs throw.
/// \param failure the reason why this PE cannot take part, if any.
/// \returns a number for the object that the PEs create together. It is the
///          same on all PEs and different for each call.
/// \throws UsageError on every PE if the calls differ. If any PE passes a
///         failure, every PE throws that failure.
std::uint64_t agree(ObjectCall const& call,
                    std::optional<Failure> failure = {});

/// Removes the call's name and this PE's number from the beginning of a
/// failure's text. The message that all PEs throw already begins with both.
Text without_call(Text const& text, char const* call);

/// \param call the call's name, such as "symm::sort".
inline std::uint64_t agree(char const* call,
                           std::optional<Failure> const& failure) {
  return agree(ObjectCall(call), failure);
}

}  // namespace symm::Impl

#endif
