// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_RUNTIME_NAMES_HPP
#define SYMM_GPU_RUNTIME_NAMES_HPP

/// A function, type or value of HIP's runtime library, and the text of its
/// name.
#define SYMM_GPU_RUNTIME(name) hip##name
#define SYMM_GPU_RUNTIME_TEXT(name) "hip" #name
/// The library's functions take this for a variable of a source's kernels.
#define SYMM_GPU_RUNTIME_SYMBOL(variable) HIP_SYMBOL(variable)

#endif
