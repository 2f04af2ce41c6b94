// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "EnqueuedRma.hpp"

#include "../../runtime/base/Text.hpp"
#include "../../runtime/symm_errors.hpp"

namespace symm::Impl {

void throw_far_on_gpu(Pe pe, char const* call) {
  throw UsageError(Text(call, ": PE ", pe,
                        " is on another node, which what is enqueued on a GPU "
                        "does not reach: call the form without an execution "
                        "space instance, for memory of SymmetricHostSpace"));
}

}  // namespace symm::Impl
