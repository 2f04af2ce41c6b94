// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_INTERRUPTED_HPP
#define SYMM_INTERRUPTED_HPP

#include <cerrno>
#include <type_traits>

namespace symm::Impl {

/// Makes a system call again as long as signals interrupt it (EINTR). Programs
/// have signals at any time: those of timers, which sampling profilers set.
///
/// For calls that have done nothing when they are interrupted: not close(),
/// which has closed; not connect(), which goes on; and not one that waits for a
/// limited time, which would wait for that time again (Deadline).
/// \param call returns -1 or nullptr and sets errno, if it fails.
/// \returns the result of the last call. Also in a forked child.
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
