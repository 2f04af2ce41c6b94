// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_INTERRUPTED_HPP
#define SYMM_INTERRUPTED_HPP

#include <cerrno>
#include <type_traits>

namespace symm::Impl {

/// Repeats a system call while signals interrupt it (EINTR). A signal can
/// arrive at any time, for instance from the timer of a sampling profiler.
///
/// Use this function only for calls that have no effect when they are
/// interrupted. An interrupted close() has closed the descriptor, and an
/// interrupted connect() continues in the background. For a call with a
/// timeout, which would start over, use Deadline instead.
/// \param call must return -1 or nullptr and set errno if it fails.
/// \returns the result of the last call.
///
/// Also safe in a forked child.
template <class Call>
auto uninterrupted(Call const& call) noexcept(noexcept(call())) {
  while (true) {
    errno             = 0;
    auto const result = call();
    if constexpr (std::is_pointer_v<decltype(call())>) {
      if (result != nullptr || errno != EINTR) return result;
    } else {
      if (result >= 0 || errno != EINTR) return result;
    }
  }
}

}  // namespace symm::Impl

#endif
