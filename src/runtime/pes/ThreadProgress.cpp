// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ThreadProgress.hpp"

#include "../base/Check.hpp"

namespace symm::Impl {

constinit thread_local ThreadProgress* ThreadProgress::t_current = nullptr;

void ThreadProgress::begin() noexcept { t_current = this; }

void ThreadProgress::end() noexcept {
  if (t_current == this) t_current = nullptr;
}

bool ThreadProgress::make_of_thread() noexcept {
  if (m_is_working) return false;
  // work() may call user functions.
  [[maybe_unused]] check::Program const program;
  return work();
}

}  // namespace symm::Impl
