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

/// A collective call over the world, which is also a barrier. All PEs make the
/// same call. If any PE has failed, all PEs throw.
/// \param failure why this PE cannot do its part, if it cannot.
/// \returns a number for the object that the PEs create together. It is the
///          same on all PEs and different for each call.
/// \throws UsageError on every PE if the calls differ. If any PE passes a
///         failure, throws its error on every PE.
std::uint64_t agree(ObjectCall const& call,
                    std::optional<Failure> failure = {});

/// The text of a failure, without the call and this PE's number at its start.
/// The message that all PEs throw already begins with these.
Text without_call(Text const& text, char const* call);

/// \param call the name of the call, such as "symm::sort".
inline std::uint64_t agree(char const* call,
                           std::optional<Failure> const& failure) {
  return agree(ObjectCall(call), failure);
}

}  // namespace symm::Impl

#endif
