// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ADDRESS_SANITIZER_HPP
#define SYMM_ADDRESS_SANITIZER_HPP

// Defines SYMM_HAS_ASAN in a build with AddressSanitizer.
#if defined(__SANITIZE_ADDRESS__)
#define SYMM_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SYMM_HAS_ASAN 1
#endif
#endif

#endif
