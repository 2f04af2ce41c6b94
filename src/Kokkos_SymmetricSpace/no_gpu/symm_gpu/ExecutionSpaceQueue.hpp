// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_EXECUTION_SPACE_QUEUE_HPP
#define SYMM_GPU_EXECUTION_SPACE_QUEUE_HPP

// No execution space instance has a queue of a GPU.

#endif
