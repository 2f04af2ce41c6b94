// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HIP_WORD_CHANGES_HPP
#define SYMM_HIP_WORD_CHANGES_HPP

namespace symm::Impl {

/// The code object of symm_change_words() (gpu/WordChanges.cu), for the
/// architectures for which Kokkos is built.
[[nodiscard]] void const* word_changes_object();

}  // namespace symm::Impl

#endif
