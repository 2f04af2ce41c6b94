// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_EXECUTION_SPACE_QUEUE_HPP
#define SYMM_GPU_EXECUTION_SPACE_QUEUE_HPP

// In a build without GPUs, no execution space instance has a GPU queue.

#endif
