// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A user's own header whose name is that of one of ours.
#error "the library has included the consumer's runtime/Types.hpp"
