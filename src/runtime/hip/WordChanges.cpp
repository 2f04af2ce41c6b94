// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "WordChanges.hpp"

// The build compiles gpu/WordChanges.cu, and names the resulting file. (A code
// object must be aligned to 4096 bytes.) Without a compiler for HIP, as in
// tests of the runtime alone, the library has no code for GPUs.

#ifdef SYMM_WORD_CHANGES_OBJECT
asm(R"(
  .section .rodata
  .balign 4096
symm_word_changes_object:
  .incbin ")" SYMM_WORD_CHANGES_OBJECT R"("
  .byte 0
  .previous
)");
extern "C"
    __attribute__((visibility("hidden"))) char const symm_word_changes_object[];
#else
static constexpr char symm_word_changes_object[] = "no code for GPUs";
#endif

namespace symm::Impl {

void const* word_changes_object() { return symm_word_changes_object; }

}  // namespace symm::Impl
