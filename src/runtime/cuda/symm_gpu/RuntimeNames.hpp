// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_RUNTIME_NAMES_HPP
#define SYMM_GPU_RUNTIME_NAMES_HPP

/// A function, type or value of CUDA's runtime library, and the text of its
/// name.
#define SYMM_GPU_RUNTIME(name) cuda##name
#define SYMM_GPU_RUNTIME_TEXT(name) "cuda" #name
/// The library's functions take this for a variable of a source's kernels.
#define SYMM_GPU_RUNTIME_SYMBOL(variable) variable

#endif
